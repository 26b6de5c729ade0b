// Facts about vectors of segment lengths, and their running sum.

#include <limits>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
#include "operations/operation_context.h"

namespace cvl::mpi {

namespace {

/// The lengths of a rank.
struct LengthsOfRank {
  std::int64_t high = 0;  ///< their sum of 128 bits
  std::uint64_t low = 0;
  std::int64_t count = 0;
  std::int64_t regular_length = -1;
  std::int64_t has_empty = 0;

  __int128 sum() const { return static_cast<__int128>(high) << 64 | low; }
};

LengthsOfRank summarize(const Operand& lengths) {
  LengthsOfRank summary;
  summary.count = lengths.length;
  with_int(lengths.type, [&]<class I>() {
    const auto* const length = static_cast<const I*>(lengths.data);
    __int128 sum = 0;
    bool has_empty = false, is_regular = lengths.length > 0;
    for (std::int64_t k = 0; k < lengths.length; ++k) {
      sum += length[k];
      has_empty = has_empty || length[k] == 0;
      is_regular = is_regular && length[k] == length[0];
    }
    summary.high = static_cast<std::int64_t>(sum >> 64);
    summary.low = static_cast<std::uint64_t>(sum);
    summary.has_empty = has_empty;
    if (is_regular) summary.regular_length = length[0];
  });
  return summary;
}

/// Reports the first length that is negative or makes the sum, which is `sum` before them, too large.
void report_bad_length(OperationContext& context, const Operand& lengths, std::int64_t first, __int128 sum) {
  for (std::int64_t k = 0; k < lengths.length; ++k) {
    const std::int64_t length = integer_at(lengths, k);
    sum += length;
    if (length < 0) return context.faults.report({FaultKind::kNegativeLength, 0, first + k, length, 0});
    if (sum > std::numeric_limits<std::int64_t>::max())
      return context.faults.report({FaultKind::kLengthOverflow, 0, first + k, length, 0});
  }
}

}  // namespace

LengthsSummary summarize_lengths(OperationContext& context, const Operand& lengths) {
  const Range part = context.group.part(lengths.length);
  const Operand own = elements_of(lengths, part);
  context.group.before_reading(own);
  const std::vector<LengthsOfRank> all = context.group.messenger.gather_to_all(summarize(own));
  LengthsSummary summary;
  __int128 sum = 0;
  bool is_first = true;
  for (int r = 0; r < context.group.ranks(); ++r) {
    const LengthsOfRank& of_rank = all[static_cast<std::size_t>(r)];
    if (r == context.rank()) report_bad_length(context, own, part.begin, sum);
    sum += of_rank.sum();
    if (of_rank.count == 0) continue;
    summary.has_empty = summary.has_empty || of_rank.has_empty != 0;
    if (is_first || of_rank.regular_length != summary.regular_length)
      summary.regular_length = is_first ? of_rank.regular_length : -1;
    is_first = false;
  }
  summary.total = static_cast<std::int64_t>(sum);
  context.faults.agree();
  return summary;
}

void compute(OperationContext& context, const MakeOffsets& op) {
  VC_CHECK(op.nonempty.data == nullptr);
  const RankGroup& group = context.group;
  const std::int64_t segments = op.lengths.length;
  // The offsets of a rank begin with the sum of the lengths before its part of the offsets.
  const Ranges parts = group.distribution.parts(op.result.length);
  Ranges wants = parts;
  for (Range& range : wants) range = intersection(range, {0, segments});
  const Fetched lengths = fetch(group, op.lengths, wants);
  group.before_reading(lengths.elements);
  const Range mine = parts[static_cast<std::size_t>(context.rank())];
  group.before_writing(elements_of(op.result, mine));
  auto* const offsets = static_cast<std::int64_t*>(op.result.data) + mine.begin;
  std::uint64_t sum = 0;
  for (std::int64_t k = 0; k < mine.size(); ++k) {
    offsets[k] = static_cast<std::int64_t>(sum);
    if (k < lengths.elements.length) sum += static_cast<std::uint64_t>(integer_at(lengths.elements, k));
  }
  const std::vector<std::uint64_t> sums = group.messenger.gather_to_all(sum);
  std::uint64_t before = 0;
  for (int r = 0; r < context.rank(); ++r) before += sums[static_cast<std::size_t>(r)];
  for (std::int64_t k = 0; k < mine.size(); ++k)
    offsets[k] = static_cast<std::int64_t>(static_cast<std::uint64_t>(offsets[k]) + before);
}

}  // namespace cvl::mpi
