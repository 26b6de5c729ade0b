#pragma once

/// Helpers for tests of the interpreter: programs run in this process.

#include <string>

#include "cvl/loader.h"
#include "memory_file.h"
#include "vcode-interp/run.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

namespace interp::testing {

struct Outcome {
  int status;
  std::string out, errors;
};

/// Runs a program in this process on a backend.
inline Outcome run_text(const std::string& text, cvl::Backend& backend, RunOptions options = {},
                        const std::string& input = "") {
  const MemoryFile in(input), out, errors;
  options.standard_files = {in.descriptor(), out.descriptor(), errors.descriptor()};
  const base::Source source("p.vcode", text);
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (program) vcode::validate(*program, options.widths, options.strict, diagnostics);
  if (!program || diagnostics.has_errors()) return {1, "", base::render(source, diagnostics)};
  const int status = run_program(source, *program, backend, options);
  return {status, out.content(), errors.content()};
}

}  // namespace interp::testing
