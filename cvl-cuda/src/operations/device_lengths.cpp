#include <limits>
#include <vector>

#include "cvl/bad_length.h"
#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/device_segments.h"
#include "operations/monoid.h"
#include "operations/tiled.h"
#include "vcode/check.h"

namespace cvl::cuda {
namespace {

/// The summary of a part of the lengths. The sum is kept in two halves, neither of which overflows.
struct PartSummary {
  std::uint64_t low = 0, high = 0;  ///< sums of the lower and of the upper 32 bits
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  std::int64_t longest = std::numeric_limits<std::int64_t>::min();
};

struct CombineSummaries {
  VC_HD PartSummary operator()(const PartSummary& a, const PartSummary& b) const {
    return {a.low + b.low, a.high + b.high, vcode::min_of(a.shortest, b.shortest), vcode::max_of(a.longest, b.longest)};
  }
};

template <class I>
struct LoadSummary {
  const I* lengths;
  VC_HD PartSummary operator()(std::int64_t k) const {
    const std::int64_t length = lengths[k];
    const auto bits = static_cast<std::uint64_t>(length);
    return {bits & 0xFFFFFFFF, bits >> 32, length, length};
  }
};

template <class I>
PartSummary summary_of(Executor& executor, Operand lengths) {
  Scratch<PartSummary> result(executor.pool(), 1);
  fold(executor, lengths.length, PartSummary{}, CombineSummaries{}, LoadSummary<I>{static_cast<const I*>(lengths.data)},
       StoreTo<PartSummary>{result.data()});
  PartSummary summary;
  executor.download(&summary, result.data(), sizeof summary);
  return summary;
}

/// Finds the first length at fault, on the host. There is one.
void report_bad_length(const Context& context, Operand lengths) {
  std::vector<std::byte> copy(static_cast<std::size_t>(lengths.length) * elem_size(lengths.type));
  context.executor.download(copy.data(), lengths.data, copy.size());
  const Fault fault = find_bad_length({lengths.type, lengths.length, copy.data()});
  VC_CHECK(fault.kind != FaultKind::kNone);
  const Faults faults = context.faults;
  context.executor.for_each(
      1, [=] CVL_DEVICE(std::int64_t) { faults.report(fault.kind, fault.position, fault.value, fault.bound); });
  context.executor.wait();
}

template <class I>
struct LoadLength {
  const I* lengths;
  std::int64_t segments;
  VC_HD std::int64_t operator()(std::int64_t k) const { return k < segments ? std::int64_t(lengths[k]) : 0; }
};

struct LoadBitCount {
  const SegmentHeads* words;
  VC_HD std::uint32_t operator()(std::int64_t w) const { return static_cast<std::uint32_t>(count_bits(words[w].bits)); }
};
struct StoreBefore {
  SegmentHeads* words;
  VC_HD void operator()(std::int64_t w, std::uint32_t before) const { words[w].before = before; }
};

/// The steps that make the heads of segments from their offsets.
struct FindHeads {
  Segments segments;
  SegmentHeads* words;
  std::int32_t* nonempty;  ///< or null

  CVL_DEVICE void mark(std::int64_t k) const {
    const std::int64_t e = segments.start(k);
    if (segments.length(k) > 0) atomic_or(&words[e / 32].bits, std::uint32_t{1} << (e % 32));
  }
  CVL_DEVICE void number(std::int64_t k) const {
    if (segments.length(k) == 0) return;
    const std::int64_t e = segments.start(k);
    const SegmentHeads word = words[e / 32];
    nonempty[std::int64_t(word.before) + count_bits(word.bits << (31 - e % 32)) - 1] = static_cast<std::int32_t>(k);
  }
};

}  // namespace

LengthsSummary summarize_lengths(const Context& context, Operand lengths) {
  if (lengths.length == 0) return {};
  const PartSummary all = with_int(lengths.type, [&]<class I>() { return summary_of<I>(context.executor, lengths); });
  // If no length is negative, the sum is below 2^63 if and only if its upper half is below 2^31.
  const std::uint64_t high = all.high + (all.low >> 32);
  if (all.shortest < 0 || high >> 31 != 0) {
    report_bad_length(context, lengths);
    return {};
  }
  return {static_cast<std::int64_t>(high << 32 | (all.low & 0xFFFFFFFF)), all.shortest, all.longest};
}

void make_offsets(const Context& context, Operand lengths, Result result) {
  with_int(lengths.type, [&]<class I>() {
    scan_in_order(context.executor, result.length, std::int64_t{0}, CombineBy<vcode::monoids::Sum, std::int64_t>{},
                  LoadLength<I>{static_cast<const I*>(lengths.data), lengths.length},
                  StoreTo<std::int64_t>{static_cast<std::int64_t*>(result.data)});
  });
}

void make_segment_heads(const Context& context, const SegmentMap& map, Result heads, Result nonempty) {
  VC_CHECK(!map.is_regular() && map.offsets != nullptr);
  Executor& executor = context.executor;
  const FindHeads find{Segments(map), static_cast<SegmentHeads*>(heads.data),
                       static_cast<std::int32_t*>(nonempty.data)};
  const std::int64_t words = heads.length, segments = map.segments, numbered = find.nonempty != nullptr ? segments : 0;
  const CombineBy<vcode::monoids::Sum, std::uint32_t> add;
  const LoadBitCount load{find.words};
  const StoreBefore store{find.words};
  if (words <= kTile && segments <= kShort)
    return executor.template tiles<std::uint32_t>(1, [=] CVL_DEVICE(Block & block) {
      block.for_each(words, [=](std::int64_t w) { find.words[w].bits = 0; });
      block.for_each(segments, [=](std::int64_t k) { find.mark(k); });
      Items<std::uint32_t> items;
      block.load(items, 0, static_cast<int>(words), std::uint32_t{0}, load);
      block.scan(items, std::uint32_t{0}, add);
      block.store(items, 0, static_cast<int>(words), store);
      block.for_each(numbered, [=](std::int64_t k) { find.number(k); });
    });
  executor.fill_zero(find.words, static_cast<std::size_t>(words) * sizeof *find.words);
  executor.for_each(segments, [=] CVL_DEVICE(std::int64_t k) { find.mark(k); });
  scan_in_order(executor, words, std::uint32_t{0}, add, load, store);
  executor.for_each(numbered, [=] CVL_DEVICE(std::int64_t k) { find.number(k); });
}

}  // namespace cvl::cuda
