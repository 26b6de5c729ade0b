#pragma once

#include <set>
#include <span>
#include <string>

#include "native/llvm_text.h"
#include "regions/native_region.h"
#include "vcode/kernel.h"

namespace cvl::cpu {

/// A module in LLVM assembly with functions that compute regions.
class NativeModule {
 public:
  /// `can_unwind`: whether debuggers can find the callers of the functions.
  explicit NativeModule(const NativeTarget& target, bool can_unwind = false)
      : target_(target), can_unwind_(can_unwind) {}

  /// Adds a RegionFunction of this name, which may be any text; with `by_segments`, a SegmentsFunction. `types` has the
  /// storage type of every value of the kernel.
  ///
  /// The loop computes as many elements at a time as a register holds of the narrowest numbers in the region; a wider
  /// type takes two registers. If floats are folded, it computes as many as a cache line holds of the narrowest
  /// numbers, and elements are associated as by fold() of vector_fold.h. The remaining elements are computed with
  /// masked loads and stores; lanes beyond the end compute with ones. With scans, the elements that are computed
  /// together begin at a multiple of their number, as groups of group_scan.h do.
  void add(const std::string& name, const vcode::Kernel& kernel, const Region& region, std::span<const ElemType> types,
           bool by_segments);
  /// Adds an AcrossFunction of this name.
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
