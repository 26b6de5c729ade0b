#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/loop.h"
#include "lanes/lower_elementwise.h"

namespace cvl::cpu {

/// Appends the scatters of a loop to targets in one segment, in the order of elements. The sum of the hashes of the
/// targets of each permutation (see position_hash.h) is carried from one iteration of a loop to the next, as a partial
/// sum in each lane.
class ScatterWriter {
 public:
  /// An operand: its lanes and, if they have been loaded from memory, their address; else empty.
  struct Operand {
    LaneValue lanes;
    std::string address;
  };

  ScatterWriter(LlvmText& text, const Loop& loop, std::span<const ElemType> types)
      : text_(text), loop_(loop), types_(types) {}

  /// Loads the members of the function's argument that belong to scatters.
  void load_members();
  std::vector<std::string> state_types() const;
  /// initial() gives sums of no targets; end() adds the sums of all elements to those in memory.
  std::vector<LaneValue> initial() const;
  void end(std::span<const LaneValue> sums);

  /// Writes elements of scatter k to their targets; if `mask` is not empty, only elements in it; none of them if one is
  /// at fault. Returns the lanes at fault.
  std::string add(std::size_t k, const Operand& elements, const Operand& index, std::span<LaneValue> sums,
                  const std::string& mask);

 private:
  struct Members {
    std::string result;             ///< address of target 0
    std::string bound;              ///< the number of targets, in all lanes of the indices' type
    std::string sum;                ///< address of the sum; empty for a scatter with defaults
    std::string elements, indices;  ///< memory on the stack for lanes that are not in memory
    std::size_t sum_of;             ///< the first permutation with these indices, whose targets are the same
  };
  LaneValue with_hashes(const LaneValue& sum, const LaneValue& index, const std::string& mask);
  std::string room(ElemType type);
  std::string as_stored(const LaneValue& lanes);
  std::string in_memory(const Operand& operand, const std::string& room);
  void store_each(const Members& members, const Operand& elements, const Operand& index);
  std::string sums_type() const { return text_.type(ElemType::kI64); }

  LlvmText& text_;
  const Loop& loop_;
  std::span<const ElemType> types_;
  std::vector<Members> members_;
};

}  // namespace cvl::cpu
