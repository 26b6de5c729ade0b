#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "fcode-opt/optimize.h"
#include "nesl-compiler/session.h"
#include "show/fused_loops.h"

namespace nesl_cli {

/// The options with which watched programs run: every operation is a step of its own.
inline const fcode_opt::OptimizeOptions kShowOptions = {.level = 0};

/// Compiles one statement in several ways for a viewer.
class WatchedStatement {
 public:
  /// `compile` compiles the statement with the session as it is; the session otherwise has the options `usual`.
  WatchedStatement(nesl::Session& session, const fcode_opt::OptimizeOptions& usual,
                   std::function<std::optional<nesl::Compiled>()> compile)
      : session_(session), usual_(usual), compile_(std::move(compile)) {}

  /// The program with watch points. Nothing if the statement does not compile.
  std::optional<nesl::Compiled> watched() const;
  /// The loops that fusion makes; none if the statement does not compile.
  std::vector<FusedLoop> loops() const;

 private:
  std::optional<nesl::Compiled> compile(const fcode_opt::OptimizeOptions& options, nesl::Watch watch) const;

  nesl::Session& session_;
  const fcode_opt::OptimizeOptions usual_;
  const std::function<std::optional<nesl::Compiled>()> compile_;
};

}  // namespace nesl_cli
