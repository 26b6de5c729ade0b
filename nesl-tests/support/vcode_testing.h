#pragma once

#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>

#include "vcode/reader.h"
#include "vcode/validator.h"

namespace vcode::testing {

/// A text and the errors, as the user sees them, when it is read and (if that works) validated. The file is named p.
struct BadProgram {
  const char* name;
  const char* text;
  const char* complaints;
};

/// Makes GoogleTest print the name.
inline void PrintTo(const BadProgram& program, std::ostream* out) { *out << program.name; }

inline std::string test_name(const ::testing::TestParamInfo<BadProgram>& info) { return info.param.name; }

inline std::string read_complaints(std::string text) {
  base::Source source("p", std::move(text));
  base::Diagnostics diagnostics;
  std::optional<Program> program = parse_vcode(source, diagnostics);
  if (program.has_value() == diagnostics.has_errors()) return "a program, or errors, but not both, were expected";
  return base::render(source, diagnostics);
}

/// The program of a text that must be readable.
inline Program read_good(std::string text) {
  base::Source source("p", std::move(text));
  base::Diagnostics diagnostics;
  std::optional<Program> program = parse_vcode(source, diagnostics);
  if (!program) throw std::runtime_error(base::render(source, diagnostics));
  return std::move(*program);
}

inline std::string validate_complaints(std::string text, Widths widths = {}, bool strict = false) {
  base::Source source("p", std::move(text));
  base::Diagnostics diagnostics;
  std::optional<Program> program = parse_vcode(source, diagnostics);
  if (!program) return "not readable: " + base::render(source, diagnostics);
  validate(*program, widths, strict, diagnostics);
  return base::render(source, diagnostics);
}

}  // namespace vcode::testing
