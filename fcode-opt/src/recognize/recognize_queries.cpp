// ELEMENTS and OFFSETS: questions about a descriptor, which read no vector.
#include "recognize/recognizer.h"

namespace vcode::letform {

/// before:  x = DIST INT 0 s    n = LENGTH INT x
/// after:   n = ELEMENTS s
/// where any operation made x over the elements of s: its result is as long as s, by its signature.
bool Recognizer::elements_of_result(Binding& length) {
  const Definitions::Definition& made = definitions_.of(length.operands[0]);
  if (made.form != Binding::Form::kOp) return false;
  const Signature& signature = info(made.op).signature;
  for (std::size_t k = 0; k < static_cast<std::size_t>(signature.operand_count); ++k)
    if (signature.operands[k].type == RoleType::kSegdes &&
        signature.operands[k].length == signature.results[0].length) {
      become(length, Op::kElements, {made.operands[k]});
      return true;
    }
  return false;
}

/// before:  n = +_REDUCE INT (LENGTHS s) t                  (t of one segment)
/// after:   n = ELEMENTS s
bool Recognizer::elements_by_sum(Binding& sum) {
  const Var lengths = sum.operands[0];
  if (sum.suffix != Suffix::kInt || !is(lengths, Op::kLengths) || !shapes_.is_single(sum.operands[1])) return false;
  become(sum, Op::kElements, {operands(lengths)[0]});
  return true;
}

/// before:  o = +_SCAN INT (LENGTHS s) t                    (t of one segment)
/// after:   o = OFFSETS s
bool Recognizer::offsets(Binding& scan) {
  if (scan.suffix != Suffix::kInt || !shapes_.is_single(scan.operands[1])) return false;
  const Var descriptor = shapes_.descriptor_of(scan.operands[0]);
  if (descriptor == kNoVar) return false;
  become(scan, Op::kOffsets, {descriptor});
  return true;
}

}  // namespace vcode::letform
