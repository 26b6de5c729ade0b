#include "text_failure.h"

#include <string_view>

namespace nesl_c {

void throw_errors(const base::Source& source, const base::Diagnostics& diagnostics) {
  for (const base::Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.severity != base::Severity::kError) continue;
    Failure failure;
    failure.kind = NESL_ERROR_TEXT;
    failure.message = diagnostic.message;
    failure.report = base::render(source, diagnostics);
    failure.file = source.name();
    const base::Source::Position at = source.position(diagnostic.span.begin);
    failure.line = at.line;
    failure.column = at.column;
    throw Failed(std::move(failure));
  }
}

namespace {

/// The text of the last error("...") that a program called: the text behind "ERROR: ". Empty if there is none.
std::string_view last_words(std::string_view said) {
  constexpr std::string_view kBefore = "\nERROR: ";
  const std::size_t at = said.rfind(kBefore);
  if (at == said.npos) return {};
  said.remove_prefix(at + kBefore.size());
  if (said.ends_with('\n')) said.remove_suffix(1);
  return said;
}

nesl_error_class class_of(interp::RunFailure::Kind kind) {
  switch (kind) {
    case interp::RunFailure::Kind::kStopped:
      return NESL_ERROR_CANCELLED;
    case interp::RunFailure::Kind::kSurroundings:
      return NESL_ERROR_RESOURCE;
    case interp::RunFailure::Kind::kProgram:
      break;
  }
  return NESL_ERROR_RUN;
}

}  // namespace

Failure failure_of(const interp::RunResult& result) {
  const interp::RunFailure& from = result.failure;
  Failure failure;
  failure.kind = class_of(from.kind);
  failure.message = from.message;
  failure.report = from.said + result.report;
  if (const std::string_view words = last_words(from.said); !words.empty()) failure.message = words;
  if (result.status == 0) failure.message = "the program has ended itself";
  failure.file = from.location.file;
  failure.function = from.location.function;
  failure.line = from.location.line;
  failure.column = from.location.column;
  failure.path = from.path;
  failure.path_complete = from.path_complete;
  return failure;
}

}  // namespace nesl_c
