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

namespace {

/// Most arithmetic operations, of both branches together, that are computed for every instance. If all instances take
/// the cheaper branch, packing would have saved nearly all of these operations, but would have ended the kernel, which
/// costs a traversal or two: some nanoseconds for each element.
constexpr double kMaskCost = 64;

}  // namespace

void Flattener::refuse_under_mask(const char* reason) {
  if (body_->mask) throw Emitter::Unsuited{reason};
}

void Flattener::remark(const std::string& text) {
  const Position& position = body_->position;
  if (position.source == nullptr) return;
  const auto at = position.source->position(position.span.begin);
  std::string line = fmt::format("{}:{}:{}: {}", position.source->name(), at.line, at.column, text);
  if (std::find(remarks_.begin(), remarks_.end(), line) == remarks_.end()) remarks_.push_back(std::move(line));
}

Var Flattener::or_absent(Var flags) {
  const Var counted = mask();
  if (counted == letform::kNoVar) {
    refuse_under_mask("it contains a check");
    return flags;
  }
  return emit().op(Op::kOr, Suffix::kBool, {emit().op(Op::kNot, Suffix::kBool, {counted}), flags});
}

ValuePtr Flattener::under_mask(Var flags, const std::function<ValuePtr()>& branch) {
  const std::optional<Mask> outer = body_->mask;
  if (const Var around = mask(); around != letform::kNoVar) flags = emit().op(Op::kAnd, Suffix::kBool, {around, flags});
  body_->mask = Mask{depth(), flags};
  ValuePtr value = branch();
  body_->mask = outer;
  return value;
}

ValuePtr Flattener::lower_if_by_masks(const If& node, Var flags) {
  auto both = [&] {
    ValuePtr a = under_mask(flags, [&] { return lift_here(lower(*node.then_branch)); });
    const Var others = emit().op(Op::kNot, Suffix::kBool, {flags});
    ValuePtr b = under_mask(others, [&] { return lift_here(lower(*node.else_branch)); });
    return select(flags, a, b);
  };
  if (body_->mask) return both();  // the outermost conditional decides
  ValuePtr value;
  double cost = 0;
  std::string reason;
  if (try_masks([&] { value = both(); }, cost, reason))
    remark(fmt::format("the conditional is computed by masks: {} operations for each element", cost));
  else
    remark("the conditional packs the elements of each branch: " + reason);
  return value;
}

bool Flattener::try_masks(const std::function<void()>& work, double& cost, std::string& reason) {
  const Position position = body_->position;
  Frame* const frame = frame_;
  const std::size_t levels = body_->levels.size(), ready = frame_->ready.order.size();
  emit().begin_trial(kMaskCost);
  try {
    work();
    cost = emit().keep_trial();
    return true;
  } catch (const Emitter::Unsuited& why) {
    emit().drop_trial();
    body_->mask.reset();
    body_->levels.set_size(levels);
    body_->position = position;
    frame_ = frame;
    frame_->ready.shrink(ready);
    reason = why.reason;
    return false;
  }
}

}  // namespace nesl
