#pragma once

#include <string>

#include "vcode/program.h"

/// The program as VCODE text in which no length follows from a constant: each constant vector is followed by a PACK
/// whose flags are all true, unknown to the optimizer. So the optimizer makes kernels even in programs on a few
/// numbers.
std::string with_hidden_lengths(const vcode::Program& program);
