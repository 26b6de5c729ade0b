#include "range_calls.h"

#include <utility>

#include <fmt/format.h>

#include "int_vectors.h"

namespace cvl::conformance {

using vcode::OpInfo;

namespace {

Call slice_call(const OpInfo& row, const TypeVariant& variant, std::int64_t length, const Segmentation& to,
                const std::vector<std::int64_t>& starts, Rng& rng) {
  Call call;
  call.title = fmt::format("{} {} of {} elements to {}", row.text, variant.name, length, to.elements());
  call.operands = {any_values(variant.operands[0], length, rng), int_vector(variant.operands[1], starts)};
  call.segmentations = {to};
  call.results = {{variant.results[0], to.elements()}};
  call.issue = [](Backend& backend, const Placed& placed) {
    backend.set_site(kSite);
    backend.run(Slice{placed.operands[0], placed.operands[1], placed.descriptors[0], placed.results[0]});
  };
  return call;
}

/// Slices of a vector that is as long as all of them together, or twice as long, with random starts.
Call random_slice(const OpInfo& row, const TypeVariant& variant, const Segmentation& to, Rng& rng) {
  const std::int64_t length = to.elements() * (1 + rng.below(2));
  std::vector<std::int64_t> starts;
  std::int64_t last = 0;
  const std::int64_t pattern = rng.below(3);
  for (std::int64_t n : to.lengths) {
    const std::int64_t most = length - n;
    const std::int64_t next = pattern == 0 ? last : pattern == 1 ? most : rng.below(most + 1);
    starts.push_back(n == 0 && rng.chance(0.5) ? -5 : std::min(next, most));
    last += n;
  }
  return slice_call(row, variant, length, to, starts, rng);
}

/// A call of append() or merge() on the vectors `parts`.
Call join_call(const OpInfo& row, const TypeVariant& variant, std::size_t first, std::vector<Segmentation> parts,
               const Segmentation& to, Rng& rng) {
  Call call;
  call.title = fmt::format("{} {} of", row.text, variant.name);
  for (const Segmentation& part : parts) {
    call.title += fmt::format(" {}", part.elements());
    call.operands.push_back(any_values(variant.operands[first++], part.elements(), rng));
  }
  call.title += " elements";
  call.segmentations = std::move(parts);
  call.segmentations.push_back(to);
  call.results = {{variant.results[0], to.elements()}};
  return call;
}

template <int n>
Join<n> join_of(const Placed& placed) {
  Join<n> join;
  for (std::size_t p = 0; p < n; ++p) join.parts[p] = {placed.operands[p], placed.descriptors[p]};
  join.to = placed.descriptors[n];
  return join;
}

/// The number of vectors that APPEND or APPEND3 joins.
std::size_t parts_of(const OpInfo& row) { return row.op == vcode::Op::kAppend ? 2 : 3; }

Call append_call(const OpInfo& row, const TypeVariant& variant, std::vector<Segmentation> parts, Rng& rng) {
  Segmentation to = parts[0];
  for (std::size_t p = 1; p < parts.size(); ++p)
    for (std::size_t k = 0; k < to.lengths.size(); ++k) to.lengths[k] += parts[p].lengths[k];
  std::swap(parts[0], parts[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(parts.size())))]);
  Call call = join_call(row, variant, 0, std::move(parts), to, rng);
  call.issue = [n = parts_of(row)](Backend& backend, const Placed& placed) {
    backend.set_site(kSite);
    if (n == 3) return backend.run(Append{join_of<3>(placed), placed.results[0]});
    const auto& [two, all] = join_of<2>(placed);
    const JoinPart none = JoinPart::none(two[0].a.type, all.segments);
    backend.run(Append{{{{two[0], two[1], none}}, all}, placed.results[0]});
  };
  return call;
}

Call random_append(const OpInfo& row, const TypeVariant& variant, const Segmentation& of_a, Rng& rng) {
  std::vector<Segmentation> parts{of_a};
  while (parts.size() < parts_of(row)) parts.push_back(partner(of_a, 0.0, true, rng));
  return append_call(row, variant, std::move(parts), rng);
}

/// A merge of random segments, split by random flags.
Call random_merge(const OpInfo& row, const TypeVariant& variant, const Segmentation& to, Rng& rng) {
  constexpr double kDensities[] = {0.0, 0.01, 0.5, 0.99, 1.0};
  HostVector flags = random_flags(to.segments(), kDensities[rng.below(5)], rng);
  Segmentation parts[2];
  for (std::int64_t k = 0; k < to.segments(); ++k)
    parts[flags.as<bool>()[k]].lengths.push_back(to.lengths[static_cast<std::size_t>(k)]);
  Call call = join_call(row, variant, 1, {parts[1], parts[0]}, to, rng);
  call.operands.push_back(std::move(flags));
  call.issue = [](Backend& backend, const Placed& placed) {
    backend.set_site(kSite);
    backend.run(Merge{placed.operands[2], join_of<2>(placed), placed.results[0]});
  };
  return call;
}

/// One segment for each element, as in the operands of MERGE.
Segmentation single_elements(std::int64_t length) {
  return {"single elements", std::vector<std::int64_t>(static_cast<std::size_t>(length), 1)};
}

template <class Make>
void for_cuts(const OpInfo& row, const Sizes& sizes, Rng& rng, Make&& make) {
  for (std::int64_t length : sizes.lengths) {
    if (row.op == vcode::Op::kMerge)
      make(single_elements(length));
    else
      for (const Segmentation& cut : sizes.cuts(length, rng)) make(cut);
  }
}

/// Moves an element of the result from one segment to another, twice.
void spoil_lengths(const Call& good, Rng& rng, const CallSink& sink) {
  const auto segments = static_cast<std::int64_t>(good.segmentations.back().lengths.size());
  if (segments < 2) return;
  for (int attempt = 0; attempt < 3; ++attempt) {
    Call bad = good;
    std::vector<std::int64_t>& lengths = bad.segmentations.back().lengths;
    for (int moves = 0; moves < 2; ++moves) {
      const auto from = static_cast<std::size_t>(rng.below(segments)),
                 to = static_cast<std::size_t>(rng.below(segments));
      if (lengths[from] == 0) continue;
      --lengths[from];
      ++lengths[to];
    }
    if (lengths != good.segmentations.back().lengths) sink(bad);
  }
}

}  // namespace

void slice_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for_cuts(row, sizes, rng, [&](const Segmentation& to) { sink(random_slice(row, variant, to, rng)); });
}

void bad_slices(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for_cuts(row, sizes, rng, [&](const Segmentation& to) {
    const Call good = random_slice(row, variant, to, rng);
    const std::int64_t length = good.operands[0].length;
    for (std::int64_t place : interesting_places(nullptr, to.segments())) {
      const std::int64_t n = to.lengths[static_cast<std::size_t>(place)];
      if (n == 0) continue;
      for (std::int64_t start : {std::int64_t{-1}, length - n + 1, length, std::int64_t{0x7FFFFFF0}}) {
        Call bad = good;
        set_int(bad.operands[1], place, start);
        sink(bad);
      }
    }
  });
}

void append_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for_cuts(row, sizes, rng, [&](const Segmentation& of_a) { sink(random_append(row, variant, of_a, rng)); });
  for (std::int64_t length : sizes.lengths) {
    sink(append_call(row, variant, std::vector(parts_of(row), single_elements(length)), rng));
    // A long block that goes to a few bytes behind the place that it has in its page.
    std::vector<Segmentation> parts(parts_of(row), {"short", {3}});
    parts.back() = {"long", {length}};
    sink(append_call(row, variant, std::move(parts), rng));
  }
}

void bad_appends(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for_cuts(row, sizes, rng,
           [&](const Segmentation& of_a) { spoil_lengths(random_append(row, variant, of_a, rng), rng, sink); });
}

void merge_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for_cuts(row, sizes, rng, [&](const Segmentation& to) { sink(random_merge(row, variant, to, rng)); });
}

void bad_merges(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for_cuts(row, sizes, rng, [&](const Segmentation& to) {
    const Call good = random_merge(row, variant, to, rng);
    if (row.op != vcode::Op::kMerge) spoil_lengths(good, rng, sink);
    if (to.segments() == 0) return;
    Call bad = good;
    bool& flag = bad.operands[2].as<bool>()[static_cast<std::size_t>(rng.below(to.segments()))];
    flag = !flag;
    sink(bad);
  });
}

}  // namespace cvl::conformance
