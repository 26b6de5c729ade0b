#include "kernels/chosen_kernels.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "cvl/dispatch.h"
#include "int_vectors.h"
#include "kernels/kernel_steps.h"

namespace cvl::conformance {

using vcode::ElemType;
using vcode::Op;

KernelCase gathering_case(vcode::Kind kind, vcode::Widths widths, std::int64_t n, std::int64_t table_length, Rng& rng) {
  using vcode::Kind;
  using vcode::Suffix;
  const Suffix suffix = suffix_of(kind);
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
  } else if (kind == Kind::kByte) {
    const auto numbers = step("numbers", Kind::kInt, Op::kByteToInt, Suffix::kNone, {mixed}, rng.chance(0.5));
    step("sum", Kind::kInt, Op::kSumReduce, Suffix::kInt, {numbers, over}, true);
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
  const Suffix suffix = suffix_of(kind);
  const std::int64_t usual = rng.chance(0.4) ? 2 : 1;  // stride
  const std::int64_t n = cut.elements(), table_length = std::max<std::int64_t>(usual * n, 1);
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
  const KernelVar near_inside = is_inside("near_inside", near);
  leave(step("a", kind, Op::kBfpermute, suffix, {table, near, near_inside, t, one}));
  if (rng.chance(0.5)) leave(near_inside);
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
  const auto ints = [&](const std::vector<std::int64_t>& numbers) { input(int_vector(widths.int_type, numbers)); };
  input(moderate_values(widths.of(kind), table_length, rng));
  descriptor({table_length});
  input(random_flags(n, rng.chance(0.5) ? 1 : 0.9, rng));
  descriptor(cut.lengths);
  ints({table_length});
  std::vector<std::int64_t> starts, strides;
  std::int64_t begin = 0;
  for (const std::int64_t of_segment : cut.lengths) {
    strides.push_back(in_order || rng.chance(0.9) ? usual : rng.below(4) - 1);
    starts.push_back(in_order || rng.chance(0.9) ? usual * begin : rng.below(table_length));
    begin += of_segment;
  }
  ints(starts);
  ints(strides);
  const std::int64_t largest = widths.int_type == ElemType::kI64 ? INT64_MAX : INT32_MAX;
  ints({rng.chance(0.1) ? largest - rng.below(3) : rng.below(5) - 2});  // sums overflow
  descriptor({n});
  return tried;
}

KernelCase coarse_case(vcode::Kind kind, vcode::Widths widths, const Segmentation& fine, Rng& rng) {
  using vcode::KernelVar;
  using vcode::Kind;
  using vcode::Suffix;
  const Suffix suffix = suffix_of(kind);
  KernelCase tried;
  tried.title = fmt::format("coarse segments, {}", fine.name);
  vcode::Kernel& kernel = tried.kernel;
  kernel.values = {{"x", kind},           {"s", Kind::kSegdes},   {"u", Kind::kSegdes}, {"table", kind},
                   {"t", Kind::kSegdes},  {"i", Kind::kInt},      {"each", kind},       {"all", kind},
                   {"first", Kind::kInt}, {"stride", Kind::kInt}, {"from", Kind::kInt}, {"parts", kind}};
  kernel.input_count = 12;
  kernel.over = 1;
  const KernelVar x = 0, s = 1, u = 2, table = 3, t = 4, i = 5, each = 6, all = 7, first = 8, stride = 9, from = 10,
                  parts = 11;
  const auto step = [&](std::string name, Kind result_kind, Op op, Suffix of, std::vector<KernelVar> operands,
                        bool leaves) {
    return add_step(kernel, std::move(name), result_kind, op, of, std::move(operands), leaves);
  };
  const KernelVar gathered = step("gathered", kind, Op::kBpermute, suffix, {table, i, t, u}, rng.chance(0.5));
  const KernelVar of_each = step("of_each", kind, Op::kDist, suffix, {each, s}, rng.chance(0.3));
  const KernelVar of_all = step("of_all", kind, Op::kDist, suffix, {all, u}, rng.chance(0.3));
  const KernelVar part = step("part", kind, Op::kSlice, suffix, {parts, from, u}, rng.chance(0.3));
  step("index", Kind::kInt, Op::kIndex, Suffix::kNone, {first, stride, u}, true);
  const Op both = kind == Kind::kBool ? Op::kXor : Op::kAdd;
  const KernelVar a = step("a", kind, both, suffix, {gathered, of_each}, false);
  const KernelVar b = step("b", kind, both, suffix, {of_all, part}, false);
  const KernelVar c = step("c", kind, both, suffix, {a, b}, true);
  const KernelVar d = step("d", kind, both, suffix, {c, x}, true);
  if (kind != Kind::kBool) step("most", kind, Op::kMaxReduce, suffix, {d, s}, true);

  std::vector<std::int64_t> coarse, tables;  // lengths
  std::int64_t left = 0;
  for (const std::int64_t length : fine.lengths) {
    if (left == 0) {
      left = 1 + rng.below(4);
      coarse.push_back(0);
      tables.push_back(1 + rng.below(5));
    }
    coarse.back() += length;
    --left;
  }
  if (coarse.size() > 1 && rng.chance(0.2) && coarse.back() > 0) {  // not segments of `fine`
    --coarse.back();
    ++coarse.front();
  }
  const std::int64_t n = fine.elements();
  const auto input = [&](const HostVector& vector) { tried.inputs.push_back({false, vector, {}}); };
  const auto ints = [&](const std::vector<std::int64_t>& numbers) { input(int_vector(widths.int_type, numbers)); };
  const auto random = [&](std::int64_t least, std::int64_t count) {
    std::vector<std::int64_t> numbers(coarse.size());
    for (std::int64_t& number : numbers) number = least + rng.below(count);
    return numbers;
  };
  input(moderate_values(widths.of(kind), n, rng));
  tried.inputs.push_back({true, {}, fine.lengths});
  tried.inputs.push_back({true, {}, coarse});
  input(moderate_values(widths.of(kind), std::accumulate(tables.begin(), tables.end(), std::int64_t{0}), rng));
  tried.inputs.push_back({true, {}, tables});
  std::vector<std::int64_t> indices;
  for (std::size_t k = 0; k < coarse.size(); ++k)
    for (std::int64_t e = 0; e < coarse[k]; ++e) indices.push_back(rng.below(tables[k]));
  if (!indices.empty() && rng.chance(0.1)) indices[static_cast<std::size_t>(rng.below(n))] = 5;
  ints(indices);
  input(moderate_values(widths.of(kind), std::ssize(fine.lengths), rng));
  input(moderate_values(widths.of(kind), std::ssize(coarse), rng));
  ints(random(0, 100));
  ints(random(-2, 5));
  ints(random(0, 3));
  input(moderate_values(widths.of(kind), n + 3, rng));
  return tried;
}

KernelCase slicing_case(vcode::Kind kind, vcode::Widths widths, const Segmentation& cut, bool at_fault, Rng& rng) {
  using vcode::KernelVar;
  using vcode::Kind;
  using vcode::Suffix;
  const Suffix suffix = suffix_of(kind);
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
