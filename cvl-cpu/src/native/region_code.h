#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "native/llvm_text.h"
#include "vcode/kernel.h"

namespace cvl::cpu {

/// Elementwise steps of a kernel that one loop computes, with the values between them in registers.
struct Region {
  struct Input {
    vcode::KernelVar value = 0;
    bool spread = false;            ///< the result of DIST, all of whose elements are the same if there is one segment
    vcode::KernelVar segments = 0;  ///< of what is spread: the operand of DIST, an element for each segment
  };
  std::vector<const vcode::Kernel::Step*> steps;  ///< in order
  std::vector<Input> inputs;                      ///< read, and not computed here
  std::vector<vcode::KernelVar> outputs;          ///< computed here, and wanted in memory
  bool has_spread() const;
};

/// Functions in LLVM assembly that compute regions.
class NativeModule {
 public:
  explicit NativeModule(const NativeTarget& target) : target_(target) {}

  /// Adds a RegionFunction of this name. With `is_flat`, what is spread is one element. `types` has the storage of
  /// every value of the kernel.
  ///
  /// Its loop computes as many elements at a time as a register has of the narrowest numbers in the region; a wider
  /// type takes two registers. The elements that are left are computed with masked loads and stores; lanes beyond the
  /// end compute with ones.
  void add(const std::string& name, const vcode::Kernel& kernel, const Region& region, std::span<const ElemType> types,
           bool is_flat);
  std::string text() const;

 private:
  const NativeTarget& target_;
  std::string functions_;
  std::set<std::string> declarations_;
};

}  // namespace cvl::cpu
