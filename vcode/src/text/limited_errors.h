#pragma once

#include <string>

#include "base/diagnostics.h"

namespace vcode {

/// Adds the first kLimit errors to the diagnostics, then one that says that there are more.
class LimitedErrors {
 public:
  explicit LimitedErrors(base::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void add(base::Span span, std::string message, std::vector<base::Diagnostic::Note> notes = {}) {
    if (exhausted()) return;
    if (++count_ > kLimit)
      diagnostics_.error(span, "too many errors; the rest is not looked at");
    else
      diagnostics_.error(span, std::move(message)).notes = std::move(notes);
  }
  bool any() const { return count_ > 0; }
  bool exhausted() const { return count_ > kLimit; }

 private:
  static constexpr int kLimit = 20;
  base::Diagnostics& diagnostics_;
  int count_ = 0;
};

}  // namespace vcode
