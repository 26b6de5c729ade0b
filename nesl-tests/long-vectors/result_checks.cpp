#include "result_checks.h"

#include <fmt/format.h>

#include <bit>

namespace device_check {
namespace {

Finding unless(bool right, const char* what) { return right ? "" : what; }

Finding check_elementwise(DeviceVectors& v, const Extent& x) {
  const std::int64_t n = x.elements;
  const Operand up = v.sequence(x.ints, n, 0, 1), down = v.sequence(x.ints, n, n - 1, -1);
  return unless(v.same(v.elementwise(Op::kAdd, x.ints, {up, down}), v.ints(x.ints, n, n - 1)),
                "k + (n - 1 - k) is not n - 1 everywhere");
}

Finding check_reduce(DeviceVectors& v, const Extent& x) {
  const std::int64_t n = x.elements;
  const SegmentDescriptor descriptor = SegmentDescriptor::single(n);
  const Operand up = v.sequence(ElemType::kI64, n, 0, 1);
  const auto reduced = [&](Monoid monoid) { return v.first<std::int64_t>(v.reduce(monoid, up, descriptor)); };
  // n (n - 1) / 2 modulo 2^64: one of the factors is even.
  const auto even = static_cast<std::uint64_t>(n % 2 == 0 ? n / 2 : n),
             odd = static_cast<std::uint64_t>(n % 2 == 0 ? n - 1 : (n - 1) / 2);
  if (static_cast<std::uint64_t>(reduced(Monoid::kSum)) != even * odd)
    return "the sum of 0 … n - 1 is not n (n - 1) / 2";
  if (reduced(Monoid::kMax) != n - 1) return "the maximum of 0 … n - 1 is not n - 1";
  return unless(reduced(Monoid::kMin) == 0, "the minimum of 0 … n - 1 is not 0");
}

Finding check_scan(DeviceVectors& v, const Extent& x) {
  const std::int64_t n = x.elements;
  const Operand sums = v.scan(Monoid::kSum, v.ints(x.ints, n, 1), SegmentDescriptor::single(n));
  return unless(v.same(sums, v.sequence(x.ints, n, 0, 1)), "the scan of ones is not 0 … n - 1");
}

Finding check_max_scan(DeviceVectors& v, const Extent& x) {
  const std::int64_t n = x.elements;
  // Each is the maximum of itself and -1, so that the empty value at the beginning becomes -1.
  const Operand up = v.sequence(x.ints, n, 0, 1);
  const Operand before = v.scan(Monoid::kMax, up, SegmentDescriptor::single(n));
  const Operand low = v.elementwise(Op::kLess, ElemType::kB8, {before, v.ints(x.ints, n, -1)});
  const Operand from_minus_one = v.elementwise(Op::kSelect, x.ints, {low, v.ints(x.ints, n, -1), before});
  return unless(v.same(from_minus_one, v.sequence(x.ints, n, -1, 1)), "the scan of maxima of 0 … n - 1 is wrong");
}

/// Lengths 0, 1, 2, 3, 4, 0, …, which sum up to about `elements`.
Operand cyclic_lengths(DeviceVectors& v, const Extent& x) {
  const std::int64_t m = x.elements / 10 * 5;
  return v.elementwise(Op::kRemainder, x.ints, {v.sequence(x.ints, m, 0, 1), v.ints(x.ints, m, 5)});
}

/// Segments of one element each, except one in the middle that has all other elements.
Operand skewed_lengths(DeviceVectors& v, const Extent& x) {
  const std::int64_t m = x.elements / 100 + 1;
  const Operand number = v.sequence(x.ints, m, 0, 1);
  const Operand middle = v.elementwise(Op::kEqual, ElemType::kB8, {number, v.ints(x.ints, m, m / 2)});
  return v.elementwise(Op::kSelect, x.ints, {middle, v.ints(x.ints, m, x.elements - m + 1), v.ints(x.ints, m, 1)});
}

Finding check_segments(DeviceVectors& v, const Extent& x, const Operand& lengths) {
  const SegmentDescriptor descriptor = v.segments(lengths);
  const Operand ones = v.ints(x.ints, descriptor.elements, 1);
  if (!v.same(v.reduce(Monoid::kSum, ones, descriptor), lengths))
    return "sums of ones are not the lengths of the segments";
  const Operand positions = v.scan(Monoid::kSum, ones, descriptor);
  const Result counted = v.make(x.ints, descriptor.elements);
  v.backend().run(
      cvl::Index{v.ints(x.ints, descriptor.segments, 0), v.ints(x.ints, descriptor.segments, 1), descriptor, counted});
  if (!v.same(positions, operand(counted))) return "the scan of ones and INDEX differ";
  const Operand number = v.sequence(x.ints, descriptor.segments, 0, 1);
  const Result spread = v.make(x.ints, descriptor.elements);
  v.backend().run(cvl::Dist{number, descriptor, spread});
  return unless(v.same(v.reduce(Monoid::kSum, operand(spread), descriptor),
                       v.elementwise(Op::kMultiply, x.ints, {number, lengths})),
                "sums of what DIST spreads are not lengths times values");
}

Finding check_short_segments(DeviceVectors& v, const Extent& x) { return check_segments(v, x, cyclic_lengths(v, x)); }
Finding check_skewed_segments(DeviceVectors& v, const Extent& x) { return check_segments(v, x, skewed_lengths(v, x)); }

Finding check_permute(DeviceVectors& v, const Extent& x) {
  const std::int64_t n = x.elements;
  const Operand up = v.sequence(x.ints, n, 0, 1), down = v.sequence(x.ints, n, n - 1, -1);
  if (!v.same(v.permute(up, down), down)) return "0 … n - 1 permuted to n - 1 … 0 is not n - 1 … 0";
  return unless(v.same(v.gather(down, down), up), "n - 1 … 0 gathered from n - 1 … 0 is not 0 … n - 1");
}

Finding check_rank(DeviceVectors& v, const Extent& x) {
  const std::int64_t n = x.elements;
  const Operand down = v.sequence(x.ints, n, n - 1, -1);
  if (!v.same(v.rank(false, down, x.ints), down)) return "the ranks of n - 1 … 0 are not n - 1 … 0";
  return unless(v.same(v.rank(true, down, x.ints), v.sequence(x.ints, n, 0, 1)),
                "the descending ranks of n - 1 … 0 are not 0 … n - 1");
}

Finding check_pack(DeviceVectors& v, const Extent& x) {
  const std::int64_t n = x.elements;
  const Operand up = v.sequence(x.ints, n, 0, 1);
  const Operand rest = v.elementwise(Op::kRemainder, x.ints, {up, v.ints(x.ints, n, 3)});
  const Operand flags = v.elementwise(Op::kEqual, ElemType::kB8, {rest, v.ints(x.ints, n, 0)});
  return unless(v.same(v.pack(up, flags, x.ints), v.sequence(x.ints, (n + 2) / 3, 0, 3)),
                "the multiples of 3 that PACK keeps are not 0, 3, 6, …");
}

/// Floats with many digits, so that another association gives other bits.
template <class T>
Finding check_repeated(DeviceVectors& v, const Extent& x) {
  const Operand lengths = skewed_lengths(v, x);
  const SegmentDescriptor descriptors[] = {SegmentDescriptor::single(x.elements), v.segments(lengths)};
  const Operand numbers = v.roots(vcode::kElemTypeOf<T>, x.elements);
  for (const SegmentDescriptor& descriptor : descriptors) {
    const Operand sums = v.scan(Monoid::kSum, numbers, descriptor), total = v.reduce(Monoid::kSum, numbers, descriptor);
    for (int k = 0; k < x.repetitions; ++k) {
      DeviceVectors once(v.backend());
      if (!once.same(once.scan(Monoid::kSum, numbers, descriptor), sums))
        return fmt::format("repetition {} of the {} scan has other bits", k,
                           descriptor.is_single() ? "flat" : "segmented");
      if (!once.same(once.reduce(Monoid::kSum, numbers, descriptor), total))
        return fmt::format("repetition {} of the {} sum has other bits", k,
                           descriptor.is_single() ? "flat" : "segmented");
    }
  }
  return "";
}

constexpr ResultCheck kChecks[] = {
    {"elementwise", check_elementwise},
    {"reduce", check_reduce},
    {"scan", check_scan},
    {"scan of maxima", check_max_scan},
    {"short segments", check_short_segments},
    {"skewed segments", check_skewed_segments},
    {"permute, gather", check_permute},
    {"pack", check_pack},
    {"rank", check_rank},
    {"f64 sums, repeated", check_repeated<double>},
    {"f32 sums, repeated", check_repeated<float>},
};

}  // namespace

std::span<const ResultCheck> result_checks() { return kChecks; }

}  // namespace device_check
