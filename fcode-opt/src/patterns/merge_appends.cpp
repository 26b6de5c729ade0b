#include <algorithm>
#include <unordered_set>

#include "fcode-opt/passes.h"
#include "ir/walk.h"
#include "patterns/pattern_finder.h"

namespace vcode::letform {
namespace {

class AppendMerger : public PatternFinder {
 public:
  using PatternFinder::PatternFinder;

 private:
  void rewrite(Binding& binding) override {
    if (!is_faultless_append(binding)) return;
    const std::vector<Var> outer = binding.operands;
    const Var a = outer[0], b = outer[1], s1 = outer[2], s2 = outer[3], s3 = outer[4];
    if (is_part(a, s1)) {
      const auto& inner = operands(a);
      become(binding, Op::kAppend3, {inner[0], inner[1], b, inner[2], inner[3], s2, s3});
      faultless_.push_back(a);
    } else if (is_part(b, s2)) {
      const auto& inner = operands(b);
      become(binding, Op::kAppend3, {a, inner[0], inner[1], s1, inner[2], inner[3], s3});
      faultless_.push_back(b);
    } else {
      appends_.insert(binding.results[0]);
    }
  }

  /// Whether an operation is an APPEND whose parts certainly fill the segments of the result.
  bool is_faultless_append(const Binding& binding) {
    return binding.op == Op::kAppend &&
           (cannot_fail(binding) || is_sum(binding.operands[4], binding.operands[2], binding.operands[3]));
  }

  /// Whether an operand with these segments is the result of an APPEND that cannot fault, and has no other use.
  bool is_part(Var v, Var segments) {
    return appends_.contains(v) && uses_[v] == 1 && shapes_.same_descriptor(operands(v)[4], segments);
  }

  std::unordered_set<Var> appends_;  ///< results of the appends that cannot fault
};

/// Whether a function appends the result of an append.
bool has_nested_appends(const Function& function) {
  std::unordered_set<Var> appends;
  bool found = false;
  for_each_binding(function.body, [&](const Binding& binding) {
    if (binding.form != Binding::Form::kOp || binding.op != Op::kAppend) return;
    found |= appends.contains(binding.operands[0]) || appends.contains(binding.operands[1]);
    appends.insert(binding.results[0]);
  });
  return found;
}

}  // namespace

/// Pass "append-merging": appends three sequences by one operation, so that each element is moved once.
///   before:  d = APPEND a b s1 s2 t   e = APPEND d c t s3 s4          (where nothing else reads d)
///   after:   e = APPEND3 a b c s1 s2 s3 s4
/// The same for APPEND a (APPEND b c). O(n log n).
void merge_appends(Program& program) {
  if (std::ranges::any_of(program.functions, has_nested_appends)) find_patterns<AppendMerger>(program);
}

}  // namespace vcode::letform
