#include "segdes_calls.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "int_vectors.h"

namespace cvl::conformance {

using vcode::OpInfo;

namespace {

/// A call that computes everything that a backend derives from segment lengths.
Call segdes_call(const OpInfo& row, const TypeVariant& variant, HostVector lengths) {
  Call call;
  call.title = fmt::format("{} {} of {} segments", row.text, variant.name, lengths.length);
  call.results = {{ElemType::kI64, lengths.length + 1}, {ElemType::kI64, 3}};
  call.operands = {std::move(lengths)};
  call.issue = [](Backend& backend, const Placed& placed) {
    backend.set_site(kSite);
    LengthsSummary summary = backend.summarize_lengths(placed.operands[0]);
    if (backend.has_fault()) return;
    const std::int64_t facts[] = {summary.total, summary.shortest, summary.longest};
    backend.upload(placed.results[1].data, facts, sizeof facts);
    backend.run(MakeOffsets{placed.operands[0], placed.results[0]});
  };
  return call;
}

Call heads_call(const OpInfo& row, const Segmentation& segments) {
  Call call;
  call.title = fmt::format("{}, the heads of {} segments", row.text, segments.segments());
  call.makes_heads = true;
  call.segmentations = {segments};
  call.results = {{ElemType::kI64, head_words(segments.elements())}, {ElemType::kI32, segments.segments()}};
  call.issue = [](Backend& backend, const Placed& placed) {
    backend.set_site(kSite);
    const HostVector nothing(ElemType::kI32, placed.results[1].length);
    backend.upload(placed.results[1].data, nothing.bytes.data(), nothing.bytes.size());
    backend.run(MakeSegmentHeads{placed.descriptors[0], placed.results[0], placed.results[1]});
  };
  return call;
}

}  // namespace

void segdes_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths) {
    for (const Segmentation& segments : sizes.cuts(length, rng)) {
      sink(segdes_call(row, variant, int_vector(variant.operands[0], segments.lengths)));
      if (!segments.regular()) sink(heads_call(row, segments));
    }
    // Totals that need 64 bits.
    std::vector<std::int64_t> big;
    const std::int64_t most = variant.operands[0] == ElemType::kI64 ? std::int64_t{1} << 43 : 0x7FFFFFFF;
    for (std::int64_t k = 0; k < length; ++k) big.push_back(rng.below(most));
    sink(segdes_call(row, variant, int_vector(variant.operands[0], big)));
    if (variant.operands[0] != ElemType::kI64 || length == 0) continue;
    // The largest possible total, of lengths that differ and of one among zeros.
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> most_of_all(static_cast<std::size_t>(length), largest / length);
    most_of_all[static_cast<std::size_t>(rng.below(length))] += largest % length;
    sink(segdes_call(row, variant, int_vector(variant.operands[0], most_of_all)));
    std::vector<std::int64_t> one_for_all(static_cast<std::size_t>(length), 0);
    one_for_all[static_cast<std::size_t>(rng.below(length))] = largest;
    sink(segdes_call(row, variant, int_vector(variant.operands[0], one_for_all)));
  }
}

void bad_segdes(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths) {
    std::vector<std::int64_t> lengths;
    for (std::int64_t k = 0; k < length; ++k) lengths.push_back(rng.below(100));
    for (std::int64_t place : interesting_places(nullptr, length)) {
      std::vector<std::int64_t> bad = lengths;
      bad[place] = -3;
      if (place + 1 < length) bad[place + 1] = -4;
      sink(segdes_call(row, variant, int_vector(variant.operands[0], bad)));
      if (variant.operands[0] != ElemType::kI64) continue;
      bad = lengths;
      bad[0] = 5;
      bad[place] = std::numeric_limits<std::int64_t>::max() - (place == 0 ? 0 : 2);
      if (std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) > lengths.back() + lengths[0] + 2)
        sink(segdes_call(row, variant, int_vector(variant.operands[0], bad)));
    }
    if (variant.operands[0] != ElemType::kI64 || length == 0) continue;
    // The least sum that is too large, and sums of exactly 2^64, which wrap around to 0.
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> bad(static_cast<std::size_t>(length), largest / length);
    if (length > 1) {
      bad.back() += largest % length + 1;
      sink(segdes_call(row, variant, int_vector(variant.operands[0], bad)));
    }
    for (const int power : {2, 9, 15}) {
      const std::int64_t equal = std::int64_t{1} << power;
      if (equal > length) break;
      bad.assign(static_cast<std::size_t>(length), 0);
      std::fill_n(bad.begin(), equal, std::int64_t{1} << (64 - power));
      sink(segdes_call(row, variant, int_vector(variant.operands[0], bad)));
    }
  }
}

}  // namespace cvl::conformance
