#pragma once

#include <set>
#include <span>
#include <string>

#include "native/llvm_text.h"
#include "regions/native_region.h"
#include "vcode/kernel.h"

namespace cvl::cpu {

/// Functions in LLVM assembly that compute regions.
class NativeModule {
 public:
  /// `can_unwind`: whether debuggers can find the callers of the functions.
  explicit NativeModule(const NativeTarget& target, bool can_unwind = false)
      : target_(target), can_unwind_(can_unwind) {}

  /// Adds a RegionFunction of this name, which may be any text, or with `by_segments` a SegmentsFunction. `types` has
  /// the storage of every value of the kernel.
  ///
  /// Its loop computes as many elements at a time as a register has of the narrowest numbers in the region; a wider
  /// type takes two registers. If floats are folded it is a cache line of the narrowest numbers, whatever registers
  /// hold, and elements are associated as by fold() of vector_fold.h. The elements that are left are computed with
  /// masked loads and stores; lanes beyond the end compute with ones. With scans the elements that are computed
  /// together begin at a multiple of their number, as those of group_scan.h do.
  void add(const std::string& name, const vcode::Kernel& kernel, const Region& region, std::span<const ElemType> types,
           bool by_segments);
  /// Adds an AcrossFunction.
  void add_across(const std::string& name, const vcode::Kernel& kernel, const Region& region,
                  std::span<const ElemType> types);
  std::string text() const;

 private:
  const NativeTarget& target_;
  bool can_unwind_;
  std::string functions_;
  std::set<std::string> declarations_;
};

}  // namespace cvl::cpu
