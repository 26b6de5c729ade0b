#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exchange/kept_routes.h"
#include "exchange/range_exchange.h"
#include "exchange/segment_cut.h"
#include "operations/fault_ledger.h"

namespace cvl::mpi {

/// Parts of the backend that all operations on divided vectors need.
struct OperationContext {
  const RankGroup& group;
  SegmentCuts& cuts;
  FaultLedger& faults;
  KeptRoutes* routes = nullptr;  ///< null: no routes are kept

  Backend& inner() const { return group.inner; }
  /// Records whether all ranks are good, if they have told each other: see gather_elements() and route().
  void agree_on(std::optional<bool> all_good) {
    if (all_good.has_value()) faults.agree_on(*all_good);
  }
  int rank() const { return group.rank(); }
};

/// A result of which each rank computes some consecutive elements. finish() brings them to the ranks whose parts they
/// are. Elements of a divided result are computed at their places in it, of a replicated one in working memory.
class PartialResult {
 public:
  /// Rank r computes the elements ranges[r].
  PartialResult(const RankGroup& group, const Result& result, Ranges ranges);

  Range mine() const { return ranges_[static_cast<std::size_t>(group_.rank())]; }
  /// The elements of this rank as a vector.
  const Result& part() const { return part_; }
  /// Collective.
  void finish();
  /// Of a replicated result, the bytes whose exchange finishes it.
  GatheredBytes bytes_to_gather() const;
  bool is_replicated() const { return !group_.is_divided(result_.length); }

 private:
  const RankGroup& group_;
  const Result result_;
  const Ranges ranges_;
  Scratch memory_;
  Result part_;
};

/// The places that ranks compute of a vector that an operation writes to at indices: their parts, or of a replicated
/// vector shares of equal size.
Ranges places_of(const RankGroup& group, std::int64_t length);

// The operations, on operands that are divided if their length says so. At least one vector or descriptor of each is
// divided. Their contract is that of vector_op.h; faults have the positions of the whole operation.

void compute(OperationContext& context, const Elementwise& op);
void compute(OperationContext& context, const Random& op);
void compute(OperationContext& context, const Scan& op);
void compute(OperationContext& context, const Reduce& op);
void compute(OperationContext& context, const ArgReduce& op);
void compute(OperationContext& context, const Scatter& op);
void compute(OperationContext& context, const Gather& op);
void compute(OperationContext& context, const Accumulate& op);
void compute(OperationContext& context, const Extract& op);
void compute(OperationContext& context, const Replace& op);
void compute(OperationContext& context, const Dist& op);
void compute(OperationContext& context, const Index& op);
void compute(OperationContext& context, const Slice& op);
void compute(OperationContext& context, const Append& op);
void compute(OperationContext& context, const Merge& op);
void compute(OperationContext& context, const Rank& op);
void compute(OperationContext& context, const Count& op);
void compute(OperationContext& context, const Pack& op);
void compute(OperationContext& context, const MakeOffsets& op);

/// The outcome of several scatters.
struct Scattered {
  bool is_good;                           ///< whether this rank has found no fault
  std::vector<PartialResult> replicated;  ///< results that are to be finished
};
/// Several scatters, whose elements are exchanged together in two rounds of messages. Of faults nothing is told but
/// that there are some. Collective.
Scattered compute_scatters(OperationContext& context, std::span<const Scatter> scatters);

/// Several scans, whose carries are exchanged together. `gathered`: bytes that ranks gather in the same round. Results
/// are divided if there are several. Rounds of messages: one for elements of blocks before the parts, one for carries
/// and `gathered`; those that are needed. Collective.
void compute_scans(OperationContext& context, std::span<const Scan> scans, std::vector<GatheredBytes> gathered);

std::unique_ptr<PackPlan> plan_pack(OperationContext& context, const Operand& flags,
                                    const SegmentDescriptor& descriptor, const Result& lengths);
/// Without the offsets.
LengthsSummary summarize_lengths(OperationContext& context, const Operand& lengths);

}  // namespace cvl::mpi
