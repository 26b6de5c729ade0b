#pragma once

#include <string>

#include "vcode/program.h"

/// The program as VCODE text in which no length follows from a constant: a PACK with flags that are all true, but only
/// at run time, is behind each constant vector. So the optimizer finds what it can make kernels of even in programs
/// that work on a few numbers.
std::string with_hidden_lengths(const vcode::Program& program);
