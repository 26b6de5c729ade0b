#pragma once

#include <cstdint>
#include <vector>

#include "cvl/backend.h"
#include "kernels/loop_plan.h"
#include "loops/compiled_loops.h"
#include "loops/loop_tiles.h"
#include "operations/context.h"

namespace cvl::cpu {

/// Calls of a kernel over so few elements that one call of its loop computes all of them. A program with short vectors
/// makes millions of such calls, one after the other, so the loop's argument is laid out when the kernel is prepared: a
/// call copies words, and sets addresses and lengths by lists.
class ShortCalls {
 public:
  /// The plan must outlive the object. Longer calls than a chunk of the tiling are left to several threads.
  ShortCalls(const LoopPlan& plan, const LoopTiles& tiling);

  /// The loop that is called.
  LoopForm form() const { return form_; }
  /// Whether run() takes calls over `elements` elements of a single segment, or of several segments unless these are
  /// many, short, or differ.
  bool takes(std::int64_t elements, bool single) const {
    return elements <= (single ? most_elements_ : most_in_segments_) && (elements > 0 || !folds_);
  }
  /// Runs the kernel by its loop; takes() must be true. False, with nothing done, if the segments do not allow it.
  /// After a fault, a fault of any kind is reported.
  bool run(Context& context, const KernelCall& call, LoopFunction& loop) const;

 private:
  /// Most members of an argument, and most scans and PACKs: words on the stack.
  static constexpr std::size_t kMostMembers = 128, kMostState = 32;
  /// Most segments; if of equal length, their starts are words on the stack.
  static constexpr std::int64_t kMostSegments = 256;

  class Layout;
  class Segments;
  /// A member of the argument that depends on a value or a descriptor of the kernel, or on other state of that number.
  struct Source {
    std::uint32_t member, of;
  };
  struct Scan {
    std::uint32_t identity;  ///< member
    std::uint32_t number;
    Monoid monoid;
    ElemType type;
  };

  bool find_segments(const KernelCall& call, Segments& segments) const;
  bool set_segments(const KernelCall& call, Segments& segments, std::uint64_t* words) const;
  bool is_single(const KernelCall& call, int segmentation) const;
  void run_epilogues(Context& context, const KernelCall& call) const;

  const LoopPlan& plan_;
  const Loop& loop_;
  const LoopForm form_;
  const std::int64_t long_segment_;  ///< least average length of several segments
  const bool folds_;                 ///< some results depend on all elements of a segment
  /// Most elements of a call over a single segment, and over several; -1 if there are no such calls.
  std::int64_t most_elements_ = -1, most_in_segments_ = -1;
  std::vector<std::uint64_t> words_;                 ///< members of the argument that are the same in all calls
  std::vector<Source> operands_, tables_, lengths_;  ///< addresses (also of no elements) and lengths, by values
  std::vector<Source> results_;                      ///< addresses, by values
  std::vector<Source> states_;                       ///< addresses, by number
  std::vector<std::uint32_t> elements_;              ///< the number of elements
  std::vector<Scan> scans_;
  // Members that are not as in words_ if a descriptor has several segments.
  std::vector<Source> distances_, wholes_, table_starts_;
};

}  // namespace cvl::cpu
