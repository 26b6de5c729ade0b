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

/// What one run of a generated kernel is handed, with its working memory, which is given back with this object.
class KernelArguments {
 public:
  /// Whether generated kernels read all descriptors of this call: irregular ones only with heads. What a PACK keeps
  /// they count by 32 bits.
  static bool suit(const GeneratedKernel& kernel, const KernelCall& call);
  /// Clears and uploads what the kernel needs. Throws OutOfMemory.
  KernelArguments(Executor& executor, const GeneratedKernel& kernel, const Faults& faults, const KernelCall& call);

  std::span<const std::byte> bytes() const { return bytes_; }
  /// Whether the blocks number themselves.
  bool has_ticket() const { return has_ticket_; }
  /// Reads how many elements each PACK kept. Waits if there is one.
  void read_kept(Executor& executor, std::span<std::int64_t> kept) const;

 private:
  enum Region { kUploaded, kCleared, kKept, kOther, kRegions };
  /// Of the working memory; all regions are one block.
  struct Piece {
    Region region;
    std::size_t offset;    ///< in the region
    std::size_t argument;  ///< where its address belongs in bytes_
  };
  /// Vectors begin at multiples of so many bytes, and regions of more.
  static constexpr std::size_t kVector = 16, kRegion = 256;

  void add(Executor& executor, const KernelArgument& argument, const Faults& faults, const KernelCall& call);
  void add_scalar(const Operand& operand);
  void add_posts(std::int64_t tiles, std::int64_t carry_bytes);
  void place(Executor& executor);
  template <class T>
  void append(const T& member);
  void append_piece(Region region, std::size_t bytes);

  std::vector<std::byte> bytes_;
  std::vector<Piece> pieces_;
  std::array<std::size_t, kRegions> sizes_ = {}, begins_ = {};
  std::vector<std::byte> uploaded_;
  std::vector<vcode::KernelVar> packs_;  ///< elements of each, in the order of kKept
  Board board_;                          ///< what is left of it for posts
  std::optional<Scratch<std::byte>> memory_;
  bool has_ticket_ = false;
};

}  // namespace cvl::cuda
