#include "fcode-opt/passes.h"
#include "recognize/recognize_checks.h"
#include "recognize/recognizer.h"

namespace vcode::letform {

void Recognizer::rewrite(Binding& binding) {
  /// A rule, and the operation that its spelling ends with.
  struct Rule {
    Op last;
    bool (Recognizer::*apply)(Binding&);
  };
  static constexpr Rule kRules[] = {
      {Op::kLength, &Recognizer::elements_of_result},
      {Op::kSumReduce, &Recognizer::elements_by_sum},
      {Op::kSumScan, &Recognizer::offsets},
      {Op::kDpermute, &Recognizer::append},
      {Op::kDpermute, &Recognizer::merge},
      {Op::kDpermute, &Recognizer::merge_segments},
      {Op::kMinReduce, &Recognizer::extreme_index},
      {Op::kSelect, &Recognizer::count_ints},
  };
  if (binding.op == Op::kPack) note_chosen(binding);
  const Op op = binding.op;
  for (const Rule& rule : kRules)
    if (rule.last == op && (this->*rule.apply)(binding)) return;
}

/// Pass "recognize": replaces operations by one that does the same, where VCODE of 1995 and of other compilers spells
/// out checks, moves of blocks and indices of extremes. Each rule in this folder reads an expansion of legalize()
/// backwards. O(n log n).
void recognize(Program& program) {
  recognize_checks(program);  // in NESL, too: conditionals that call error()
  if (program.from_stack_code) find_patterns<Recognizer>(program);
}

}  // namespace vcode::letform
