// SLICE: a gather of consecutive elements.
#include "recognize/recognizer.h"

namespace vcode::letform {

/// before:  i = INDEX start 1 s    b = BPERMUTE a i t u     (t and u of one segment)
/// after:   b = SLICE a start s
/// Both are at fault if an index is outside of a.
bool Recognizer::slice(Binding& gather) {
  const Var indices = gather.operands[1];
  if (!is(indices, Op::kIndex) || uniform(operands(indices)[1]) != 1) return false;
  if (!shapes_.is_single(gather.operands[2]) || !shapes_.is_single(gather.operands[3])) return false;
  become(gather, Op::kSlice, {gather.operands[0], operands(indices)[0], operands(indices)[2]});
  return true;
}

}  // namespace vcode::letform
