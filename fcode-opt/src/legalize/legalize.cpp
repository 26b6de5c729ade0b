#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/stop_request.h"
#include "legalize/expander.h"

namespace vcode::letform {
namespace {

/// The operations that have expansions, besides combining permutations.
constexpr std::pair<Op, Expansion> kExpansions[] = {
    {Op::kByteToInt, expand_byte_to_int},
    {Op::kIntToByte, expand_int_to_byte},
    {Op::kAssert, expand_assert},
    {Op::kRequire, expand_require},
    {Op::kBound, expand_bound},
    {Op::kElements, expand_elements},
    {Op::kOffsets, expand_offsets},
    {Op::kCountInts, expand_count_ints},
    {Op::kMaxIndex, expand_max_index},
    {Op::kMinIndex, expand_min_index},
    {Op::kSlice, expand_slice},
    {Op::kAppend, expand_append},
    {Op::kAppend3, expand_append3},
    {Op::kMerge, expand_merge},
    {Op::kMergeSegments, expand_merge_segments},
    {Op::kLatest, expand_latest},
};

/// Expands operations in one function.
class Legalizer {
 public:
  Legalizer(Program& program, Function& function, const Target& target)
      : target_(target), expander_(program, function, target), same_as_(function.values.size()) {
    for (Var v = 0; v < same_as_.size(); ++v) same_as_[v] = v;
  }

  void run(Block& block) {
    for (Binding& binding : std::exchange(block.bindings, {})) {
      VC_CHECK(binding.form != Binding::Form::kFused);
      rename(binding.operands);
      rename(binding.nest);
      for (Block& inner : binding.blocks) run(inner);
      if (binding.form != Binding::Form::kOp || target_.has(binding.op))
        block.bindings.push_back(std::move(binding));
      else
        same_as_[binding.results[0]] = expander_.expand(binding, block);
    }
    rename(block.results);
  }

 private:
  /// Replaces results of expanded operations. Values that expansions make have no replacements.
  void rename(std::vector<Var>& values) const {
    for (Var& v : values)
      if (v < same_as_.size()) v = same_as_[v];
  }

  const Target& target_;
  Expander expander_;
  std::vector<Var> same_as_;
};

}  // namespace

Expansion expansion_of(Op op) {
  if (info(op).op_class == OpClass::kAccumulate) return expand_accumulate;
  const auto* const found = std::ranges::find(kExpansions, op, &std::pair<Op, Expansion>::first);
  return found == std::end(kExpansions) ? nullptr : found->second;
}

bool can_expand(Op op) { return expansion_of(op) != nullptr; }

Target Target::all() {
  Target target;
  target.has_.set();
  return target;
}

Target Target::vcode_1995() {
  Target target = all();
  for (const OpInfo& row : all_ops())
    if (can_expand(row.op)) target.remove(row.op);
  return target;
}

/// Pass "legalize": replaces operations that the target lacks by their expansions, which are defined beside the
/// functions expand_….
///   before:  a = SLICE INT x start s
///   after:   i = INDEX start (DIST 1 t) s   a = BPERMUTE INT x i u v
/// O(size of the program).
void legalize(Program& program, const Target& wanted) {
  if (wanted.has_all()) return;
  Target target = wanted;
  if (!target.has(Op::kByteToInt) || !target.has(Op::kIntToByte)) {
    bytes_as_ints(program);
    target.remove(Op::kByteToInt);
    target.remove(Op::kIntToByte);
  }
  for (Function& function : program.functions) {
    base::check_stop();
    Legalizer(program, function, target).run(function.body);
    // Each piece would print the message.
    if (!target.has(Op::kAssert) || !target.has(Op::kRequire)) function.piece_operands.clear();
  }
}

}  // namespace vcode::letform
