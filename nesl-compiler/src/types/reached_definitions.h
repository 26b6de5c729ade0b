#pragma once

#include <vector>

#include "environment.h"
#include "messages/reporter.h"

namespace nesl {

/// Computes the flags `recursive` and `serial_only` of all definitions, from the strongly connected components of the
/// call graph. Does nothing unless Environment::calls_changed(): a definition's body was replaced, or a declared
/// function got one.
void update_flags(Environment& environment);

/// Checks all definitions that a value reaches, directly and through functions: each function must have a body by now,
/// and serial-only functions must not be reached from an apply-to-each.
void check_reachable(const std::vector<Definition::Use>& uses, Reporter& reporter);

}  // namespace nesl
