#pragma once

#include <memory>
#include <optional>

#include "base/diagnostics.h"
#include "environment.h"
#include "nesl_types.h"

namespace nesl {

/// The definition or the value statement that analysis has made of a statement: exactly one of the two is set.
struct Analyzed {
  /// Of a function, primitive, specialization or datatype: already registered.
  Definition* definition = nullptr;
  /// Of an assignment or an expression: its globals are defined by Environment::commit, once the value is computed.
  std::shared_ptr<GlobalStatement> statement{};
};

/// Resolves the names of a statement and infers its types. Reports all errors it finds; after an error nothing has
/// been defined and the result is empty. `source` must live as long as the environment. The statement must not be a
/// command.
std::optional<Analyzed> analyze(Statement&& statement, const base::Source& source, Environment& environment,
                                TypeStore& types, base::Diagnostics& diagnostics);

}  // namespace nesl
