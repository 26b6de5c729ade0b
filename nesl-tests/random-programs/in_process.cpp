#include "in_process.h"

#include "../support/memory_file.h"
#include "vcode-interp/run.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

namespace property {

RunResult run_text(const std::string& text, cvl::Backend& backend, vcode::Widths widths, std::uint64_t seed,
                   bool strict, std::int64_t host_limit) {
  const base::Source source("random", text);
  base::Diagnostics diagnostics;
  std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (program) vcode::validate(*program, widths, strict, diagnostics);
  if (!program || diagnostics.has_errors()) return {1, "", "rejected: " + base::render(source, diagnostics)};
  MemoryFile input, output, errors;
  interp::RunOptions options;
  options.widths = widths;
  options.seed = seed;
  options.sandbox = true;
  options.host_limit = host_limit;
  options.standard_files = {input.descriptor(), output.descriptor(), errors.descriptor()};
  const int status = interp::run_program(source, *program, backend, options);
  return {status, output.content(), errors.content()};
}

}  // namespace property
