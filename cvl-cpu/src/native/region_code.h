#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "native/llvm_text.h"
#include "vcode/kernel.h"

namespace cvl::cpu {

/// Elementwise steps and gathers of a kernel that one loop computes, with the values between them in registers, and
/// reductions of what they compute.
struct Region {
  struct Input {
    vcode::KernelVar value = 0;
    bool spread = false;  ///< the result of DIST, all of whose elements are the same if there is one segment
    /// Of what is spread: the operand of DIST, an element for each segment; of the result of INDEX, that of starts.
    vcode::KernelVar segments = 0;
    bool progression = false;     ///< the result of INDEX, which code for one segment computes
    vcode::KernelVar stride = 0;  ///< of it
  };
  struct Output {
    vcode::KernelVar value = 0;
    bool folded = false;    ///< wanted in memory only for the folds
    bool only_out = false;  ///< not read again by this kernel, so that it may be streamed
  };
  /// What a gather reads, which must have one segment.
  struct Table {
    vcode::KernelVar value = 0;
    vcode::KernelVar segments = 0;  ///< its descriptor
  };
  struct Fold {
    const vcode::Kernel::Step* step = nullptr;  ///< the reduction, or the scan, whose carry this is
    int number = 0;                             ///< among the kernel's folds
  };
  std::vector<const vcode::Kernel::Step*> steps;  ///< in order
  std::vector<Input> inputs;                      ///< read, and not computed here
  std::vector<Output> outputs;                    ///< computed here, and wanted in memory
  std::vector<Table> tables;                      ///< of the gathers among the steps, in order
  std::vector<Fold> folds;                        ///< of values read or computed here
  bool is_part = false;  ///< of a region with gathers, which computes its steps wherever tables have one segment
  /// Whether the function for a single segment is another one.
  bool has_flat_form() const;
  /// How many words its functions are handed, at most: see CompiledRegion.
  std::size_t most_words() const;
  /// Outputs that compiled code can write past the cache: the bits of a word.
  static constexpr std::size_t kMostStreamed = 64;
  /// Whether compiled code can write output k, of this type, past the cache.
  bool streams(std::size_t k, ElemType type) const {
    return k < kMostStreamed && outputs[k].only_out && type != ElemType::kB8;
  }
  /// Whether compiled code has an advantage over a loop for each step.
  bool is_worth_compiling() const { return steps.size() > 1 || !folds.empty(); }
};

/// Functions in LLVM assembly that compute regions.
class NativeModule {
 public:
  explicit NativeModule(const NativeTarget& target) : target_(target) {}

  /// Adds a RegionFunction of this name, with `is_flat` for a single segment (see CompiledRegion). `types` has the
  /// storage of every value of the kernel.
  ///
  /// Its loop computes as many elements at a time as a register has of the narrowest numbers in the region; a wider
  /// type takes two registers. If floats are folded it is a cache line of the narrowest numbers, whatever registers
  /// hold, and elements are associated as by fold() of vector_fold.h. The elements that are left are computed with
  /// masked loads and stores; lanes beyond the end compute with ones.
  void add(const std::string& name, const vcode::Kernel& kernel, const Region& region, std::span<const ElemType> types,
           bool is_flat);
  std::string text() const;

 private:
  const NativeTarget& target_;
  std::string functions_;
  std::set<std::string> declarations_;
};

}  // namespace cvl::cpu
