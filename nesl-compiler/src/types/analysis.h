#pragma once

#include <memory>
#include <optional>

#include "base/diagnostics.h"
#include "environment.h"
#include "nesl_types.h"

namespace nesl {

/// Result of analysing a statement: exactly one member is set.
struct Analyzed {
  /// A function, primitive, specialization or datatype; already registered.
  Definition* definition = nullptr;
  /// An assignment or an expression. Environment::commit defines its globals after the value has been computed.
  std::shared_ptr<GlobalStatement> statement{};
};

/// Resolves the names of a statement and infers its types. Reports all errors; after an error nothing has been defined,
/// and the result is empty. `source` must live as long as the environment. Not for commands, tests and benchmarks.
std::optional<Analyzed> analyze(Statement&& statement, const base::Source& source, Environment& environment,
                                TypeStore& types, base::Diagnostics& diagnostics);

}  // namespace nesl
