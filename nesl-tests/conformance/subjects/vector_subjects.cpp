#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "int_vectors.h"
#include "range_calls.h"
#include "scatter_calls.h"
#include "segdes_calls.h"
#include "subjects.h"
#include "vcode/arith.h"
#include "visit_type.h"

namespace cvl::conformance {

namespace {

using vcode::OpInfo;

Segmentation without_empty(Segmentation segments) {
  std::erase(segments.lengths, 0);
  return segments;
}

Call random_gather(const OpInfo& row, const TypeVariant& variant, Family family, const Segmentation& from, Rng& rng) {
  const Segmentation to = partner(from, 0.0, false, rng);
  const std::int64_t k = to.elements();
  HostVector flags = random_flags(k, rng.chance(0.5) ? 0.5 : 0.95, rng);
  std::vector<std::int64_t> indices = bounds_of(to, from);
  const std::int64_t pattern = rng.below(3);
  for (std::size_t e = 0; e < indices.size(); ++e) {
    if (family.flags && !flags.as<bool>()[e])
      indices[e] = ignored_index(rng);
    else
      indices[e] = pattern == 0 ? static_cast<std::int64_t>(e) % indices[e] : rng.below(indices[e]);
  }
  Call call;
  call.title = fmt::format("{} {} of {} from {} elements", row.text, variant.name, k, from.elements());
  call.operands = {any_values(variant.operands[0], from.elements(), rng), int_vector(variant.operands[1], indices)};
  if (family.flags) call.operands.push_back(std::move(flags));
  if (elem_size(variant.operands[1]) == elem_size(variant.results[0])) call.reusable = {1};
  call.segmentations = {from, to};
  call.results = {{variant.results[0], k}};
  call.issue = [family](Backend& backend, const Placed& placed) {
    Gather gather{placed.operands[0],    placed.operands[1],    {},
                  placed.descriptors[0], placed.descriptors[1], placed.results[0]};
    if (family.flags) gather.flags = placed.operands[2];
    backend.set_site(kSite);
    backend.run(gather);
  };
  return call;
}

void gather_calls(const OpInfo& row, const TypeVariant& variant, Family family, const Sizes& sizes, Rng& rng,
                  const CallSink& sink) {
  for (std::int64_t length : sizes.lengths)
    for (const Segmentation& from : sizes.cuts(length, rng)) sink(random_gather(row, variant, family, from, rng));
}

void bad_gathers(const OpInfo& row, const TypeVariant& variant, Family family, const Sizes& sizes, Rng& rng,
                 const CallSink& sink) {
  for (std::int64_t length : sizes.lengths) {
    for (const Segmentation& from : segmentations(length, false, rng)) {
      Call good = random_gather(row, variant, family, from, rng);
      HostVector* flags = family.flags ? &good.operands[2] : nullptr;
      spoil_indices(good, flags, bounds_of(good.segmentations[1], from), rng, sink);
    }
  }
}

Call random_extract(const OpInfo& row, const TypeVariant& variant, const Segmentation& segments, Rng& rng) {
  Call call;
  call.title = fmt::format("{} {} from {} elements", row.text, variant.name, segments.elements());
  std::vector<std::int64_t> indices;
  for (std::int64_t n : segments.lengths) indices.push_back(n > 0 ? rng.below(n) : rng.below(5) - 2);
  const std::int64_t m = segments.segments();
  call.operands = {any_values(variant.operands[0], segments.elements(), rng), int_vector(variant.operands[1], indices)};
  call.segmentations = {segments};
  if (row.op == Op::kReplace) {
    call.operands.push_back(any_values(variant.operands[2], m, rng));
    call.results = {{variant.results[0], segments.elements()}};
    call.reusable = {0};
  } else {
    call.results = {{variant.results[0], m}};
    if (elem_size(variant.operands[1]) == elem_size(variant.results[0])) call.reusable = {1};
  }
  call.issue = [op = row.op](Backend& backend, const Placed& placed) {
    const std::vector<Operand>& o = placed.operands;
    backend.set_site(kSite);
    if (op == Op::kReplace)
      backend.run(Replace{o[0], o[1], o[2], placed.descriptors[0], placed.results[0]});
    else
      backend.run(Extract{o[0], o[1], placed.descriptors[0], placed.results[0]});
  };
  return call;
}

void extract_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths)
    for (const Segmentation& segments : sizes.cuts(length, rng))
      sink(random_extract(row, variant, row.op == Op::kReplace ? segments : without_empty(segments), rng));
}

void bad_extracts(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths) {
    for (const Segmentation& any : segmentations(length, false, rng)) {
      const Segmentation segments = without_empty(any);
      spoil_indices(random_extract(row, variant, segments, rng), nullptr, segments.lengths, rng, sink);
    }
  }
}

void dist_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths) {
    for (const Segmentation& segments : sizes.cuts(length, rng)) {
      Call call;
      call.title = fmt::format("{} {} to {} elements", row.text, variant.name, length);
      for (ElemType type : variant.operands) call.operands.push_back(any_values(type, segments.segments(), rng));
      call.segmentations = {segments};
      call.results = {{variant.results[0], length}};
      call.issue = [op = row.op](Backend& backend, const Placed& placed) {
        if (op == Op::kIndex)
          backend.run(Index{placed.operands[0], placed.operands[1], placed.descriptors[0], placed.results[0]});
        else
          backend.run(Dist{placed.operands[0], placed.descriptors[0], placed.results[0]});
      };
      sink(call);
    }
  }
}

/// Keys of every kind that a sort might treat specially.
std::vector<HostVector> key_sets(ElemType type, std::int64_t length, bool all, Rng& rng) {
  std::vector<std::function<HostVector()>> makers = {
      [&] { return any_values(type, length, rng); },
      [&] { return random_keys(type, length, 5, true, rng); },
      [&] { return random_keys(type, length, 100, true, rng); },
      [&] { return random_keys(type, length, 1, false, rng); },
      [&] { return moderate_values(type, length, rng); },
  };
  for (int bits : {1, 8, 9, 16, 17, 30}) {
    makers.push_back([&, bits] {
      HostVector keys(type, length);
      visit_type(type, [&]<class T>() {
        if constexpr (!std::is_same_v<T, bool>) {
          T base = rng.chance(0.5) ? T(0) : static_cast<T>(any_values(type, 1, rng).template as<T>()[0]);
          for (T& v : keys.as<T>()) v = vcode::wrap_add(base, static_cast<T>(rng.below(std::int64_t{1} << bits)));
        }
      });
      return keys;
    });
  }
  for (bool ascending : {true, false}) {
    makers.push_back([&, ascending] {
      HostVector keys(type, length);
      visit_type(type, [&]<class T>() {
        for (std::int64_t e = 0; e < length; ++e) keys.as<T>()[e] = static_cast<T>(ascending ? e / 2 : length - e);
      });
      return keys;
    });
  }
  std::vector<HostVector> sets;
  if (all)
    for (auto& make : makers) sets.push_back(make());
  else
    sets.push_back(makers[rng.below(static_cast<std::int64_t>(makers.size()))]());
  return sets;
}

void rank_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths) {
    for (const Segmentation& segments : sizes.cuts(length, rng)) {
      bool all_sets = segments.segments() == 1 && (length == 1025 || length == 65537);
      for (HostVector& keys : key_sets(variant.operands[0], length, all_sets, rng)) {
        Call call;
        call.title = fmt::format("{} {} of {} elements", row.text, variant.name, length);
        call.operands = {std::move(keys)};
        call.segmentations = {segments};
        call.results = {{variant.results[0], length}};
        call.issue = [descending = row.op == Op::kRankDown](Backend& backend, const Placed& placed) {
          backend.run(Rank{descending, placed.operands[0], placed.descriptors[0], placed.results[0]});
        };
        sink(call);
      }
    }
  }
}

/// Elements near the beginning of each segment's numbers, or anywhere.
void count_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths) {
    for (const Segmentation& from : sizes.cuts(length, rng)) {
      const Segmentation to = partner(from, 0.0, true, rng);
      Call call;
      call.title = fmt::format("{} {} of {} elements", row.text, variant.name, length);
      call.operands = {any_values(variant.operands[0], length, rng),
                       any_values(variant.operands[1], from.segments(), rng)};
      const std::vector<std::int64_t> starts = ints_of(call.operands[1]);
      const bool few = rng.chance(0.5);
      for (std::int64_t k = 0, e = 0; k < from.segments(); ++k)
        for (std::int64_t j = 0; j < from.lengths[k]; ++j, ++e)
          if (const std::int64_t more = rng.below((few ? 3 : to.lengths[k]) + 2) - 1; rng.chance(0.9))
            set_int(call.operands[0], e, std::int64_t(std::uint64_t(starts[k]) + std::uint64_t(more)));
      call.segmentations = {from, to};
      call.results = {{variant.results[0], to.elements()}};
      call.issue = [](Backend& backend, const Placed& placed) {
        backend.run(Count{placed.operands[0], placed.operands[1], placed.descriptors[0], placed.descriptors[1],
                          placed.results[0]});
      };
      sink(call);
    }
  }
}

void pack_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths) {
    for (const Segmentation& segments : sizes.cuts(length, rng)) {
      constexpr double kDensities[] = {0.0, 0.01, 0.5, 0.99, 1.0};
      HostVector flags = random_flags(length, kDensities[rng.below(5)], rng);
      std::span<const bool> set = flags.as<bool>();
      const std::int64_t kept = std::count(set.begin(), set.end(), true);
      Call call;
      call.title = fmt::format("{} {} of {} elements, {} kept", row.text, variant.name, length, kept);
      call.operands = {any_values(variant.operands[0], length, rng), std::move(flags)};
      call.segmentations = {segments};
      // The packed vector, the packed flags (by the same plan), the lengths, and the number of kept elements.
      ElemType length_type = rng.chance(0.5) ? ElemType::kI32 : ElemType::kI64;
      call.results = {
          {variant.results[0], kept}, {ElemType::kB8, kept}, {length_type, segments.segments()}, {ElemType::kI64, 1}};
      call.issue = [kept](Backend& backend, const Placed& placed) {
        const Operand &a = placed.operands[0], &f = placed.operands[1];
        std::unique_ptr<PackPlan> plan = backend.plan_pack(f, placed.descriptors[0], placed.results[2]);
        if (plan == nullptr) return;
        backend.upload(placed.results[3].data, &plan->kept, sizeof plan->kept);
        if (plan->kept != kept) return;
        backend.run(Pack{*plan, a, f, placed.results[0]});
        backend.run(Pack{*plan, f, f, placed.results[1]});
      };
      sink(call);
    }
  }
}

Call random_call(const OpInfo& row, const TypeVariant& variant, HostVector bounds, Rng& rng) {
  Call call;
  call.title = fmt::format("{} {} of {} elements", row.text, variant.name, bounds.length);
  call.results = {{variant.results[0], bounds.length}};
  call.operands = {std::move(bounds)};
  call.reusable = {0};
  RandomKey key{rng.next(), rng.next()};
  call.issue = [key](Backend& backend, const Placed& placed) {
    backend.set_site(kSite);
    backend.run(Random{placed.operands[0], key, placed.results[0]});
  };
  return call;
}

/// Bounds for RAND: any number except 0.
HostVector random_bounds(ElemType type, std::int64_t length, Rng& rng) {
  HostVector bounds = any_values(type, length, rng);
  std::vector<std::int64_t> values = ints_of(bounds);
  for (std::int64_t e = 0; e < length; ++e)
    if (values[e] == 0) set_int(bounds, e, 10);
  return bounds;
}

void random_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths)
    sink(random_call(row, variant, random_bounds(variant.operands[0], length, rng), rng));
}

void bad_randoms(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths) {
    HostVector bounds = random_bounds(variant.operands[0], length, rng);
    for (std::int64_t place : interesting_places(nullptr, length)) {
      HostVector bad = bounds;
      set_int(bad, place, 0);
      set_int(bad, length - 1, 0);
      sink(random_call(row, variant, std::move(bad), rng));
    }
  }
}

using Generator = void (*)(const OpInfo&, const TypeVariant&, const Sizes&, Rng&, const CallSink&);
struct Generators {
  Generator good = nullptr;
  Generator bad = nullptr;
};

template <bool flags, bool defaults>
constexpr Generators kScatter{
    [](const OpInfo& row, const TypeVariant& v, const Sizes& sizes, Rng& rng, const CallSink& sink) {
      scatter_calls(row, v, {flags, defaults}, sizes, rng, sink);
    },
    [](const OpInfo& row, const TypeVariant& v, const Sizes& sizes, Rng& rng, const CallSink& sink) {
      bad_scatters(row, v, {flags, defaults}, sizes, rng, sink);
    }};
template <bool flags>
constexpr Generators kGather{
    [](const OpInfo& row, const TypeVariant& v, const Sizes& sizes, Rng& rng, const CallSink& sink) {
      gather_calls(row, v, {flags, false}, sizes, rng, sink);
    },
    [](const OpInfo& row, const TypeVariant& v, const Sizes& sizes, Rng& rng, const CallSink& sink) {
      bad_gathers(row, v, {flags, false}, sizes, rng, sink);
    }};

/// Generators for rows of class kVector; null for rows that are computed without a backend.
const std::map<Op, Generators>& generators() {
  static const std::map<Op, Generators> kAll = {
      {Op::kPermute, kScatter<false, false>},
      {Op::kDpermute, kScatter<false, true>},
      {Op::kFpermute, kScatter<true, false>},
      {Op::kDfpermute, kScatter<true, true>},
      {Op::kLatest, {latest_calls, bad_latests}},
      {Op::kBpermute, kGather<false>},
      {Op::kBfpermute, kGather<true>},
      {Op::kExtract, {extract_calls, bad_extracts}},
      {Op::kReplace, {extract_calls, bad_extracts}},
      {Op::kDist, {dist_calls, nullptr}},
      {Op::kIndex, {dist_calls, nullptr}},
      {Op::kRankUp, {rank_calls, nullptr}},
      {Op::kRankDown, {rank_calls, nullptr}},
      {Op::kCountInts, {count_calls, nullptr}},
      {Op::kPack, {pack_calls, nullptr}},
      {Op::kSlice, {slice_calls, bad_slices}},
      {Op::kAppend, {append_calls, bad_appends}},
      {Op::kAppend3, {append_calls, bad_appends}},
      {Op::kMerge, {merge_calls, bad_merges}},
      {Op::kMergeSegments, {merge_calls, bad_merges}},
      {Op::kRandom, {random_calls, bad_randoms}},
      {Op::kMakeSegdes, {segdes_calls, bad_segdes}},
      {Op::kParseFloat, {}},
      {Op::kLength, {}},
      {Op::kElements, {}},
      {Op::kOffsets, {}},
      {Op::kLengths, {}},
  };
  return kAll;
}

void add_subjects(const OpInfo& row, Generators with, std::vector<Subject>& subjects) {
  if (with.good == nullptr) return;
  for (const TypeVariant& variant : type_variants(row)) {
    Subject subject{variant.name, [&row, variant, with](const Sizes& sizes, Rng& rng, const CallSink& sink) {
                      with.good(row, variant, sizes, rng, sink);
                    }};
    if (with.bad != nullptr)
      subject.bad_calls = [&row, variant, with](const Sizes& sizes, Rng& rng, const CallSink& sink) {
        with.bad(row, variant, sizes, rng, sink);
      };
    subjects.push_back(std::move(subject));
  }
}

}  // namespace

std::vector<Subject> vector_subjects() {
  std::vector<Subject> subjects;
  for (const OpInfo& row : vcode::all_ops()) {
    if (row.op_class == vcode::OpClass::kAccumulate) {
      add_subjects(row, kScatter<false, true>, subjects);
      continue;
    }
    if (row.op_class != vcode::OpClass::kVector) continue;
    auto known = generators().find(row.op);
    if (known == generators().end()) {
      subjects.push_back({std::string(row.name), [&row](const Sizes&, Rng&, const CallSink&) {
                            ADD_FAILURE() << "the conformance suite does not know how to try " << row.text;
                          }});
      continue;
    }
    add_subjects(row, known->second, subjects);
  }
  return subjects;
}

}  // namespace cvl::conformance
