#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "nesl-compiler/session.h"

namespace nesl_cli {

/// A replacement of a part of a text.
struct TextChange {
  base::Span span{};
  std::string text;
};

/// A change that an editor offers for an error.
struct QuickFix {
  std::string title;
  std::vector<TextChange> changes;
};

/// The changes that the message and the notes of a diagnostic propose. The session has analysed the text.
std::vector<QuickFix> quick_fixes(const nesl::Session& session, const base::Source& source,
                                  const base::Diagnostic& diagnostic);

/// The changes that make one text of another: a replacement of the lines between the first and the last that differ;
/// none if the texts are the same.
std::vector<TextChange> changed_lines(std::string_view before, std::string_view after);

}  // namespace nesl_cli
