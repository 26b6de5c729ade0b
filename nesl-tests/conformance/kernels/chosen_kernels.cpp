#include "kernels/chosen_kernels.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cvl/dispatch.h"

namespace cvl::conformance {

using vcode::ElemType;

KernelCase folding_case(vcode::Suffix suffix, ElemType type, std::int64_t n, const Segmentation& cut, Rng& rng) {
  using vcode::Kind;
  using vcode::Op;
  KernelCase tried;
  tried.title = fmt::format("folds, {} elements, {}", n, cut.name);
  const Kind kind = vcode::suffix_kind(suffix);
  tried.kernel.values = {{"x", kind}, {"y", kind}, {"s", Kind::kSegdes}, {"c", kind}};
  tried.kernel.input_count = 4;
  tried.kernel.over = 2;
  const auto step = [&](std::string name, Op op, std::vector<vcode::KernelVar> operands, bool leaves) {
    const auto result = static_cast<vcode::KernelVar>(tried.kernel.values.size());
    tried.kernel.values.push_back({std::move(name), kind});
    tried.kernel.steps.push_back({.op = op, .suffix = suffix, .operands = std::move(operands), .results = {result}});
    if (leaves) tried.kernel.outputs.push_back(result);
    return result;
  };
  const vcode::KernelVar x = 0, y = 1, s = 2, c = 3;
  const auto d = step("d", Op::kDist, {c, s}, false);
  const auto p = step("p", Op::kMultiply, {x, x}, rng.chance(0.5));
  step("sum_p", Op::kSumReduce, {p, s}, true);
  step("max_p", Op::kMaxReduce, {p, s}, true);
  step("min_x", Op::kMinReduce, {x, s}, true);
  const auto q = step("q", Op::kSubtract, {y, p}, rng.chance(0.5));
  const auto r = step("r", Op::kAdd, {q, d}, rng.chance(0.5));
  step("sum_r", Op::kSumReduce, {r, s}, true);
  if (rng.chance(0.5)) {
    const auto before = step("before", Op::kSumScan, {r, s}, rng.chance(0.5));
    const auto t = step("t", Op::kAdd, {before, r}, rng.chance(0.5));
    step("max_t", Op::kMaxReduce, {t, s}, true);
    step("highest", Op::kMaxScan, {x, s}, true);
  }
  if (rng.chance(0.5)) step("dd", Op::kMultiply, {d, d}, true);
  for (int k = 0; k < 2; ++k) {
    HostVector small(type, n);
    with_number(type, [&]<class T>() {
      for (T& element : small.as<T>()) element = static_cast<T>(rng.below(4) - 1);
    });
    tried.inputs.push_back({false, small, {}});
  }
  tried.inputs.push_back({true, {}, cut.lengths});
  HostVector each(type, static_cast<std::int64_t>(cut.lengths.size()));
  with_number(type, [&]<class T>() { std::fill(each.as<T>().begin(), each.as<T>().end(), T{2}); });
  tried.inputs.push_back({false, each, {}});
  return tried;
}

KernelCase gathering_case(vcode::Kind kind, vcode::Widths widths, std::int64_t n, std::int64_t table_length, Rng& rng) {
  using vcode::Kind;
  using vcode::Suffix;
  const Suffix suffix = kind == Kind::kInt ? Suffix::kInt : kind == Kind::kFloat ? Suffix::kFloat : Suffix::kBool;
  KernelCase tried;
  tried.title = fmt::format("gathers of {} from {}", n, table_length);
  vcode::Kernel& kernel = tried.kernel;
  kernel.values = {{"table", kind},       {"order", Kind::kInt}, {"t", Kind::kSegdes},   {"i", Kind::kInt},
                   {"f", Kind::kBool},    {"s", Kind::kSegdes},  {"length", Kind::kInt}, {"parts", Kind::kSegdes},
                   {"first", Kind::kInt}, {"stride", Kind::kInt}};
  kernel.input_count = 10;
  kernel.over = 5;
  const auto step = [&](std::string name, Kind result_kind, Op op, Suffix of, std::vector<vcode::KernelVar> operands,
                        bool leaves) {
    const auto result = static_cast<vcode::KernelVar>(kernel.values.size());
    kernel.values.push_back({std::move(name), result_kind});
    kernel.steps.push_back({.op = op, .suffix = of, .operands = std::move(operands), .results = {result}});
    if (leaves) kernel.outputs.push_back(result);
    return result;
  };
  const vcode::KernelVar table = 0, order = 1, t = 2, i = 3, f = 4, s = 5, length = 6, parts = 7, first = 8, stride = 9;
  const auto l = step("l", Kind::kInt, Op::kDist, Suffix::kInt, {length, s}, false);
  const auto in_range = step("in_range", Kind::kBool, Op::kLess, Suffix::kInt, {i, l}, false);
  const auto wanted = step("wanted", Kind::kBool, Op::kAnd, Suffix::kBool, {in_range, f}, false);
  const auto r = step("r", Kind::kInt, Op::kIndex, Suffix::kNone, {first, stride, s}, rng.chance(0.2));
  const auto early = step("early", Kind::kBool, Op::kLess, Suffix::kInt, {r, l}, false);
  // Where the flag is false, the place may be anything.
  const auto place =
      step("place", Kind::kInt, Op::kBfpermute, Suffix::kInt, {order, i, in_range, t, s}, rng.chance(0.3));
  const auto a = step("a", kind, Op::kBfpermute, suffix, {table, i, wanted, t, s}, rng.chance(0.5));
  std::vector<vcode::KernelVar> gathered = {a};
  if (table_length > 0) {
    gathered.push_back(step("b", kind, Op::kBpermute, suffix, {table, place, t, s}, true));
    if (rng.chance(0.5)) gathered.push_back(step("c", kind, Op::kBpermute, suffix, {table, place, t, s}, true));
    if (rng.chance(0.2)) step("d", kind, Op::kBpermute, suffix, {table, i, t, s}, true);  // mostly a fault
  }
  const auto mixed =
      step("mixed", kind, Op::kSelect, suffix, {early, gathered.front(), gathered.back()}, rng.chance(0.5));
  const vcode::KernelVar over = rng.chance(0.5) ? s : parts;
  if (kind == Kind::kBool) {
    step("all", kind, Op::kAndReduce, suffix, {mixed, over}, true);
  } else {
    step("most", kind, Op::kMaxReduce, suffix, {mixed, over}, true);
    if (rng.chance(0.5)) step("least", kind, Op::kMinScan, suffix, {mixed, over}, true);
  }
  const auto input = [&](const HostVector& vector) { tried.inputs.push_back({false, vector, {}}); };
  HostVector elements(widths.of(kind), table_length), places(widths.int_type, table_length),
      indices(widths.int_type, n), flags(ElemType::kB8, n), bound(widths.int_type, 1);
  with_type(elements.type, [&]<class T>() {
    for (T& x : elements.as<T>()) x = static_cast<T>(rng.below(2) != 0 ? 1 : 0);
  });
  with_int(widths.int_type, [&]<class I>() {
    for (I& x : places.as<I>()) x = static_cast<I>(rng.below(table_length));
    const std::int64_t beyond = rng.chance(0.5) ? 3 : 0;  // flags are false there
    for (I& x : indices.as<I>()) x = static_cast<I>(rng.below(table_length + beyond));
    bound.as<I>()[0] = static_cast<I>(table_length);
    if (n > 0 && rng.chance(0.1)) indices.as<I>()[static_cast<std::size_t>(rng.below(n))] = static_cast<I>(-1);
  });
  for (bool& flag : flags.as<bool>()) flag = rng.chance(0.5);
  input(elements);
  input(places);
  tried.inputs.push_back({true, {}, {table_length}});
  input(indices);
  input(flags);
  tried.inputs.push_back({true, {}, {n}});
  input(bound);
  std::vector<std::int64_t> lengths;
  for (std::int64_t left = n; left > 0; left -= lengths.back())
    lengths.push_back(std::min<std::int64_t>(left, rng.below(20)));
  tried.inputs.push_back({true, {}, lengths});
  for (int k = 0; k < 2; ++k) {
    with_int(widths.int_type, [&]<class I>() { bound.as<I>()[0] = static_cast<I>(rng.below(7) - 3); });
    input(bound);
  }
  return tried;
}

}  // namespace cvl::conformance
