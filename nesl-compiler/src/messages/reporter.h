#pragma once

#include <string>
#include <utility>

#include "base/diagnostics.h"

namespace nesl {

/// Error reporter for one statement: records whether the statement had an error. Drops errors beyond kMaxErrors in the
/// whole text.
class Reporter {
 public:
  static constexpr int kMaxErrors = 100;

  Reporter(const base::Source& source, base::Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}

  /// `code` is the class of the error, e.g. "unbound".
  base::Diagnostic& error(base::Span span, const char* code, std::string message) {
    failed_ = true;
    if (is_full()) return discarded_ = {};
    base::Diagnostic& diagnostic = diagnostics_.error(span, std::move(message));
    diagnostic.code = code;
    return diagnostic;
  }
  base::Diagnostic& warning(base::Span span, std::string message) {
    return diagnostics_.warning(span, std::move(message));
  }

  bool failed() const { return failed_; }
  bool is_full() const { return diagnostics_.errors() >= kMaxErrors; }
  const base::Source& source() const { return source_; }

 private:
  const base::Source& source_;
  base::Diagnostics& diagnostics_;
  base::Diagnostic discarded_{};
  bool failed_ = false;
};

/// Adds a note with advice to a diagnostic.
inline void add_note(base::Diagnostic& diagnostic, std::string message) {
  diagnostic.notes.push_back({{}, std::move(message), false});
}
inline void add_note(base::Diagnostic& diagnostic, base::Span span, std::string message) {
  diagnostic.notes.push_back({span, std::move(message), true});
}
/// Adds a note to a diagnostic unless it is null, that is, was dropped.
inline void add_note(base::Diagnostic* diagnostic, std::string message) {
  if (diagnostic != nullptr) add_note(*diagnostic, std::move(message));
}
inline void add_note(base::Diagnostic* diagnostic, base::Span span, std::string message) {
  if (diagnostic != nullptr) add_note(*diagnostic, span, std::move(message));
}

}  // namespace nesl
