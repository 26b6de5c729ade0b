#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "cvl/loader.h"
#include "fcode-opt/optimize.h"
#include "nesl-compiler/session.h"
#include "vcode-interp/profile.h"
#include "vcode-interp/run.h"

/// Counts of the run of a program.
struct Work {
  std::uint64_t elements = 0;  ///< sum over instructions of the longest result, or operand that is read from end to end
  std::uint64_t calls = 0;     ///< number of calls of functions
};

/// The work of a program given as definitions and a last expression, at an optimization level.
inline Work work_of(const std::string& text, int level) {
  std::string error;
  const cvl::BackendPtr backend = cvl::load_backend("cpu", cvl::default_backend_directories(), {}, error);
  if (backend == nullptr) throw std::runtime_error(error);
  Work work;
  nesl::run_with_deep_stack([&] {
    nesl::Session session;
    session.set_pipeline({.level = level});
    const base::Source& source = session.add_source("program", text);
    base::Diagnostics diagnostics;
    std::optional<nesl::Compiled> compiled;
    session.read(source, diagnostics, [&](nesl::Unit& unit) {
      if (unit.kind == nesl::Unit::Kind::kValue) compiled = session.compile(unit, true, diagnostics);
      return true;
    });
    if (!compiled) throw std::runtime_error(base::render(source, diagnostics));
    interp::Profile profile(false);
    interp::RunOptions options;
    options.profile = &profile;
    options.piece_bytes = 0;
    interp::Interpreter interpreter(*backend, options);
    const interp::RunResult result =
        interpreter.run(base::Source("program", ""), fcode_opt::optimize(compiled->program, {.level = level}).program);
    if (result.status != 0) throw std::runtime_error(result.report);
    for (const auto& [instruction, row] : profile.instructions()) work.elements += row.elements;
    for (const auto& [function, row] : profile.functions()) work.calls += row.count;
  });
  return work;
}
