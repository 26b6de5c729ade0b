#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "ast_dump.h"
#include "syntax/parser.h"

// Helpers for tests of the parser.
namespace nesl::testing {

struct ParseResult {
  std::vector<Statement> statements;
  /// "line:column 'text': message [code]" for each error, the code unless it is "syntax", and its notes, one a line.
  std::string errors;
};

inline ParseResult read(const std::string& text, ParseOptions options = {}) {
  const base::Source source("test", text);
  base::Diagnostics diagnostics;
  ParseResult result;
  result.statements = parse(source, options, diagnostics);
  for (const base::Diagnostic& d : diagnostics.all()) {
    const base::Source::Position at = source.position(d.span.begin);
    result.errors += fmt::format("{}:{} '{}': {}", at.line, at.column, source.text(d.span), d.message);
    if (d.code != "syntax") result.errors += fmt::format(" [{}]", d.code);
    result.errors += '\n';
    for (const base::Diagnostic::Note& note : d.notes)
      result.errors += note.located ? fmt::format("  '{}': {}\n", source.text(note.span), note.message)
                                    : fmt::format("  {}\n", note.message);
  }
  for (const Statement& statement : result.statements) EXPECT_EQ(misplaced_part(statement, text), "") << text;
  return result;
}

/// The tree of one statement, or the errors.
inline std::string tree(const std::string& text, ParseOptions options = {}) {
  const ParseResult result = read(text, options);
  if (!result.errors.empty()) return result.errors;
  std::string all;
  for (const Statement& statement : result.statements) all += (all.empty() ? "" : "; ") + dump(statement);
  return all;
}

/// The tree of an expression.
inline std::string parsed(const std::string& text) { return tree(text + ";"); }

inline std::string errors(const std::string& text, ParseOptions options = {}) { return read(text, options).errors; }

inline constexpr ParseOptions kPrelude{.prelude = true};

}  // namespace nesl::testing
