#pragma once

#include <cstddef>
#include <memory>

#include "operations/operation_context.h"

namespace cvl::mpi {

/// The ranks of a vector's elements before they are found: each rank has a share of the elements, those of consecutive
/// ranks. A program that sorts permutes the vector by its ranks, so that the sorted shares, one after the other, are
/// the result, and the ranks are never needed.
class UnsentRanks {
 public:
  virtual ~UnsentRanks() = default;
  /// The vector of ranks.
  virtual const Result& ranks() const = 0;
  /// Whether the vector, or that of its ranks, has some of these bytes.
  virtual bool have_bytes_of(const void* data, std::size_t bytes) const = 0;
  /// Whether an operation permutes the vector by the ranks.
  virtual bool is_permuted_by(const Scatter& op) const = 0;
  /// Ranks the shares, and fills the vector of ranks. One round of messages. Collective.
  virtual void send() = 0;
  /// Fills the sorted vector. Two rounds of messages: the lengths of shares, and elements that go to neighbours.
  /// Collective.
  virtual void permute(const Result& sorted) = 0;
};

/// Divides a vector into shares. Null if it has been ranked. The result of the operation must not be read before, nor
/// the operands change. Collective.
std::unique_ptr<UnsentRanks> rank_without_sending(OperationContext& context, const Rank& op);

}  // namespace cvl::mpi
