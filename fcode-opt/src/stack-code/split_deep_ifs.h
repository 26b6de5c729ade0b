#pragma once

#include "vcode/program.h"

namespace vcode::letform {

class Labels;

/// Pass "split-deep-ifs": moves deeply nested IFs to functions of their own, since classic interpreters keep the IFs
/// that are being run in a small table. The functions need no arguments, since they work on the same stack.
///   before:  FUNC f … IF … IF … ENDIF … ENDIF … RET          (with a limit of 1)
///   after:   FUNC f … IF … CALL f_2 … ENDIF … RET   FUNC f_2 IF … ENDIF RET
/// One walk, O(size of the program). New functions come last.
void split_deep_ifs(vcode::Program& program, Labels& labels);

}  // namespace vcode::letform
