#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "jit/lower_gather.h"
#include "kernels/loop.h"
#include "lanes/llvm_text.h"
#include "lanes/lower_elementwise.h"
#include "vcode/kernel.h"

namespace cvl::cpu {

/// Writes the function with one segment a lane of a loop that can compute one segment a lane. An iteration computes one
/// element of each lane's segment, so nothing is combined across lanes. An input that is made from one value per
/// segment is a vector of these values.
class LanesWriter {
 public:
  LanesWriter(const vcode::Kernel& kernel, const Loop& loop, std::span<const ElemType> types,
              const NativeTarget& target);

  /// The text of the function, with a name that is written between quotation marks.
  std::string write(const std::string& name);
  const std::set<std::string>& declarations() const { return text_.declarations(); }

 private:
  /// An input that is made from one value per segment, for the segments of the lanes.
  struct MadeInput {
    const Loop::Input* input = nullptr;
    std::string segments, stride, table, length;  ///< members of the function's argument
    std::string is_several;                       ///< for DIST: whether it has a value for each segment
    LaneValue first;                              ///< for DIST the value, for INDEX and SLICE the start
    LaneValue strides;                            ///< for INDEX
    std::string common, is_common;  ///< for SLICE: the start in the first lane, and whether all lanes have it
  };
  struct Fold {
    const Loop::Fold* fold = nullptr;
    std::string result;    ///< address of the result for segment 0
    LaneValue sum;         ///< the accumulators, unless the monoid rounds
    std::string elements;  ///< otherwise: address of the elements of the segments, by their index
  };
  struct Extreme {
    const vcode::Kernel::Step* step = nullptr;
    std::string result;  ///< address of the result for segment 0
    LaneValue best;
    std::string position;  ///< index of the first best element in its segment, -1 if there are none but NaN
  };
  /// A value that is handed from one element of each segment to the one before it.
  struct Carried {
    std::string* text;
    std::string type, initial;
  };

  std::vector<Carried> carried();
  void write_elements(const std::string& before, const std::string& longest);
  void load_members();
  std::string enter_segments(MadeInput& made);
  LaneValue constant(const MadeInput& made);
  LaneValue divisor(const Loop::Input& input, LaneValue value);
  LaneValue spread(const MadeInput& made);
  LaneValue element(const MadeInput& made, const std::string& active);
  LaneValue sliced(const MadeInput& made, const std::string& active);
  void load_tables();
  void compute(const std::string& active);
  LoweredOperation gather(const vcode::Kernel::Step& step, const GatherTable& table, const std::string& active);
  void take(Fold& fold, const std::string& active);
  LaneValue sum_in_order(const Fold& fold, const std::string& longest);
  LaneValue sum_of_lines(const Fold& fold, int lines);
  void store_fold(const Fold& fold, const std::string& longest);
  void take(Extreme& extreme, const std::string& active);
  void store_index(const Extreme& extreme);

  static vcode::Monoid monoid(const Fold& fold) { return vcode::info(fold.fold->step->op).monoid; }
  static bool in_order(const Fold& fold) { return vcode::rounds(monoid(fold), fold.sum.type); }
  ElemType type(vcode::KernelVar v) const { return types_[v]; }
  std::string bits() const { return text_.type(ElemType::kB8); }
  std::string all_of(const std::string& lanes);

  LlvmText text_;
  const vcode::Kernel& kernel_;
  const Loop& loop_;
  std::span<const ElemType> types_;
  std::vector<MadeInput> made_;
  std::vector<GatherTable> tables_;  ///< those of the loop
  std::vector<Fold> folds_;
  std::vector<Extreme> extremes_;
  std::vector<LaneValue> values_;  ///< values of the kernel
  std::vector<Strides> strides_;   ///< by value: differences between neighbouring elements of a segment
  std::string present_;            ///< lanes that have a segment
  std::string lengths_;            ///< lengths of the segments, 32 bits each; 0 in other lanes
  std::string faults_;             ///< lanes at fault
};

}  // namespace cvl::cpu
