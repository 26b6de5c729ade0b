// APPEND and MERGE: since segments keep their order, the elements that a rank needs of each joined vector are one
// range.

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "operations/operation_context.h"

namespace cvl::mpi {

namespace {

/// This rank's elements of a joined vector, as pieces of segments.
struct JoinPiece {
  Range elements;                     ///< of the vector
  std::vector<std::int64_t> lengths;  ///< of each piece

  void add(Range piece) {
    if (lengths.empty()) elements = {piece.begin, piece.begin};
    elements.end = piece.end;
    lengths.push_back(piece.size());
  }
};

/// The descriptor of pieces, whose offsets take `memory`.
SegmentDescriptor descriptor_of(const RankGroup& group, const std::vector<std::int64_t>& lengths, Scratch& memory) {
  const std::int64_t segments = std::ssize(lengths);
  memory = scratch_for(group, ElemType::kI64, segments + 1);
  auto* const offsets = memory.as<std::int64_t>();
  offsets[0] = 0;
  for (std::size_t k = 0; k < lengths.size(); ++k) offsets[k + 1] = offsets[k] + lengths[k];
  const std::int64_t elements = offsets[segments];
  if (segments <= 1) return {segments, elements, elements};
  return {segments, elements, -1, offsets};
}

/// The pieces of all joined vectors. Two rounds of messages, to tell which, and whether ranks are good, and to bring
/// them; none if every rank has all elements.
template <int n>
struct LocalJoin {
  LocalJoin(const RankGroup& group, const Join<n>& join, const std::array<JoinPiece, n>& pieces, bool is_good) {
    struct Told {
      std::array<Range, n> ranges;
      std::int64_t is_good;
    };
    std::array<Range, n> mine;
    std::array<Operand, n> vectors;
    std::array<Ranges, n> wants;
    bool has_all = true;
    for (std::size_t p = 0; p < n; ++p) {
      mine[p] = pieces[p].elements;
      vectors[p] = join.parts[p].a;
      has_all = has_all && group.has_all(vectors[p]);
    }
    const auto self = static_cast<std::size_t>(group.rank());
    std::vector<Told> all(static_cast<std::size_t>(group.ranks()));
    all[self] = {mine, is_good ? 1 : 0};
    if (!has_all) {
      all = group.messenger.gather_to_all(Told(all[self]));
      all_good = std::ranges::all_of(all, [](const Told& told) { return told.is_good != 0; });
    }
    for (std::size_t p = 0; p < n; ++p)
      for (const Told& told : all) wants[p].push_back(told.ranges[p]);
    fetched = fetch(group, vectors, wants);
    for (std::size_t p = 0; p < n; ++p)
      parts[p] = {fetched[p].elements, descriptor_of(group, pieces[p].lengths, offsets[p])};
  }
  std::optional<bool> all_good;  ///< nothing if ranks have not told each other
  std::vector<Fetched> fetched;
  std::array<Scratch, n> offsets;
  std::array<JoinPart, n> parts;
};

/// A segment of a part that is clipped to a range of the segment that the parts make: elements [before, before +
/// length) of that segment come from the part, from `start` on.
Range clipped_piece(Range within, std::int64_t before, std::int64_t start, std::int64_t length) {
  return {start + std::clamp(within.begin - before, std::int64_t{0}, length),
          start + std::clamp(within.end - before, std::int64_t{0}, length)};
}

/// Some elements within segment k, counted from the segment's start.
Range within_segment(const SegmentCut& cut, std::int64_t k, Range elements) {
  const Range clipped = cut.clipped(k, elements);
  return {clipped.begin - cut.start(k), clipped.end - cut.start(k)};
}

/// The number of turns in which a joined vector is computed: the buffers have its elements, and for each of `n` parts
/// the length of each piece and the offset behind it.
std::int64_t turns_of(const RankGroup& group, const SegmentCut& cut, ElemType type, std::int64_t n) {
  const std::int64_t bytes = longest(cut.all_elements()) * static_cast<std::int64_t>(elem_size(type)) +
                             2 * n * longest(cut.all_touched()) * static_cast<std::int64_t>(sizeof(std::int64_t));
  return group.turns_for(bytes, 1);
}

void copy(const RankGroup& group, const Operand& from, const Result& to) {
  if (from.length == 0) return;
  group.before_reading(from);
  group.before_writing(to);
  std::memcpy(to.data, from.data, size_of(from.type, from.length));
}

/// How many flags are true before each of some numbers, on every rank.
std::vector<std::int64_t> count_before(const RankGroup& group, const Operand& flags,
                                       const std::vector<std::int64_t>& ends) {
  const Range part = group.part(flags.length);
  group.before_reading(elements_of(flags, part));
  const auto* const flag = static_cast<const bool*>(flags.data);
  std::vector<std::int64_t> order(ends);
  std::ranges::sort(order);
  std::vector<std::int64_t> counts(ends.size());
  std::int64_t count = 0, at = part.begin;
  for (const std::int64_t end : order) {
    for (; at < std::min(end, part.end); ++at) count += flag[at] ? 1 : 0;
    for (std::size_t k = 0; k < ends.size(); ++k)
      if (ends[k] == end) counts[k] = count;
  }
  if (group.is_divided(flags.length)) group.messenger.reduce(counts, Reduction::kSum);
  return counts;
}

}  // namespace

namespace {

/// Vectors of one segment go to their places.
void append_vectors(OperationContext& context, const Append& op) {
  if (op.join.elements() != op.result.length)
    return context.faults.report({FaultKind::kLengthMismatch, 0, 0, op.join.elements(), op.result.length});
  std::vector<Operand> vectors;
  for (const JoinPart& part : op.join.parts)
    if (part.a.length > 0) vectors.push_back(part.a);
  place(context.group, vectors, op.result);
}

}  // namespace

void compute(OperationContext& context, const Append& op) {
  const RankGroup& group = context.group;
  if (op.join.to.segments == 1 && group.is_divided(op.result)) return append_vectors(context, op);
  const auto cut = context.cuts.of(op.join.to);
  const Range touched = cut->touched();
  std::array<std::optional<SegmentStarts>, 3> starts;
  for (std::size_t p = 0; p < 3; ++p) starts[p].emplace(group, op.join.parts[p].descriptor, cut->all_touched());
  bool is_good = true;
  for (std::int64_t k = touched.begin; k < touched.end && is_good; ++k) {
    const std::int64_t length = starts[0]->length(k) + starts[1]->length(k) + starts[2]->length(k);
    const std::int64_t room = cut->start(k + 1) - cut->start(k);
    is_good = length == room;
    if (!is_good) context.faults.report({FaultKind::kLengthMismatch, 0, k, length, room});
  }
  PartialResult result(group, op.result, cut->all_elements());
  const std::int64_t turns = turns_of(group, *cut, op.result.type, 3);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const Range batch = part_of(cut->elements(), turn, turns), segments = cut->segments_of(batch);
    std::array<JoinPiece, 3> pieces;
    for (std::int64_t k = segments.begin; k < segments.end && is_good; ++k) {
      const Range within = within_segment(*cut, k, batch);
      std::int64_t before = 0;
      for (std::size_t p = 0; p < 3; ++p) {
        const std::int64_t length = starts[p]->length(k);
        pieces[p].add(clipped_piece(within, before, (*starts[p])(k), length));
        before += length;
      }
    }
    const LocalJoin<3> local(group, op.join, pieces, is_good);
    context.agree_on(local.all_good);
    const std::int64_t first = cut->elements().begin;
    const Result joined = elements_of(result.part(), {batch.begin - first, batch.end - first});
    std::array<JoinPart, 3> parts;
    parts.fill(JoinPart::none(op.result.type, segments.size()));
    std::size_t filled = 0;
    for (const JoinPart& part : local.parts)
      if (part.a.length > 0) parts[filled++] = part;
    if (filled == 1) {
      copy(group, parts[0].a, joined);
    } else if (filled > 1) {
      context.inner().run(Append{{parts, cut->local(batch, segments)}, joined});
      context.faults.take_from(context.inner());
    }
  }
  result.finish();
}

void compute(OperationContext& context, const Merge& op) {
  const RankGroup& group = context.group;
  const auto& [a, b] = op.join.parts;
  const auto cut = context.cuts.of(op.join.to);
  const Ranges all_touched = cut->all_touched();
  const Range touched = cut->touched();
  // The flags before and behind those of each rank, and all.
  std::vector<std::int64_t> ends;
  for (const Range& range : all_touched) ends.insert(ends.end(), {range.begin, range.end});
  ends.push_back(op.flags.length);
  const std::vector<std::int64_t> chosen = count_before(group, op.flags, ends);
  if (chosen.back() != a.descriptor.segments)
    return context.faults.report({FaultKind::kFlagCount, 0, 0, chosen.back(), a.descriptor.segments});
  Ranges of_a, of_b;
  for (std::size_t r = 0; r < all_touched.size(); ++r) {
    of_a.push_back({chosen[2 * r], chosen[2 * r + 1]});
    of_b.push_back({ends[2 * r] - chosen[2 * r], ends[2 * r + 1] - chosen[2 * r + 1]});
  }
  const Fetched flags = fetch(group, op.flags, all_touched);
  group.before_reading(flags.elements);
  const auto* const flag = static_cast<const bool*>(flags.elements.data);
  const SegmentStarts starts[] = {{group, a.descriptor, of_a}, {group, b.descriptor, of_b}};
  const auto self = static_cast<std::size_t>(context.rank());
  /// The next segments of a and b after those of a number of segments of the result.
  std::int64_t next[] = {of_a[self].begin, of_b[self].begin}, at = touched.begin;
  const auto part_of_segment = [&](std::int64_t k) {
    return flag[k - touched.begin] ? std::size_t{0} : std::size_t{1};
  };
  const auto advance_to = [&](std::int64_t k) {
    for (; at < k; ++at) ++next[part_of_segment(at)];
  };
  bool is_good = true;
  for (std::int64_t k = touched.begin; k < touched.end && is_good; ++k) {
    advance_to(k);
    const std::size_t p = part_of_segment(k);
    const std::int64_t length = starts[p].length(next[p]), room = cut->start(k + 1) - cut->start(k);
    is_good = length == room;
    if (!is_good) context.faults.report({FaultKind::kLengthMismatch, 0, k, length, room});
  }
  next[0] = of_a[self].begin;
  next[1] = of_b[self].begin;
  at = touched.begin;
  PartialResult result(group, op.result, cut->all_elements());
  const std::int64_t turns = turns_of(group, *cut, op.result.type, 2);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const Range batch = part_of(cut->elements(), turn, turns), segments = cut->segments_of(batch);
    std::array<JoinPiece, 2> pieces;
    for (std::int64_t k = segments.begin; k < segments.end && is_good; ++k) {
      advance_to(k);
      const std::size_t p = part_of_segment(k);
      pieces[p].add(clipped_piece(within_segment(*cut, k, batch), 0, starts[p](next[p]), starts[p].length(next[p])));
    }
    const LocalJoin<2> local(group, op.join, pieces, is_good);
    context.agree_on(local.all_good);
    if (!is_good) continue;
    const std::int64_t first = cut->elements().begin;
    context.inner().run(
        Merge{elements_of(flags.elements, {segments.begin - touched.begin, segments.end - touched.begin}),
              {local.parts, cut->local(batch, segments)},
              elements_of(result.part(), {batch.begin - first, batch.end - first})});
    context.faults.take_from(context.inner());
  }
  result.finish();
}

}  // namespace cvl::mpi
