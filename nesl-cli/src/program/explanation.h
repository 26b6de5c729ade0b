#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "flags.h"
#include "nesl-compiler/session.h"

namespace nesl_cli {

/// Explains a program line by line of its source: how conditionals and loops are computed, which operations are fused
/// into kernels and which not and why, and which calls run in pieces. Compiles the kernels, and runs nothing. The
/// program must be compiled for the optimization level 2.
std::string explanation(nesl::Compiled compiled, cvl::Backend& backend, const Flags& flags,
                        const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line);

}  // namespace nesl_cli
