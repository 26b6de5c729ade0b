#pragma once

#include <string>
#include <utility>

#include "base/diagnostics.h"

namespace nesl {

/// Diagnostics of one statement: remembers whether there was an error in this one. After kMaxErrors errors in the
/// whole text no more are kept.
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

/// Adds advice to a diagnostic.
inline void add_note(base::Diagnostic& diagnostic, std::string message) {
  diagnostic.notes.push_back({{}, std::move(message), false});
}
inline void add_note(base::Diagnostic& diagnostic, base::Span span, std::string message) {
  diagnostic.notes.push_back({span, std::move(message), true});
}
/// The same for a diagnostic that may not have been reported (null).
inline void add_note(base::Diagnostic* diagnostic, std::string message) {
  if (diagnostic != nullptr) add_note(*diagnostic, std::move(message));
}
inline void add_note(base::Diagnostic* diagnostic, base::Span span, std::string message) {
  if (diagnostic != nullptr) add_note(*diagnostic, span, std::move(message));
}

}  // namespace nesl
