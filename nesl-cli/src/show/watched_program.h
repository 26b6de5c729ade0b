#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "fcode-opt/optimize.h"
#include "nesl-compiler/session.h"
#include "show/fused_loops.h"

namespace nesl_cli {

/// The options with which watched programs run: every operation is a step of its own.
inline const fcode_opt::OptimizeOptions kShowOptions = {.level = 0};

/// Compiles a statement for its fused loops, by calls of `compile` with the session prepared for that. Empty if it does
/// not compile.
std::vector<FusedLoop> find_loops(nesl::Session& session,
                                  const std::function<std::optional<nesl::Compiled>()>& compile);
/// Compiles a statement with watch points, likewise.
std::optional<nesl::Compiled> compile_watched(nesl::Session& session,
                                              const std::function<std::optional<nesl::Compiled>()>& compile);

}  // namespace nesl_cli
