#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vcode/kernel.h"

namespace vcode {

/// The kind of step that computes a value of a kernel.
enum class Producer : std::uint8_t {
  kInput,     ///< in memory before the kernel runs; each reader reads it in its own way
  kConstant,  ///< a scalar
  kMap,       ///< an elementwise operation over the index space
  kSpread,    ///< DIST, INDEX and SLICE: elements made from one value for each segment
  kGather,    ///< BPERMUTE, BFPERMUTE
  kScan,
  kReduce,     ///< one value for each segment
  kArgReduce,  ///< one index for each segment
  kEpilogue,   ///< an elementwise operation over the segments, behind a reduction
  kScatter,    ///< the permutes that scatter; see has_defaults()
  kPack,       ///< the kept elements, and their descriptor
};
inline constexpr int kProducers = 11;

/// Whether a step makes one value for each segment of its elements.
constexpr bool is_reduction(Producer producer) {
  return producer == Producer::kReduce || producer == Producer::kArgReduce;
}

/// How a step reads an operand.
enum class Reader : std::uint8_t {
  kMap,         ///< element by element, by an elementwise operation
  kSpread,      ///< segment by segment, by DIST, INDEX and SLICE
  kIndices,     ///< element by element, by a gather, as indices and flags
  kTable,       ///< anywhere, by a gather or SLICE; as defaults of a scatter
  kScan,        ///< element by element
  kReduce,      ///< element by element
  kEpilogue,    ///< segment by segment, by an elementwise operation
  kScatter,     ///< element by element, as values, indices and flags
  kFlags,       ///< element by element, by PACK, as flags
  kPack,        ///< element by element, by PACK, as values
  kDescriptor,  ///< as a segment descriptor
  kOutput,      ///< outside, as a result of the kernel
};
inline constexpr int kReaders = 12;

/// The kind of step that runs `op`; kInput if the operation cannot be in a kernel. An elementwise operation counts as
/// kMap here.
Producer producer_of(Op op);
/// How `op` reads operand `number`. Not for operations that cannot be in a kernel.
Reader reader_of(Op op, int number);

/// Number of the operand with a flag for each element, which says whether a gather or scatter moves it; -1 if `op` is
/// none, or moves all.
int flags_of(Op op);
/// Number of the operand with the vector to a copy of which `op` scatters; -1 if there is none. With defaults the last
/// of several writes to a target wins, so that their order matters; in the other scatters they are a fault.
int defaults_of(Op op);
inline bool has_flags(Op op) { return flags_of(op) >= 0; }
inline bool has_defaults(Op op) { return defaults_of(op) >= 0; }

/// Whether operand `number` of `op` has as many elements as the index space; false if it has a length of its own.
bool goes_over(Op op, int number);

/// The reason why a value computed by `producer` in a kernel cannot be read by a `reader` in the same kernel; empty if
/// it can. Values computed from the result of a scan are subject to the row of kScan as well.
std::string_view obstacle(Producer producer, Reader reader);

/// Operations of a step for each element.
struct Work {
  int flops = 0;  ///< arithmetic operations, as the table of operations counts them
  int moves = 0;  ///< reads or writes of single elements at any indices
  /// In arithmetic operations: a move is a check of an index and a load or store.
  constexpr int in_flops() const { return flops + 4 * moves; }
  constexpr Work& operator+=(const Work& more) {
    flops += more.flops;
    moves += more.moves;
    return *this;
  }
};
/// The cost of a step that runs `op`, for the optimizer and the backends.
Work work_of(Op op);

/// The result of look_at().
struct KernelFacts {
  std::vector<Producer> producers;  ///< of each value
  /// Indexed by value: whether it is computed from a scan of this kernel. Other values can be computed before the
  /// carries of segments that span several chunks are known.
  std::vector<bool> after_scan;
  std::string error;  ///< why the kernel is not well-formed; empty if it is
  std::uint32_t error_step =
      0;  ///< the step with the `error`; the number of steps for an error in the kernel as a whole
};

/// The first PACK of a kernel with the same flags and segments as the PACK `step`: all of them share its count.
std::uint32_t first_pack_like(const Kernel& kernel, std::uint32_t step);

/// The operand of a step that is the descriptor with as many elements as operand `like` (or result 0, if `like` is -1).
/// The step must have one.
int descriptor_like(const Kernel::Step& step, int like);

/// Checks that every step's operands exist, have the right kinds and are read as obstacle() allows.
KernelFacts look_at(const Kernel& kernel);

}  // namespace vcode
