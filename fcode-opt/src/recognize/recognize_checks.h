#pragma once

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Recognizes conditionals that only report an error and exit as ASSERT.
void recognize_checks(Program& program);

}  // namespace vcode::letform
