#include "operations/operations.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {
namespace {

/// The greatest length for which a sum of a whole block cannot overflow.
constexpr std::int64_t kFaultless = std::numeric_limits<std::int64_t>::max() / kLengthsBlock;

/// Adds the lengths of a block one by one to `total`. False, after a report, if a length is negative or the sum
/// overflows.
bool add_block(Context& context, const Operand& lengths, std::int64_t begin, std::int64_t end, std::int64_t& total) {
  for (std::int64_t k = begin; k < end; ++k) {
    const std::int64_t n = integer_at(lengths, k);
    if (n < 0 || __builtin_add_overflow(total, n, &total)) {
      context.faults.report(n < 0 ? FaultKind::kNegativeLength : FaultKind::kLengthOverflow, k, n);
      return false;
    }
  }
  return true;
}

}  // namespace

LengthsSummary summarize_lengths(Context& context, const MakeOffsets& op) {
  const Operand& lengths = op.lengths;
  LengthsSummary summary;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max(), longest = 0;
  LengthsKernels::Summarize* summarize = context.kernels.lengths.summarize[static_cast<int>(lengths.type)];
  const std::int64_t blocks = (lengths.length + kLengthsBlock - 1) / kLengthsBlock;
  std::vector<LengthsKernels::Summary> parts(static_cast<std::size_t>(blocks));
  context.parallel.for_ranges(lengths.length, kLengthsBlock, [&](std::int64_t begin, std::int64_t end) {
    parts[static_cast<std::size_t>(begin / kLengthsBlock)] = summarize(lengths.data, begin, end);
  });
  context.faults.begin_operation();
  for (std::int64_t b = 0; b < blocks; ++b) {
    const LengthsKernels::Summary& part = parts[static_cast<std::size_t>(b)];
    shortest = std::min(shortest, part.shortest);
    longest = std::max(longest, part.longest);
    const bool faultless = part.shortest >= 0 && part.longest <= kFaultless;
    std::int64_t total = summary.total;
    if (faultless && !__builtin_add_overflow(total, part.total, &total)) {
      summary.total = total;
    } else if (!add_block(context, lengths, b * kLengthsBlock, std::min(lengths.length, (b + 1) * kLengthsBlock),
                          summary.total)) {
      return summary;
    }
  }
  if (shortest == longest) summary.regular_length = longest;
  summary.has_empty = shortest == 0;
  if (op.result.data != nullptr) run(context, op);
  return summary;
}

void run(Context& context, const MakeOffsets& make_offsets) {
  VC_CHECK(make_offsets.nonempty.data == nullptr);  // this backend does not want segment heads
  const auto type = static_cast<int>(make_offsets.lengths.type);
  auto* offsets = static_cast<std::int64_t*>(make_offsets.result.data);
  const std::int64_t n = make_offsets.lengths.length, blocks = (n + kLengthsBlock - 1) / kLengthsBlock;
  std::vector<std::int64_t> before(static_cast<std::size_t>(blocks) + 1, 0);
  if (blocks > 1)
    context.parallel.for_ranges(n, kLengthsBlock, [&](std::int64_t begin, std::int64_t end) {
      before[static_cast<std::size_t>(begin / kLengthsBlock) + 1] =
          context.kernels.lengths.summarize[type](make_offsets.lengths.data, begin, end).total;
    });
  for (std::size_t b = 1; b < before.size(); ++b) before[b] += before[b - 1];
  context.parallel.for_ranges(n, kLengthsBlock, [&](std::int64_t begin, std::int64_t end) {
    context.kernels.lengths.offsets[type](make_offsets.lengths.data, begin, end,
                                          before[static_cast<std::size_t>(begin / kLengthsBlock)], offsets);
  });
  offsets[n] = n == 0 ? 0 : offsets[n - 1] + integer_at(make_offsets.lengths, n - 1);
}

}  // namespace cvl::cpu
