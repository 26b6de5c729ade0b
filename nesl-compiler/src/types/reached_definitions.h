#pragma once

#include <vector>

#include "environment.h"
#include "messages/reporter.h"

namespace nesl {

/// Finds out anew which definitions are recursive and which are serial-only, if that is not known since the body of
/// one of them was replaced or a declared function got its body. All of them at once, so not after each definition.
void update_flags(Environment& environment);

/// Checks everything that a value refers to, directly and through functions: every function must have a body by
/// now, and what has turned out to be serial-only must not be reached from an apply-to-each.
void check_reachable(const std::vector<Definition::Use>& uses, Reporter& reporter);

}  // namespace nesl
