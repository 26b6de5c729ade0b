#include "kernels/chosen_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cvl/dispatch.h"
#include "int_vectors.h"
#include "kernels/kernel_steps.h"
#include "visit_type.h"

namespace cvl::conformance {

using vcode::ElemType;
using vcode::Op;

KernelCase folding_case(vcode::Suffix suffix, ElemType type, vcode::Widths widths, std::int64_t n,
                        const Segmentation& cut, Rng& rng) {
  using vcode::Kind;
  KernelCase tried;
  tried.title = fmt::format("folds, {} elements, {}", n, cut.name);
  const Kind kind = vcode::suffix_kind(suffix);
  tried.kernel.values = {{"x", kind},           {"y", kind},          {"s", Kind::kSegdes},    {"c", kind},
                         {"table", kind},       {"from", Kind::kInt}, {"like", Kind::kSegdes}, {"first", Kind::kInt},
                         {"stride", Kind::kInt}};
  tried.kernel.input_count = 9;
  tried.kernel.over = 2;
  const auto add = [&](std::string name, Kind result_kind, Op op, vcode::Suffix of,
                       std::vector<vcode::KernelVar> operands, bool leaves) {
    return add_step(tried.kernel, std::move(name), result_kind, op, of, std::move(operands), leaves);
  };
  const auto step = [&](std::string name, Op op, std::vector<vcode::KernelVar> operands, bool leaves) {
    return add(std::move(name), kind, op, suffix, std::move(operands), leaves);
  };
  const vcode::KernelVar x = 0, y = 1, s = 2, c = 3, table = 4, from = 5, like = 6, first = 7, stride = 8;
  const auto d = step("d", Op::kDist, {c, s}, false);
  // A slice by another descriptor with the same segments.
  const auto part = step("part", Op::kSlice, {table, from, like}, rng.chance(0.2));
  const auto index = add("index", Kind::kInt, Op::kIndex, vcode::Suffix::kNone, {first, stride, s}, rng.chance(0.2));
  const auto p = step("p", Op::kMultiply, {x, x}, rng.chance(0.5));
  step("sum_p", Op::kSumReduce, {p, s}, true);
  step("max_p", Op::kMaxReduce, {p, s}, true);
  step("min_x", Op::kMinReduce, {x, s}, true);
  const auto q = step("q", Op::kSubtract, {y, rng.chance(0.5) ? p : part}, rng.chance(0.5));
  const auto r = step("r", Op::kAdd, {q, d}, rng.chance(0.5));
  step("sum_r", Op::kSumReduce, {r, s}, true);
  if (rng.chance(0.5)) {
    const auto before = step("before", Op::kSumScan, {r, s}, rng.chance(0.5));
    const auto t = step("t", Op::kAdd, {before, r}, rng.chance(0.5));
    step("max_t", Op::kMaxReduce, {t, s}, true);
    step("highest", Op::kMaxScan, {x, s}, true);
  }
  if (rng.chance(0.5)) step("dd", Op::kMultiply, {d, d}, true);
  if (rng.chance(0.5)) {
    const auto twice = add("twice", Kind::kInt, Op::kAdd, vcode::Suffix::kInt, {index, index}, rng.chance(0.5));
    add("most", Kind::kInt, Op::kMaxReduce, vcode::Suffix::kInt, {twice, rng.chance(0.5) ? s : like}, true);
  }
  const auto numbers = [&](ElemType of, std::int64_t length, auto&& number) {
    HostVector vector(of, length);
    with_number(of, [&]<class T>() {
      for (T& element : vector.as<T>()) element = static_cast<T>(number());
    });
    tried.inputs.push_back({false, vector, {}});
  };
  const auto small = [&] { return rng.below(4) - 1; };
  const auto segments = static_cast<std::int64_t>(cut.lengths.size());
  const std::int64_t longest = cut.lengths.empty() ? 0 : *std::max_element(cut.lengths.begin(), cut.lengths.end());
  const std::int64_t beyond = rng.chance(0.1) ? 2 : 0;  // a slice may have no elements at its end
  numbers(type, n, small);
  numbers(type, n, small);
  tried.inputs.push_back({true, {}, cut.lengths});
  numbers(type, segments, [] { return 2; });
  numbers(type, longest + 9 - beyond, small);
  numbers(widths.int_type, segments, [&] { return rng.below(10); });
  tried.inputs.push_back({true, {}, cut.lengths});
  for (int k = 0; k < 2; ++k) numbers(widths.int_type, segments, [&] { return rng.below(9) - 4; });
  return tried;
}

KernelCase extremes_case(vcode::Suffix suffix, ElemType type, vcode::Widths widths, const Segmentation& cut, Rng& rng) {
  using vcode::Kind;
  using vcode::Op;
  using vcode::Suffix;
  KernelCase tried;
  tried.title = fmt::format("extremes, {}", cut.name);
  const Kind kind = vcode::suffix_kind(suffix);
  tried.kernel.values = {
      {"c", kind},           {"s", Kind::kSegdes},   {"table", kind},   {"from", Kind::kInt}, {"like", Kind::kSegdes},
      {"first", Kind::kInt}, {"stride", Kind::kInt}, {"n", Kind::kInt}, {"one", kind},        {"whole", Kind::kSegdes}};
  tried.kernel.input_count = 10;
  tried.kernel.over = 1;
  const auto step = [&](std::string name, Kind result_kind, Op op, Suffix of, std::vector<vcode::KernelVar> operands,
                        bool leaves) {
    return add_step(tried.kernel, std::move(name), result_kind, op, of, std::move(operands), leaves);
  };
  const vcode::KernelVar c = 0, s = 1, table = 2, from = 3, like = 4, first = 5, stride = 6, n = 7, one = 8, whole = 9;
  const auto d = step("d", kind, Op::kDist, suffix, {c, s}, false);
  const auto part = step("part", kind, Op::kSlice, suffix, {table, from, rng.chance(0.5) ? s : like}, false);
  const auto i = step("i", Kind::kInt, Op::kIndex, Suffix::kNone, {first, stride, s}, false);
  const auto p = step("p", kind, Op::kSubtract, suffix, {part, d}, false);
  const auto q = step("q", kind, Op::kMultiply, suffix, {p, p}, rng.chance(0.1));
  // One element for all segments.
  const auto o = step("o", kind, Op::kDist, suffix, {one, whole}, false);
  const auto w = rng.chance(0.5) ? q : step("w", kind, Op::kAdd, suffix, {q, o}, false);
  step("least", Kind::kInt, Op::kMinIndex, suffix, {w, s}, true);
  step("most", Kind::kInt, Op::kMaxIndex, suffix, {rng.chance(0.5) ? q : p, s}, true);
  if (rng.chance(0.5)) {
    const auto dn = step("dn", Kind::kInt, Op::kDist, Suffix::kInt, {n, s}, false);
    const auto r = step("r", Kind::kInt, Op::kRemainder, Suffix::kNone, {i, dn}, false);
    step("least_r", Kind::kInt, Op::kMinIndex, Suffix::kInt, {r, s}, true);
  } else {
    step("most_i", Kind::kInt, Op::kMaxIndex, Suffix::kInt, {i, s}, true);
  }
  if (rng.chance(0.1)) step("max_p", kind, Op::kMaxReduce, suffix, {p, s}, true);
  const auto numbers = [&](ElemType of, std::int64_t length, auto&& number) {
    HostVector vector(of, length);
    with_number(of, [&]<class T>() {
      for (T& element : vector.as<T>()) element = static_cast<T>(number());
    });
    return KernelInput{false, vector, {}};
  };
  const auto segments = static_cast<std::int64_t>(cut.lengths.size());
  const std::int64_t longest = cut.lengths.empty() ? 0 : *std::max_element(cut.lengths.begin(), cut.lengths.end());
  KernelInput sliced = numbers(type, longest + 9, [&] { return rng.below(5) - 2; });
  if (kind == Kind::kFloat && rng.chance(0.5))
    with_number(type, [&]<class T>() {
      for (T& x : sliced.vector.as<T>())
        if (rng.chance(0.7)) x = static_cast<T>(std::array{NAN, INFINITY, -INFINITY, -0.0F}[rng.below(4)]);
    });
  const std::int64_t common = rng.below(10), apart = rng.chance(0.5) ? 0 : 10;
  KernelInput starts = numbers(widths.int_type, segments,
                               [&] { return std::min<std::int64_t>(common + (apart > 0 ? rng.below(apart) : 0), 9); });
  if (segments > 0 && rng.chance(0.05)) set_int(starts.vector, rng.below(segments), rng.chance(0.5) ? -1 : longest + 9);
  KernelInput divisors = numbers(widths.int_type, segments, [&] { return 1 + rng.below(5); });
  if (segments > 0 && rng.chance(0.05)) set_int(divisors.vector, rng.below(segments), 0);
  tried.inputs = {numbers(type, segments, [&] { return rng.below(3) - 1; }),
                  {true, {}, cut.lengths},
                  sliced,
                  starts,
                  {true, {}, cut.lengths}};
  for (int k = 0; k < 2; ++k)
    tried.inputs.push_back(numbers(widths.int_type, segments, [&] { return rng.below(9) - 4; }));
  tried.inputs.push_back(divisors);
  tried.inputs.push_back(numbers(type, 1, [&] { return rng.below(3) - 1; }));
  tried.inputs.push_back({true, {}, {cut.elements()}});
  return tried;
}

KernelCase permuting_case(vcode::Kind kind, vcode::Widths widths, const Segmentation& cut, Rng& rng) {
  using vcode::Kind;
  using vcode::Op;
  using vcode::Suffix;
  KernelCase tried;
  tried.title = fmt::format("permutations, {}", cut.name);
  tried.kernel.values = {{"x", kind}, {"i", Kind::kInt}, {"s", Kind::kSegdes}, {"c", Kind::kInt}, {"f", Kind::kBool}};
  tried.kernel.input_count = 5;
  tried.kernel.over = 2;
  const Suffix suffix = suffix_of(kind);
  const auto step = [&](std::string name, Kind result_kind, Op op, Suffix of, std::vector<vcode::KernelVar> operands,
                        bool leaves) {
    return add_step(tried.kernel, std::move(name), result_kind, op, of, std::move(operands), leaves);
  };
  const vcode::KernelVar x = 0, i = 1, s = 2, c = 3, f = 4;
  const auto p = step("p", kind, Op::kSelect, suffix, {f, x, x}, rng.chance(0.3));
  const auto d = step("d", Kind::kInt, Op::kDist, Suffix::kInt, {c, s}, false);
  const auto j = step("j", Kind::kInt, Op::kAdd, Suffix::kInt, {i, d}, rng.chance(0.3));
  const auto k = step("k", Kind::kInt, Op::kSubtract, Suffix::kInt, {j, d}, false);
  step("t", kind, Op::kPermute, suffix, {p, rng.chance(0.7) ? k : i, s}, true);
  if (rng.chance(0.5)) step("u", Kind::kInt, Op::kPermute, Suffix::kInt, {j, rng.chance(0.5) ? k : i, s}, true);
  if (rng.chance(0.3)) step("v", Kind::kBool, Op::kPermute, Suffix::kBool, {f, k, s}, true);
  if (rng.chance(0.3)) step("sum", Kind::kInt, Op::kSumReduce, Suffix::kInt, {j, s}, true);
  if (rng.chance(0.3)) {
    const auto before = step("before", Kind::kInt, Op::kSumScan, Suffix::kInt, {j, s}, rng.chance(0.5));
    step("w", Kind::kInt, Op::kPermute, Suffix::kInt, {before, k, s}, true);
  }
  const std::int64_t n = cut.elements();
  HostVector places(widths.int_type, n);
  const bool reversed = rng.chance(0.3);
  std::int64_t start = 0;
  for (const std::int64_t length : cut.lengths) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    if (reversed) std::reverse(order.begin(), order.end());
    for (std::int64_t e = length - 1; e > 0 && !reversed; --e)
      std::swap(order[static_cast<std::size_t>(e)], order[static_cast<std::size_t>(rng.below(e + 1))]);
    for (std::int64_t e = 0; e < length; ++e) set_int(places, start + e, order[static_cast<std::size_t>(e)]);
    start += length;
  }
  if (n > 0 && rng.chance(0.2)) set_int(places, rng.below(n), std::array<std::int64_t, 3>{-1, n, 0}[rng.below(3)]);
  HostVector data(widths.of(kind), n);
  with_type(data.type, [&]<class T>() {
    for (T& element : data.as<T>()) element = static_cast<T>(rng.below(2));
  });
  HostVector added(widths.int_type, cut.segments());
  for (std::int64_t e = 0; e < cut.segments(); ++e) set_int(added, e, rng.below(9));
  tried.inputs = {{false, data, {}},
                  {false, places, {}},
                  {true, {}, cut.lengths},
                  {false, added, {}},
                  {false, random_flags(n, 0.5, rng), {}}};
  return tried;
}

KernelCase dividing_case(vcode::Widths widths, std::int64_t n, const Segmentation& cut, std::int64_t k, Rng& rng) {
  using vcode::Kind;
  using vcode::Suffix;
  KernelCase tried;
  const HostVector special = special_values(widths.int_type), special_floats = special_values(widths.float_type);
  tried.kernel.values = {
      {"x", Kind::kInt}, {"s", Kind::kSegdes}, {"c", Kind::kInt}, {"y", Kind::kFloat}, {"f", Kind::kFloat}};
  tried.kernel.input_count = 5;
  tried.kernel.over = 1;
  const auto step = [&](std::string name, Op op, Suffix suffix, std::vector<vcode::KernelVar> operands, bool leaves) {
    const Kind kind = suffix == Suffix::kFloat ? Kind::kFloat : Kind::kInt;
    return add_step(tried.kernel, std::move(name), kind, op, suffix, std::move(operands), leaves);
  };
  const vcode::KernelVar x = 0, s = 1, c = 2, y = 3, f = 4;
  const auto d = step("d", Op::kDist, Suffix::kInt, {c, s}, false);
  const auto q = step("q", Op::kDivide, Suffix::kInt, {x, d}, true);
  step("r", Op::kRemainder, Suffix::kNone, {x, d}, true);
  const auto qr = step("qr", Op::kRemainder, Suffix::kNone, {q, d}, false);
  step("sum", Op::kSumReduce, Suffix::kInt, {qr, s}, true);
  const auto e = step("e", Op::kDist, Suffix::kFloat, {f, s}, false);
  step("yq", Op::kDivide, Suffix::kFloat, {y, e}, true);
  tried.inputs = {{false, any_values(widths.int_type, n, rng), {}}, {true, {}, cut.lengths}};
  const auto segments = static_cast<std::int64_t>(cut.lengths.size());
  HostVector divisors(widths.int_type, segments), fractions = any_values(widths.float_type, segments, rng);
  visit_type(widths.float_type, [&]<class F>() {
    if (segments > 0)
      fractions.as<F>()[0] = special_floats.as<F>()[static_cast<std::size_t>(5 * k % special_floats.length)];
  });
  with_int(widths.int_type, [&]<class I>() {
    for (I& divisor : divisors.as<I>()) divisor = special.as<I>()[static_cast<std::size_t>(k++ % special.length)];
    tried.title = fmt::format("{} elements by {}, {}", n, divisors.length > 0 ? divisors.as<I>()[0] : 0, cut.name);
  });
  tried.inputs.push_back({false, divisors, {}});
  tried.inputs.push_back({false, any_values(widths.float_type, n, rng), {}});
  tried.inputs.push_back({false, std::move(fractions), {}});
  return tried;
}

}  // namespace cvl::conformance
