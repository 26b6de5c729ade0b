#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "generated/kernel_phase.h"

namespace cvl::cuda {

// Bodies of functions whose blocks fold shares, in the words of kernel_shares.h: a loop over the tiles of a share, each
// of which starts with `begin`, and the join of all shares by the last block. `carry` is the type of the carry, `posts`
// the expression of the posts.

/// Of one segment: results and `epilogues` are of segment 0.
inline std::string fold_text(const Phase& phase, std::string_view carry, std::string_view posts, std::string_view begin,
                             std::string_view epilogues) {
  return fmt::format(
      "{0}"
      "  NOT_UNROLLED for (i64 tile = share.first; tile < share.end; ++tile) {{\n{1}{2}  }}\n"
      "  {3}* const of_warps_0 = shared.sums(0);\n{4}"
      "  const {3}* const totals = join_shares<{3}>(share, {5}, a.ticket, shared);\n"
      "  if (totals == nullptr) return;\n"
      "  EACH_THREAD(t) if (const i64 k = t; k == 0) {{\n{6}{7}  }}\n",
      phase.begin, begin, phase.loop_text(), carry, phase.sum_text, posts, phase.behind, epilogues);
}

/// Of any segments, whose sums are stored where they end; `empty` are statements for empty segments.
inline std::string segmented_fold_text(const Phase& phase, std::string_view carry, std::string_view posts,
                                       std::string_view begin, std::string_view empty) {
  return fmt::format(
      "  PerThread<{0}> carry_0, before_0;\n"
      "  EACH_THREAD(t) if (t == 0) shared.front() = {0}();\n"
      "  NOT_UNROLLED for (i64 tile = share.first; tile < share.end; ++tile) {{\n{1}{2}"
      "  {0}* const of_warps_0 = shared.sums(tile);\n{3}"
      "  join_warps(of_warps_0, carry_0, before_0);\n{4}  }}\n{5}"
      "  join_fronts<kItems>(share, {6}, a.ticket, carry_0, shared,\n"
      "                      [&](i64 e, const {0}& before, const {0}& front) {{\n{7}  }});\n",
      carry, begin, phase.loop_text(), phase.sum_text, phase.behind, empty, posts, phase.fronts);
}

}  // namespace cvl::cuda
