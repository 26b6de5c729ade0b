#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vcode/kernel.h"
#include "vcode/kernel_rules.h"
#include "vcode/program.h"
#include "vcode/types.h"

namespace cvl::cuda {

/// Comment at the end of each line that is written for a step; the step's number follows.
inline constexpr std::string_view kStepMark = "  // step ";

/// Threads of a block.
inline constexpr int kKernelThreads = 256;
/// Consecutive elements that a thread computes at once; and where blocks fold shares, which short vectors seldom are.
inline constexpr int kKernelItems = 4, kFoldItems = 8;
/// The most blocks of a kernel that folds shares: each folds consecutive tiles.
inline constexpr std::int64_t kMostShares = 1024;

/// A member of the structure that is the argument of a generated kernel; the members follow the number of elements (8
/// bytes). A vector is an address and a length in elements (16 bytes) and is aligned to 16 bytes. The sizes of members
/// that are not vectors are given with their roles. The members of the plan (kernels::ArgumentStruct) would not do:
/// they describe a range of elements and segments for one thread, with its carries, while blocks find their own range
/// and segments, for which they need whole descriptors, and pass carries to each other, by tickets and posts.
struct KernelArgument {
  enum class Role : std::uint8_t {
    kOperand,     ///< an input
    kPerSegment,  ///< an input with an element for each segment: its address, or null and its only element; 16 bytes
    kDescriptor,  ///< an input, as cvl::SegmentDescriptor; 48 bytes
    kResult,      ///< an output, or a value over segments; for the descriptor of a PACK, its INT lengths
    kKept,        ///< the number of elements kept by a PACK, one integer of 8 bytes in a letter of the reply
    kKeptSum,     ///< the sum of the elements kept by a PACK, of 8 bytes, likewise
    kReply,       ///< a Reply, which the kernel gives when all these numbers are known; 24 bytes
    kFaults,      ///< Faults of base/device_faults.h; 24 bytes
    kTicket,      ///< address of a 4-byte counter, and its value before the launch; 16 bytes
    kPosts,       ///< a Board for carries of `bytes`, of GeneratedKernel::words(); null and 0 if there is one block
    kWritten,     ///< a bit for each target of a scatter over descriptor `value`, in words of 4 bytes
    kWriters,     ///< 8 bytes for each target of a scatter with defaults, over descriptor `value`
    kSource,      ///< the elements of a source of scatters with defaults that is neither an input nor an output
  };
  Role role = Role::kOperand;
  vcode::KernelVar value = 0;
  std::int64_t bytes = 0;  ///< size of an element, a word or a carry
  bool cleared = false;    ///< to be zeroed before the launch
  bool has_heads = false;  ///< of a descriptor: segments of elements are looked for; else only where segments begin
};
/// Size of a member of the structure.
constexpr std::size_t bytes_of(KernelArgument::Role role) {
  using Role = KernelArgument::Role;
  return role == Role::kDescriptor ? 48 : role == Role::kFaults || role == Role::kReply ? 24 : 16;
}
/// A kernel as C++ text. It follows prelude_text() and the rows of ops.def that it names.
struct GeneratedKernel {
  /// The reason why no text was generated; empty if there is one.
  std::string obstacle;
  std::uint32_t step = 0;  ///< the step that `obstacle` concerns
  std::string text;
  std::vector<KernelArgument> arguments;
  int items = kKernelItems;  ///< elements of a thread
  /// True if all sums are reductions, and blocks fold shares of the tiles, at most kMostShares, which the last block
  /// joins. For one segment it computes the epilogues too; there is no second function.
  bool folds = false;
  /// True if a second function is launched after the first, with as many blocks and the same arguments. It computes
  /// results that need all tiles: epilogues and scatters with defaults.
  bool has_finish = false;
  std::set<vcode::Op> rows;
  std::set<vcode::Monoid> monoids;
  bool has_sums = false;  ///< reductions or scans of monoids, or packs
  /// True if it sums floats, whose sums depend on the association. That differs from the association of its steps run
  /// one by one.
  bool rounds = false;

  /// Number of blocks over so many elements.
  std::int64_t blocks(std::int64_t elements) const {
    const std::int64_t tiles = elements <= tile() ? 1 : (elements + tile() - 1) / tile();
    return folds && tiles > kMostShares ? kMostShares : tiles;
  }
  /// Whether the blocks of a launch number themselves: to begin in order, or, where they fold shares, to find the last.
  bool takes_tickets(std::int64_t blocks) const { return has_sums && !(folds && blocks == 1); }
  /// Number of elements that a block computes at once.
  std::int64_t tile() const { return std::int64_t{kKernelThreads} * items; }
  /// Number of words of a board for the posts of so many blocks: sums of tiles, of groups of tiles and of groups of
  /// groups; of shares, the sums of their ends and of their fronts. Each post is a carry of `bytes`, 12 a word.
  std::int64_t words(std::int64_t blocks, std::int64_t bytes) const {
    return (folds ? 2 * blocks : blocks + blocks / 32 + blocks / 1024) * ((bytes + 11) / 12);
  }
  static std::string function(std::int64_t number) { return "kernel_" + std::to_string(number); }
  static std::string finish_function(std::int64_t number) { return "finish_" + std::to_string(number); }
};

/// The descriptors that a text supports: any, or only single ones, whose text compiles and runs faster. kPackedLengths:
/// any, and it also sums the elements that PACKs keep of INT inputs, for the descriptor that is made of them.
enum class Form : std::uint8_t { kAnySegments, kOneSegment, kPackedLengths };
inline constexpr int kForms = 3;

/// Whether the text of the form kPackedLengths sums what a step keeps: the first PACK of an INT input by some flags.
inline bool sums_kept(const vcode::Kernel& kernel, std::uint32_t step) {
  const auto packs_int_input = [&](const vcode::Kernel::Step& s) {
    return !s.is_constant() && s.op == vcode::Op::kPack && s.suffix == vcode::Suffix::kInt &&
           s.operands[0] < kernel.input_count;
  };
  if (!packs_int_input(kernel.steps[step])) return false;
  const std::uint32_t first = vcode::first_pack_like(kernel, step);
  for (std::uint32_t s = first; s < step; ++s)
    if (packs_int_input(kernel.steps[s]) && vcode::first_pack_like(kernel, s) == first) return false;
  return true;
}
/// Whether a kernel has such a text: lengths are packed by flags and their opposites. More sums spill registers.
inline bool sums_kept(const vcode::Kernel& kernel) {
  int sums = 0;
  for (std::uint32_t s = 0; s < kernel.steps.size(); ++s) sums += sums_kept(kernel, s) ? 1 : 0;
  return sums == 1 || sums == 2;
}
/// The forms of which a kernel has texts.
inline std::span<const Form> forms_of(const vcode::Kernel& kernel) {
  static constexpr Form kAll[kForms] = {Form::kAnySegments, Form::kOneSegment, Form::kPackedLengths};
  return std::span(kAll).first(sums_kept(kernel) ? kForms : kForms - 1);
}

/// Generates the text of a kernel. Requires that look_at() finds the kernel well-formed for these widths. The names of
/// the functions contain the kernel's number.
GeneratedKernel generate_kernel(const vcode::Kernel& kernel, std::span<const vcode::Constant> constants,
                                vcode::Widths widths, Form form = Form::kAnySegments);

/// The complete source of one kernel.
std::string complete_text(const GeneratedKernel& kernel);

/// The source that precedes the texts of these kernels, which have the same number of items: the prelude and the rows
/// of ops.def that they name.
std::string text_in_front(std::span<const GeneratedKernel> kernels);

/// The source of all kernels of a program, each preceded by its FCODE as a comment.
std::string generate_program(const vcode::Program& program, vcode::Widths widths);

}  // namespace cvl::cuda
