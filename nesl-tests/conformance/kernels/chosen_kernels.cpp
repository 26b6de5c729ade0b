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

namespace cvl::conformance {

using vcode::ElemType;
using vcode::Op;

namespace {

/// Adds a step with a result of this name and kind, which is an output if it `leaves` the kernel.
vcode::KernelVar add_step(vcode::Kernel& kernel, std::string name, vcode::Kind kind, vcode::Op op, vcode::Suffix suffix,
                          std::vector<vcode::KernelVar> operands, bool leaves) {
  const auto result = static_cast<vcode::KernelVar>(kernel.values.size());
  kernel.values.push_back({std::move(name), kind});
  kernel.steps.push_back({.op = op, .suffix = suffix, .operands = std::move(operands), .results = {result}});
  if (leaves) kernel.outputs.push_back(result);
  return result;
}

}  // namespace

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
  HostVector data(kind == Kind::kInt ? widths.int_type : kind == Kind::kFloat ? widths.float_type : ElemType::kB8, n);
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
  const HostVector special = special_values(widths.int_type);
  tried.kernel.values = {{"x", Kind::kInt}, {"s", Kind::kSegdes}, {"c", Kind::kInt}};
  tried.kernel.input_count = 3;
  tried.kernel.over = 1;
  const auto step = [&](std::string name, Op op, Suffix suffix, std::vector<vcode::KernelVar> operands, bool leaves) {
    return add_step(tried.kernel, std::move(name), Kind::kInt, op, suffix, std::move(operands), leaves);
  };
  const vcode::KernelVar x = 0, s = 1, c = 2;
  const auto d = step("d", Op::kDist, Suffix::kInt, {c, s}, false);
  const auto q = step("q", Op::kDivide, Suffix::kInt, {x, d}, true);
  step("r", Op::kRemainder, Suffix::kNone, {x, d}, true);
  const auto qr = step("qr", Op::kRemainder, Suffix::kNone, {q, d}, false);
  step("sum", Op::kSumReduce, Suffix::kInt, {qr, s}, true);
  tried.inputs = {{false, any_values(widths.int_type, n, rng), {}}, {true, {}, cut.lengths}};
  HostVector divisors(widths.int_type, static_cast<std::int64_t>(cut.lengths.size()));
  with_int(widths.int_type, [&]<class I>() {
    for (I& divisor : divisors.as<I>()) divisor = special.as<I>()[static_cast<std::size_t>(k++ % special.length)];
    tried.title = fmt::format("{} elements by {}, {}", n, divisors.length > 0 ? divisors.as<I>()[0] : 0, cut.name);
  });
  tried.inputs.push_back({false, divisors, {}});
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
    return add_step(kernel, std::move(name), result_kind, op, of, std::move(operands), leaves);
  };
  const vcode::KernelVar table = 0, order = 1, t = 2, i = 3, f = 4, s = 5, length = 6, parts = 7, first = 8, stride = 9;
  const auto l = step("l", Kind::kInt, Op::kDist, Suffix::kInt, {length, s}, false);
  const auto in_range = step("in_range", Kind::kBool, Op::kLess, Suffix::kInt, {i, l}, false);
  const auto wanted = step("wanted", Kind::kBool, Op::kAnd, Suffix::kBool, {in_range, f}, false);
  const auto r = step("r", Kind::kInt, Op::kIndex, Suffix::kNone, {first, stride, s}, rng.chance(0.2));
  const auto early = step("early", Kind::kBool, Op::kLess, Suffix::kInt, {r, l}, false);
  // Where the flag is false, the index may be anything.
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

KernelCase neighbours_case(vcode::Kind kind, vcode::Widths widths, const Segmentation& cut, Rng& rng) {
  using vcode::KernelVar;
  using vcode::Kind;
  using vcode::Suffix;
  const Suffix suffix = kind == Kind::kInt ? Suffix::kInt : kind == Kind::kFloat ? Suffix::kFloat : Suffix::kBool;
  const std::int64_t n = cut.elements(), table_length = std::max<std::int64_t>(n, 1);
  KernelCase tried;
  tried.title = fmt::format("neighbours of {}, {}", n, cut.name);
  vcode::Kernel& kernel = tried.kernel;
  kernel.values = {{"table", kind},        {"t", Kind::kSegdes},     {"f", Kind::kBool},
                   {"s", Kind::kSegdes},   {"length", Kind::kInt},   {"first", Kind::kInt},
                   {"stride", Kind::kInt}, {"distance", Kind::kInt}, {"one", Kind::kSegdes}};
  kernel.input_count = 9;
  kernel.over = 3;
  const KernelVar table = 0, t = 1, f = 2, s = 3, length = 4, first = 5, stride = 6, distance = 7, one = 8;
  const auto step = [&](std::string name, Kind result_kind, Op op, Suffix of, std::vector<KernelVar> operands) {
    return add_step(kernel, std::move(name), result_kind, op, of, std::move(operands), false);
  };
  const auto leave = [&](KernelVar v) { kernel.outputs.push_back(v); };
  const KernelVar here = step("here", Kind::kInt, Op::kIndex, Suffix::kNone, {first, stride, s});
  const KernelVar by = step("by", Kind::kInt, Op::kDist, Suffix::kInt, {distance, one});
  const Op shift = rng.chance(0.5) ? Op::kAdd : Op::kSubtract;
  const KernelVar near = step("near", Kind::kInt, shift, Suffix::kInt, {here, by});
  const KernelVar end = step("end", Kind::kInt, Op::kDist, Suffix::kInt, {length, one});
  const KernelVar none = step("none", Kind::kInt, Op::kSubtract, Suffix::kInt, {by, by});
  const auto is_inside = [&](const char* name, KernelVar place) {
    const std::string low = std::string(name) + "_low", high = std::string(name) + "_high";
    return step(name, Kind::kBool, Op::kAnd, Suffix::kBool,
                {step(low, Kind::kBool, Op::kLessEqual, Suffix::kInt, {none, place}),
                 step(high, Kind::kBool, Op::kLess, Suffix::kInt, {place, end})});
  };
  leave(step("a", kind, Op::kBfpermute, suffix, {table, near, is_inside("near_inside", near), t, one}));
  const KernelVar wanted = step("wanted", Kind::kBool, Op::kAnd, Suffix::kBool, {is_inside("here_inside", here), f});
  leave(step("b", kind, Op::kBfpermute, suffix, {table, here, wanted, t, one}));
  const auto gather_inside = [&](const char* name, KernelVar place) {
    const std::string inside = std::string(name) + "_inside";
    leave(step(name, kind, Op::kBfpermute, suffix, {table, place, is_inside(inside.c_str(), place), t, one}));
  };
  if (rng.chance(0.5)) gather_inside("same", by);
  if (rng.chance(0.5)) gather_inside("down", step("back", Kind::kInt, Op::kSubtract, Suffix::kInt, {end, here}));
  if (rng.chance(0.5)) {
    const KernelVar before = step("before", Kind::kBool, Op::kLess, Suffix::kInt, {here, by});
    gather_inside("chosen", step("either", Kind::kInt, Op::kSelect, Suffix::kInt, {before, by, near}));
  }
  if (rng.chance(0.5)) {  // all but two elements
    const auto differs = [&](const char* name, KernelVar from) {
      return step(name, Kind::kBool, Op::kNotEqual, Suffix::kInt, {here, from});
    };
    const KernelVar is_end = step("is_end", Kind::kBool, Op::kNot, Suffix::kBool, {differs("is_before_end", end)});
    const KernelVar other = step("other", Kind::kBool, Op::kNot, Suffix::kBool, {differs("is_other", by)});
    const KernelVar is_one = step("is_one", Kind::kBool, Op::kOr, Suffix::kBool, {is_end, other});
    const KernelVar is_none = step("is_none", Kind::kBool, Op::kNot, Suffix::kBool, {is_one});
    const KernelVar read =
        step("read", Kind::kBool, Op::kAnd, Suffix::kBool, {is_none, is_inside("next_inside", near)});
    leave(step("beside", kind, Op::kBfpermute, suffix, {table, near, read, t, one}));
  }
  if (rng.chance(0.5)) {  // a rotation
    const KernelVar ends =
        step("ends", Kind::kBool, rng.chance(0.5) ? Op::kLess : Op::kGreaterEqual, Suffix::kInt, {near, end});
    const KernelVar again = step("again", Kind::kInt, Op::kSubtract, Suffix::kInt, {near, end});
    gather_inside("rotated", step("rotate", Kind::kInt, Op::kSelect, Suffix::kInt, {ends, near, again}));
  }
  if (rng.chance(0.5)) gather_inside("turned", step("round", Kind::kInt, Op::kRemainder, Suffix::kNone, {near, end}));
  const bool in_order = rng.chance(0.6);
  if (rng.chance(0.1)) leave(step("c", kind, Op::kBfpermute, suffix, {table, near, f, t, one}));  // mostly a fault
  if (rng.chance(in_order ? 0.5 : 0.1)) leave(step("d", kind, Op::kBpermute, suffix, {table, here, t, one}));

  const auto input = [&](const HostVector& vector) { tried.inputs.push_back({false, vector, {}}); };
  const auto descriptor = [&](const std::vector<std::int64_t>& lengths) {
    tried.inputs.push_back({true, {}, lengths});
  };
  const auto ints = [&](const std::vector<std::int64_t>& numbers) {
    HostVector vector(widths.int_type, std::ssize(numbers));
    with_int(widths.int_type, [&]<class I>() {
      std::transform(numbers.begin(), numbers.end(), vector.as<I>().begin(), [](auto x) { return static_cast<I>(x); });
    });
    input(vector);
  };
  input(moderate_values(widths.of(kind), table_length, rng));
  descriptor({table_length});
  input(random_flags(n, rng.chance(0.5) ? 1 : 0.9, rng));
  descriptor(cut.lengths);
  ints({table_length});
  std::vector<std::int64_t> starts, strides;
  std::int64_t begin = 0;
  for (const std::int64_t of_segment : cut.lengths) {
    strides.push_back(in_order || rng.chance(0.9) ? 1 : rng.below(4) - 1);
    starts.push_back(in_order || rng.chance(0.9) ? begin : rng.below(table_length));
    begin += of_segment;
  }
  ints(starts);
  ints(strides);
  const std::int64_t largest = widths.int_type == ElemType::kI64 ? INT64_MAX : INT32_MAX;
  ints({rng.chance(0.1) ? largest - rng.below(3) : rng.below(5) - 2});  // sums overflow
  descriptor({n});
  return tried;
}

KernelCase slicing_case(vcode::Kind kind, vcode::Widths widths, const Segmentation& cut, bool at_fault, Rng& rng) {
  using vcode::KernelVar;
  using vcode::Kind;
  using vcode::Suffix;
  const Suffix suffix = kind == Kind::kInt ? Suffix::kInt : kind == Kind::kFloat ? Suffix::kFloat : Suffix::kBool;
  KernelCase tried;
  tried.title = fmt::format("slices, {}{}", cut.name, at_fault ? ", one out of range" : "");
  vcode::Kernel& kernel = tried.kernel;
  kernel.values = {
      {"table", kind}, {"first", Kind::kInt}, {"second", Kind::kInt}, {"f", Kind::kBool}, {"s", Kind::kSegdes}};
  kernel.input_count = 5;
  kernel.over = 4;
  const KernelVar table = 0, first = 1, second = 2, f = 3, s = 4;
  const auto step = [&](std::string name, Op op, std::vector<KernelVar> operands, bool leaves) {
    return add_step(kernel, std::move(name), kind, op, suffix, std::move(operands), leaves);
  };
  const bool is_bool = kind == Kind::kBool;
  const auto a = step("a", Op::kSlice, {table, first, s}, rng.chance(0.5));
  const auto b = step("b", Op::kSlice, {table, second, s}, false);
  step("mixed", Op::kSelect, {f, a, b}, true);
  step("fold", is_bool ? Op::kAndReduce : Op::kMaxReduce, {b, s}, true);
  const auto before = step("before", is_bool ? Op::kOrScan : Op::kMinScan, {a, s}, false);
  step("later", Op::kSelect, {f, before, b}, true);

  const auto segments = std::ssize(cut.lengths);
  const std::int64_t longest = segments == 0 ? 0 : *std::max_element(cut.lengths.begin(), cut.lengths.end());
  const std::int64_t length = longest + rng.below(2 * longest + 20);
  tried.inputs.push_back({false, moderate_values(widths.of(kind), length, rng), {}});
  for (int k = 0; k < 2; ++k) {
    HostVector starts(widths.int_type, segments);
    with_int(widths.int_type, [&]<class I>() {
      for (std::size_t j = 0; j < cut.lengths.size(); ++j)
        starts.as<I>()[j] = static_cast<I>(rng.below(length - cut.lengths[j] + 1));
      const auto at = at_fault && k == 1 ? static_cast<std::size_t>(rng.below(segments)) : cut.lengths.size();
      if (at < cut.lengths.size())
        starts.as<I>()[at] = static_cast<I>(rng.chance(0.5) ? -1 - rng.below(3) : length - cut.lengths[at] + 1);
    });
    tried.inputs.push_back({false, starts, {}});
  }
  tried.inputs.push_back({false, random_flags(cut.elements(), 0.5, rng), {}});
  tried.inputs.push_back({true, {}, cut.lengths});
  return tried;
}

}  // namespace cvl::conformance
