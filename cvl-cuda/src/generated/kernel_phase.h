#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "vcode/kernel.h"

namespace cvl::cuda {

/// The most sums of a phase. A carry is held in registers while lanes of a warp exchange it.
inline constexpr std::size_t kMostSums = 58;
/// The most sums of a kernel for any segments whose blocks fold shares.
inline constexpr std::size_t kMostHeldSums = 4;
/// Bytes of arguments that a launch may have from CUDA 12.1 on.
inline constexpr std::size_t kMostArgumentBytes = 32764;
/// Size of one sum in a carry: an extreme of 8 bytes, its index, and whether there is a head.
inline constexpr std::int64_t kSumBytes = 24;

/// A loop over the elements of a tile, with values in registers.
struct ElementLoop {
  std::string loads;                 ///< statements before the loop
  std::string head, body, keeps;     ///< statements for an element: values from elsewhere, steps, copies to Items
  std::string round, next;           ///< of a repeated kernel: begin and end of a round, around the steps and copies
  std::string stores;                ///< statements behind the loop
  std::set<vcode::KernelVar> known;  ///< values that the loop defines, and descriptors of which it finds the segment

  std::string text() const {
    std::string text = loads;
    if (!body.empty() || !keeps.empty())
      text += "  EACH_THREAD(t) EACH_ITEM(space, t, i, e) {\n" + head + round + body + keeps + next + "  }\n";
    return text + stores;
  }
};

/// Loops over the elements of a tile, the next of which uses gathered values that are loaded together between them,
/// followed by sums, whose carries one look-back passes from tile to tile.
struct Phase {
  std::deque<ElementLoop> loops = std::deque<ElementLoop>(1);
  std::vector<vcode::KernelVar> pending;         ///< gathers whose positions the last loop finds
  std::vector<const vcode::Kernel::Step*> sums;  ///< reductions, scans and counts of PACKs
  std::string begin, fronts;                     ///< of a kernel that folds: statements before all tiles; for a share
  std::string members, joins;                    ///< of the carry; expressions that join the members of two
  std::string padding;                           ///< bytes behind the last member
  std::string sum_text, behind;                  ///< statements before and behind the look-back
  bool counts = false;                           ///< whether there is a PACK among the sums
  std::map<vcode::KernelVar, std::string> empty = {};  ///< by descriptor: statements for empty segment k

  std::string loop_text() const {
    std::string text;
    for (const ElementLoop& loop : loops) text += loop.text();
    return text;
  }
};

}  // namespace cvl::cuda
