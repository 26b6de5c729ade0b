#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/board.h"
#include "base/device_faults.h"
#include "executor/executor.h"
#include "generated/generated_kernel.h"

namespace cvl::cuda {

/// The argument of one run of a generated kernel and its working memory, which this object owns.
class KernelArguments {
 public:
  /// True if generated kernels support this call: irregular descriptors whose segments are looked for must have heads,
  /// and a kernel with a PACK is limited to 2^32 - 1 elements, because it counts in 32 bits.
  static bool suit(const GeneratedKernel& kernel, const KernelCall& call);
  /// Clears and uploads the working memory. Throws OutOfMemory.
  KernelArguments(Executor& executor, const GeneratedKernel& kernel, const Faults& faults, const KernelCall& call);

  std::span<const std::byte> bytes() const { return bytes_; }
  /// Reads the number of elements that each PACK kept, and their sums if the kernel sums them. Waits if the kernel has
  /// a PACK.
  void read_kept(Executor& executor, const KernelCall& call) const;

 private:
  enum Region { kUploaded, kCleared, kOther, kRegions };
  /// A part of the working memory. All regions are allocated as one block.
  struct Field {
    Region region;
    std::size_t offset;    ///< in the region
    std::size_t argument;  ///< offset in bytes_ at which its address is stored
  };
  /// Alignments of vectors and of regions, in bytes.
  static constexpr std::size_t kVector = 16, kRegion = 256;

  void add(Executor& executor, const GeneratedKernel& kernel, const KernelArgument& argument, const Faults& faults,
           const KernelCall& call);
  void add_only_element(const Operand& operand);
  void add_posts(std::int64_t words);
  void position(Executor& executor);
  template <class T>
  void append(const T& member);
  void append_field(Region region, std::size_t bytes);

  std::vector<std::byte> bytes_;
  std::vector<Field> fields_;
  std::array<std::size_t, kRegions> sizes_ = {}, begins_ = {};
  std::vector<std::byte> uploaded_;
  /// A number of the letter, about the elements of a PACK.
  struct Replied {
    vcode::KernelVar pack;
    bool is_sum;
  };
  std::vector<Replied> replied_;
  Reply reply_;
  Board board_;  ///< the words not yet assigned to posts
  std::optional<Scratch<std::byte>> memory_;
};

}  // namespace cvl::cuda
