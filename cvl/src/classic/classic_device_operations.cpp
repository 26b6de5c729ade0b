#include "classic/classic_device_operations.h"

#include <vector>

namespace cvl::classic {
namespace {

/// The key of the next rnd_wuz.
RandomKey the_random_key;

}  // namespace

void choose(Op comparison, Operands operands, const Result& d) {
  const Temporary flags(d.length);
  const Operand &a = operands.begin()[0], &b = operands.begin()[1];
  backend().run(Elementwise{comparison, {operands.begin(), 2}, {ElemType::kB8, d.length, flags.data()}});
  elementwise<Op::kSelect>({{ElemType::kB8, d.length, flags.data()}, a, b}, d);
}

void equal_flags(Operands operands, const Result& d) {
  elementwise<Op::kXor>(operands, d);
  elementwise<Op::kNot>({{d.type, d.length, d.data}}, d);
}

void shift(Op op, Operands operands, const Result& d) {
  constexpr std::int32_t kCountBits = 31;
  const Temporary counts(4 * d.length);
  const Operand read{ElemType::kI32, d.length, counts.data()};
  const Result written{ElemType::kI32, d.length, counts.data()};
  fill(&kCountBits, written);
  elementwise<Op::kAnd>({operands.begin()[1], read}, written);
  const Operand shifted[] = {operands.begin()[0], read};
  backend().run(Elementwise{op, shifted, d});
}

void draw(Operands bounds, const Result& d) {
  backend().run(Random{*bounds.begin(), the_random_key, d});
  ++the_random_key.call;
}

void seed_random(int seed) { the_random_key = {static_cast<std::uint32_t>(seed), 0}; }

void permute_flagged(const Operand& s, const Operand& i, const Operand& f, const SegmentDescriptor& from,
                     const SegmentDescriptor& to, const Result& d) {
  constexpr std::uint64_t kZero = 0;
  fill(&kZero, d);
  permute_flagged_over(s, i, f, {d.type, d.length, d.data}, from, to, d);
}

int counted(const Operand& flags) {
  const Temporary kept(4);
  count(flags, SegmentDescriptor::single(flags.length), {ElemType::kI32, 1, kept.data()});
  return extracted<ElemType::kI32>(kept.data(), 0);
}

void pack(const Operand& s, const Operand& flags, const Result& d) {
  const Temporary kept(4);
  const auto plan = backend().plan_pack(flags, SegmentDescriptor::single(s.length), {ElemType::kI32, 1, kept.data()});
  if (plan == nullptr) return;  // a fault is known; settle() stops the process after this call
  if (plan->kept != d.length) stop_for_flags(plan->kept, d.length);
  backend().run(Pack{*plan, s, flags, d});
}

void to_host(int* d, const Operand& s) {
  const auto n = static_cast<std::size_t>(s.length);
  if (s.type != ElemType::kB8) return backend().download(d, s.data, 4 * n);
  std::vector<std::uint8_t> flags(n);
  backend().download(flags.data(), s.data, n);
  for (std::size_t e = 0; e < n; ++e) d[e] = flags[e];
}

void to_host(double* d, const Operand& s) { backend().download(d, s.data, 8 * static_cast<std::size_t>(s.length)); }

void from_host(const int* s, const Result& d) {
  const auto n = static_cast<std::size_t>(d.length);
  if (d.type != ElemType::kB8) return backend().upload(d.data, s, 4 * n);
  std::vector<std::uint8_t> flags(n);
  for (std::size_t e = 0; e < n; ++e) flags[e] = s[e] != 0;
  backend().upload(d.data, flags.data(), n);
}

void from_host(const double* s, const Result& d) {
  backend().upload(d.data, s, 8 * static_cast<std::size_t>(d.length));
}

void read_clock(timespec& time) {
  wait_and_settle();
  clock_gettime(CLOCK_MONOTONIC, &time);
}

}  // namespace cvl::classic
