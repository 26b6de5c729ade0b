#include "segdes_calls.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "int_vectors.h"

namespace cvl::conformance {

using vcode::OpInfo;

namespace {

/// A call that computes everything that a backend derives from segment lengths; for one that wants segment heads, with
/// `nonempty`. The offsets are made twice: with the summary and alone.
Call segdes_call(const OpInfo& row, const TypeVariant& variant, HostVector lengths, bool with_nonempty) {
  const std::int64_t entries = lengths.length + 1, numbers = with_nonempty ? entries : 0;
  Call call;
  call.title = fmt::format("{} {} of {} segments", row.text, variant.name, lengths.length);
  call.makes_heads = with_nonempty;
  call.results = {{ElemType::kI64, entries},
                  {ElemType::kI32, numbers},
                  {ElemType::kI64, entries},
                  {ElemType::kI32, numbers},
                  {ElemType::kI64, 3}};
  call.operands = {std::move(lengths)};
  call.issue = [with_nonempty](Backend& backend, const Placed& placed) {
    backend.set_site(kSite);
    const auto make_offsets = [&](std::size_t r) {
      MakeOffsets op{placed.operands[0], placed.results[r], {}};
      if (!with_nonempty) return op;
      op.nonempty = placed.results[r + 1];
      const HostVector nothing(op.nonempty.type, op.nonempty.length);
      backend.upload(op.nonempty.data, nothing.bytes.data(), nothing.bytes.size());
      return op;
    };
    const LengthsSummary summary = backend.summarize_lengths(make_offsets(0));
    if (backend.has_fault()) return;
    const std::int64_t facts[] = {summary.total, summary.regular_length, summary.has_empty};
    backend.upload(placed.results[4].data, facts, sizeof facts);
    backend.run(make_offsets(2));
  };
  return call;
}

void segdes_calls_of(const OpInfo& row, const TypeVariant& variant, const std::vector<std::int64_t>& lengths,
                     const CallSink& sink) {
  for (const bool with_nonempty : {false, true})
    sink(segdes_call(row, variant, int_vector(variant.operands[0], lengths), with_nonempty));
}

Call heads_call(const OpInfo& row, const Segmentation& segments) {
  Call call;
  call.title = fmt::format("{}, the heads of {} segments", row.text, segments.segments());
  call.makes_heads = true;
  call.segmentations = {segments};
  call.results = {{ElemType::kI64, head_words(segments.elements())}};
  call.issue = [](Backend& backend, const Placed& placed) {
    backend.set_site(kSite);
    backend.run(MakeSegmentHeads{placed.descriptors[0], placed.results[0]});
  };
  return call;
}

}  // namespace

void segdes_calls(const OpInfo& row, const TypeVariant& variant, const Sizes& sizes, Rng& rng, const CallSink& sink) {
  for (std::int64_t length : sizes.lengths) {
    for (const Segmentation& segments : sizes.cuts(length, rng)) {
      segdes_calls_of(row, variant, segments.lengths, sink);
      if (!segments.regular()) sink(heads_call(row, segments));
    }
    // Totals that need 64 bits.
    std::vector<std::int64_t> big;
    const std::int64_t most = variant.operands[0] == ElemType::kI64 ? std::int64_t{1} << 43 : 0x7FFFFFFF;
    for (std::int64_t k = 0; k < length; ++k) big.push_back(rng.below(most));
    segdes_calls_of(row, variant, big, sink);
    if (variant.operands[0] != ElemType::kI64 || length == 0) continue;
    // The largest possible total, of lengths that differ and of one among zeros.
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> most_of_all(static_cast<std::size_t>(length), largest / length);
    most_of_all[static_cast<std::size_t>(rng.below(length))] += largest % length;
    segdes_calls_of(row, variant, most_of_all, sink);
    std::vector<std::int64_t> one_for_all(static_cast<std::size_t>(length), 0);
    one_for_all[static_cast<std::size_t>(rng.below(length))] = largest;
    segdes_calls_of(row, variant, one_for_all, sink);
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
      segdes_calls_of(row, variant, bad, sink);
      if (variant.operands[0] != ElemType::kI64) continue;
      bad = lengths;
      bad[0] = 5;
      bad[place] = std::numeric_limits<std::int64_t>::max() - (place == 0 ? 0 : 2);
      if (std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) > lengths.back() + lengths[0] + 2)
        segdes_calls_of(row, variant, bad, sink);
    }
    if (variant.operands[0] != ElemType::kI64 || length == 0) continue;
    // The least sum that is too large, and sums of exactly 2^64, which wrap around to 0.
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> bad(static_cast<std::size_t>(length), largest / length);
    if (length > 1) {
      bad.back() += largest % length + 1;
      segdes_calls_of(row, variant, bad, sink);
    }
    for (const int power : {2, 9, 15}) {
      const std::int64_t equal = std::int64_t{1} << power;
      if (equal > length) break;
      bad.assign(static_cast<std::size_t>(length), 0);
      std::fill_n(bad.begin(), equal, std::int64_t{1} << (64 - power));
      segdes_calls_of(row, variant, bad, sink);
    }
  }
}

}  // namespace cvl::conformance
