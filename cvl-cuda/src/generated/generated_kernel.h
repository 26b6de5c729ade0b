#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "vcode/kernel.h"
#include "vcode/program.h"
#include "vcode/types.h"

namespace cvl::cuda {

/// Of a block, and of each of its threads.
inline constexpr int kKernelThreads = 256, kKernelItems = 4;
inline constexpr std::int64_t kKernelTile = kKernelThreads * kKernelItems;  ///< elements that a block computes

/// A member of the structure that a generated kernel is handed, behind the number of elements (8 bytes). A vector is an
/// address and a length in elements (16 bytes), and begins at a multiple of 16 bytes. What others are is said below,
/// with their bytes.
struct KernelArgument {
  enum class Role : std::uint8_t {
    kOperand,     ///< an input
    kDescriptor,  ///< an input, as cvl::SegmentMap, with heads if it is irregular: 48
    kResult,      ///< an output, or a value over segments; the descriptor of a PACK stands for its INT lengths
    kKept,        ///< of a PACK: how many elements it kept, one number of 8 bytes
    kFaults,      ///< base/device_faults.h: 24
    kTicket,      ///< address of a counter, of 4 bytes, and what it is before the launch: 16
    kPosts,       ///< words of a board, one for each of kernel_posts(tiles), its epoch, and room for a carry of at most
                  ///< `bytes` for each: 24. Null and 0 if there is one tile
    kWritten,     ///< a bit for each place of a scatter, whose descriptor `value` is: 4 bytes for 32
    kWriters,     ///< 8 bytes for each place of a scatter with defaults, whose descriptor `value` is
    kSource,      ///< the elements of a scatter with defaults, whose source `value` is: one for each of the index space
  };
  Role role = Role::kOperand;
  vcode::KernelVar value = 0;
  std::int64_t bytes = 0;  ///< of an element, a word or a carry
  bool cleared = false;    ///< to be zero when the kernel begins
};
/// What a member takes in the structure.
constexpr std::size_t bytes_of(KernelArgument::Role role) {
  using Role = KernelArgument::Role;
  return role == Role::kDescriptor ? 48 : role == Role::kFaults || role == Role::kPosts ? 24 : 16;
}
/// How many blocks a kernel over so many elements has, and how many posts.
constexpr std::int64_t kernel_tiles(std::int64_t elements) {
  return elements <= kKernelTile ? 1 : (elements + kKernelTile - 1) / kKernelTile;
}
constexpr std::int64_t kernel_posts(std::int64_t tiles) { return tiles + tiles / 32 + tiles / 1024; }

/// A kernel as C++ text, which is to stand behind prelude_text() and the rows it names.
struct GeneratedKernel {
  /// Why there is no text; empty if there is.
  std::string obstacle;
  std::uint32_t step = 0;  ///< what `obstacle` is about
  std::string text;
  std::vector<KernelArgument> arguments;
  /// Whether a second function is to be launched behind the first, with as many blocks and the same arguments: for
  /// what needs all tiles, epilogues and scatters with defaults.
  bool has_finish = false;
  std::set<vcode::Op> rows;
  std::set<vcode::Monoid> monoids;
  bool has_sums = false;  ///< of monoids or of flags

  static std::string function(std::int64_t number) { return "kernel_" + std::to_string(number); }
  static std::string finish_function(std::int64_t number) { return "finish_" + std::to_string(number); }
};

/// Descriptors that a text is for: any, or those of one segment, for which there is less to compile and to do.
enum class Form : std::uint8_t { kAnySegments, kOneSegment };
inline constexpr int kForms = 2;

/// The text of a kernel that look_at() finds well-formed, for these widths. The functions are named by its number.
GeneratedKernel generate_kernel(const vcode::Kernel& kernel, std::span<const vcode::Constant> constants,
                                vcode::Widths widths, Form form = Form::kAnySegments);

/// The text of one kernel alone, complete.
std::string complete_text(const GeneratedKernel& kernel);

/// What stands in front of the texts of these kernels.
std::string text_in_front(std::span<const GeneratedKernel> kernels);

/// All kernels of a program, each behind its FCODE as a comment, and what stands in front of them.
std::string generate_program(const vcode::Program& program, vcode::Widths widths);

}  // namespace cvl::cuda
