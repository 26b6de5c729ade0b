// Conditionals as straight-line code: both branches are computed for all instances under masks, and SELECT chooses.
//
//   {if i == 0 then s[0] else s[i - 1] / i : i in is}
//
// Packing would pack the live values of each branch, compute the branch, and merge the results. With masks:
//
//   f = = INT i 0    g = NOT BOOL f
//   a = BFPERMUTE INT s 0 f one all                         reads, and can fault, only where f is true
//   b = BFPERMUTE INT s (- INT i 1) g one all
//   c = / INT b (SELECT INT g i 1)
//   SELECT INT f a c
#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "flattener.h"

namespace nesl {

ValuePtr Flattener::lower_if_by_masks(const If& node, Var flags) {
  auto both = [&] {
    ValuePtr a = levels_.under_mask(flags, [&] { return levels_.lift_here(lower(*node.then_branch)); });
    const Var others = emit().op(Op::kNot, Suffix::kBool, {flags});
    ValuePtr b = levels_.under_mask(others, [&] { return levels_.lift_here(lower(*node.else_branch)); });
    return select(flags, a, b);
  };
  if (levels_.has_mask()) return both();  // the outermost conditional decides
  ValuePtr value;
  double cost = 0;
  std::string reason;
  if (levels_.try_masks(
          Levels::kMaskCost, [&] { value = both(); }, cost, reason))
    context_.remark(fmt::format("the conditional is computed by masks: {} operations for each element", cost));
  else
    context_.remark("the conditional packs the elements of each branch: " + reason);
  return value;
}

}  // namespace nesl
