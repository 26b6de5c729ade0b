#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/loop.h"
#include "lanes/llvm_text.h"

namespace cvl::cpu {

/// Appends the folds of a loop: accumulators, which are carried from one iteration of a loop to the next, and the
/// results. Floats, whose elements must be of one block, have the grouping of fold_order.h with several accumulators;
/// all other types have one accumulator.
class FoldWriter {
 public:
  FoldWriter(LlvmText& text, std::span<const Loop::Fold> folds, std::span<const ElemType> types)
      : text_(text), folds_(folds), types_(types), lanes_(text.lanes()) {}

  /// Initial accumulators of all folds, and their types.
  std::vector<LaneValue> initial() const;
  std::vector<std::string> state_types() const;

  /// Adds as many elements as the text has lanes, or only those in `mask` if it is not empty. `of_turn` is the number
  /// of the vector in a turn; without it the accumulators are rotated, so that the one for the next elements comes
  /// first. `values` are those of the kernel.
  void add(std::span<LaneValue> sums, std::span<const LaneValue> values, const std::string& mask,
           std::optional<int> of_turn);
  /// Number of vectors of a turn, after which the first accumulators follow again.
  int vectors_in_turn() const;

  /// Combines accumulators and lanes; `count` is the number of elements that were added, empty if that was by turns.
  /// Returns one lane for each fold.
  std::vector<LaneValue> end(std::span<const LaneValue> sums, const std::string& count);

  /// Stores the first of `lanes` lanes as the result of a fold.
  void store(std::size_t fold, const LaneValue& value, int lanes, const std::string& address);

 private:
  ElemType operand_type(const Loop::Fold& fold) const { return types_[fold.step->operands[0]]; }
  vcode::Monoid monoid(const Loop::Fold& fold) const { return vcode::info(fold.step->op).monoid; }
  int sums(const Loop::Fold& fold) const;
  int sum_lanes(const Loop::Fold& fold) const;
  void turn_back(std::vector<LaneValue>& sum, const std::string& count, int n);

  LlvmText& text_;
  std::span<const Loop::Fold> folds_;
  std::span<const ElemType> types_;
  int lanes_;  ///< number of elements that are added together
};

}  // namespace cvl::cpu
