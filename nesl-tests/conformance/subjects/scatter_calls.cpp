#include "scatter_calls.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "int_vectors.h"

namespace cvl::conformance {

using vcode::OpClass;
using vcode::OpInfo;

std::int64_t ignored_index(Rng& rng) {
  constexpr std::int64_t kWild[] = {-1, 0, 1000000000, -1000000000, 0x7FFFFFFF};
  return kWild[rng.below(5)];
}

std::vector<std::int64_t> bounds_of(const Segmentation& segments, const Segmentation& other) {
  std::vector<std::int64_t> bounds;
  for (std::size_t k = 0; k < segments.lengths.size(); ++k)
    bounds.insert(bounds.end(), static_cast<std::size_t>(segments.lengths[k]), other.lengths[k]);
  return bounds;
}

void spoil_indices(const Call& good, const HostVector* flags, const std::vector<std::int64_t>& bounds, Rng& rng,
                   const CallSink& sink) {
  const std::int64_t n = good.operands[1].length;
  for (std::int64_t place : interesting_places(flags, n)) {
    for (std::int64_t index : {std::int64_t{-1}, bounds[place], std::int64_t{0x7FFFFFFF}}) {
      if (n > 20000 && index != bounds[place]) continue;
      Call bad = good;
      set_int(bad.operands[1], place, index);
      std::int64_t later = place + rng.below(n - place);
      if (later > place) set_int(bad.operands[1], later, -5);
      sink(bad);
    }
  }
}

namespace {

/// `count` different numbers below `bound`, in an order that is ascending, descending or random.
std::vector<std::int64_t> distinct_indices(std::int64_t count, std::int64_t bound, Rng& rng) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(bound));
  std::iota(all.begin(), all.end(), 0);
  const std::int64_t order = rng.below(4);
  if (order == 0) std::reverse(all.begin(), all.end());
  if (order > 1)
    for (std::int64_t k = 0; k < count; ++k) std::swap(all[k], all[k + rng.below(bound - k)]);
  all.resize(static_cast<std::size_t>(count));
  return all;
}

/// Elements of a scatter or, for a combining permutation, elements that are combined with the same result in any order.
HostVector elements(const OpInfo& row, ElemType type, std::int64_t length, Rng& rng) {
  return row.op_class == OpClass::kAccumulate ? associative_values(row.monoid, type, length, rng)
                                              : any_values(type, length, rng);
}

Call scatter_call(const OpInfo& row, const TypeVariant& variant, Family family, const Segmentation& from,
                  const Segmentation& to, const std::vector<std::int64_t>& indices, HostVector flags, Rng& rng) {
  Call call;
  const std::int64_t n = from.elements();
  call.title = fmt::format("{} {} of {} elements", row.text, variant.name, n);
  call.operands = {elements(row, variant.operands[0], n, rng), int_vector(variant.operands[1], indices)};
  if (family.flags) call.operands.push_back(std::move(flags));
  if (family.defaults) {
    call.reusable = {static_cast<int>(call.operands.size())};
    call.operands.push_back(elements(row, variant.operands[0], to.elements(), rng));
  }
  call.segmentations = {from, to};
  call.results = {{variant.results[0], to.elements()}};
  if (row.op_class == OpClass::kAccumulate) {
    const bool is_float = variant.results[0] == ElemType::kF32 || variant.results[0] == ElemType::kF64;
    call.agreement.kind = is_float ? Agreement::Kind::kValue : Agreement::Kind::kBits;
    call.issue = [monoid = row.monoid](Backend& backend, const Placed& placed) {
      const std::vector<Operand>& o = placed.operands;
      backend.set_site(kSite);
      backend.run(
          Accumulate{monoid, o[0], o[1], o[2], placed.descriptors[0], placed.descriptors[1], placed.results[0]});
    };
    return call;
  }
  call.issue = [family](Backend& backend, const Placed& placed) {
    Scatter scatter{placed.operands[0],    placed.operands[1], {}, {}, placed.descriptors[0],
                    placed.descriptors[1], placed.results[0]};
    if (family.flags) scatter.flags = placed.operands[2];
    if (family.defaults) scatter.defaults = placed.operands.back();
    backend.set_site(kSite);
    backend.run(scatter);
  };
  return call;
}

Call random_scatter(const OpInfo& row, const TypeVariant& variant, Family family, const Segmentation& from, Rng& rng) {
  const bool whole = !family.flags && !family.defaults;
  const Segmentation to = whole ? from : partner(from, family.defaults ? 0.01 : 1.0, family.flags, rng);
  constexpr double kDensities[] = {0.0, 0.1, 0.5, 0.9, 1.0};
  HostVector flags = random_flags(from.elements(), kDensities[rng.below(5)], rng);
  // Elements with one place are combined in memory that several threads write to.
  const bool to_one_place = row.op_class == OpClass::kAccumulate && rng.chance(0.2);
  std::vector<std::int64_t> indices;
  indices.reserve(static_cast<std::size_t>(from.elements()));
  for (std::size_t k = 0; k < from.lengths.size(); ++k) {
    std::int64_t n = from.lengths[k], bound = to.lengths[k];
    std::vector<std::int64_t> targets = family.defaults ? std::vector<std::int64_t>() : distinct_indices(n, bound, rng);
    for (std::int64_t j = 0; j < n; ++j) {
      bool used = !family.flags || flags.as<bool>()[indices.size()];
      indices.push_back(!used             ? ignored_index(rng)
                        : to_one_place    ? bound - 1
                        : family.defaults ? rng.below(bound)
                                          : targets[j]);
    }
  }
  return scatter_call(row, variant, family, from, to, indices, std::move(flags), rng);
}

/// The sources and indices of a random scatter over defaults, for LATEST.
Call random_latest(const OpInfo& row, const TypeVariant& variant, const Segmentation& from, Rng& rng) {
  Call call = random_scatter(row, variant, {.flags = false, .defaults = true}, from, rng);
  call.operands.pop_back();
  call.reusable = {};
  call.results = {{variant.results[0], from.elements()}};
  call.rooms = {{variant.results[0], call.segmentations[1].elements()}};
  call.issue = [](Backend& backend, const Placed& placed) {
    backend.set_site(kSite);
    backend.run(Latest{placed.operands[0], placed.operands[1], placed.descriptors[0], placed.descriptors[1],
                       placed.rooms[0], placed.results[0]});
  };
  return call;
}

}  // namespace

void scatter_calls(const OpInfo& row, const TypeVariant& variant, Family family, const Sizes& sizes, Rng& rng,
                   const CallSink& sink) {
  for (std::int64_t length : sizes.lengths)
    for (const Segmentation& from : sizes.cuts(length, rng)) sink(random_scatter(row, variant, family, from, rng));
}

void bad_scatters(const OpInfo& row, const TypeVariant& variant, Family family, const Sizes& sizes, Rng& rng,
                  const CallSink& sink) {
  for (std::int64_t length : sizes.lengths) {
    for (const Segmentation& from : segmentations(length, false, rng)) {
      Call good = random_scatter(row, variant, family, from, rng);
      HostVector* flags = family.flags ? &good.operands[2] : nullptr;
      spoil_indices(good, flags, bounds_of(from, good.segmentations[1]), rng, sink);
      if (family.defaults) continue;
      // The same target twice: the second element is at fault.
      std::vector<std::int64_t> indices = ints_of(good.operands[1]);
      for (std::int64_t place : interesting_places(flags, length)) {
        std::int64_t start = 0;
        for (std::int64_t n : from.lengths) {
          if (place < start + n) break;
          start += n;
        }
        std::int64_t earlier = start;
        while (earlier < place && flags != nullptr && !flags->as<bool>()[earlier]) ++earlier;
        if (earlier == place) continue;
        Call bad = good;
        set_int(bad.operands[1], place, indices[earlier]);
        sink(bad);
      }
    }
  }
}

void latest_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths)
    for (const Segmentation& from : sizes.cuts(length, rng)) sink(random_latest(row, variant, from, rng));
}

void bad_latests(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths)
    for (const Segmentation& from : segmentations(length, false, rng)) {
      const Call good = random_latest(row, variant, from, rng);
      spoil_indices(good, nullptr, bounds_of(from, good.segmentations[1]), rng, sink);
    }
}

}  // namespace cvl::conformance
