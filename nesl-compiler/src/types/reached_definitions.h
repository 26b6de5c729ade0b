#pragma once

#include <vector>

#include "environment.h"
#include "messages/reporter.h"

namespace nesl {

/// Computes the flags `recursive` and `serial_only` of all definitions, from the strongly connected components of the
/// call graph, if Environment::calls_changed(): the body of a definition was replaced, or a declared function got one.
void update_flags(Environment& environment);

/// Checks everything that a value refers to, directly and through functions: every function must have a body by
/// now, and what has turned out to be serial-only must not be reached from an apply-to-each.
void check_reachable(const std::vector<Definition::Use>& uses, Reporter& reporter);

}  // namespace nesl
