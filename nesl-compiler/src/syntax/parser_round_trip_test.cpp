// Round trips: syntax trees are printed as source and parsed again, for small texts, all cases, the prelude and the
// examples.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "ast_text.h"
#include "parser_testing.h"

namespace nesl::testing {
namespace {

TEST(AstText, FewParentheses) {
  for (const char* text : {"a + b * c",
                           "(a + b) * c",
                           "a - (b - c)",
                           "a - b - c",
                           "a -> b -> c",
                           "(a -> b) -> c",
                           "-2 ^ 2",
                           "-(2 ^ 2)",
                           "--3",
                           "#a[0]",
                           "(#a)[0]",
                           "g(a)(b)[i, j]",
                           "(a, b), c",
                           "a, b, c",
                           "g((a, b), c)",
                           "g(1, y := 2, z := x => x)",
                           "if c then 1, 2 else 3, 4",
                           "(if c then 1 else 2) + 3",
                           "1 + if c then 2 else 3",
                           "(if c then 1 else 2), 3",
                           "(1 + if c then 2 else 3) * 4",
                           "[(if c then 1 else 2), 3]",
                           "[1, if c then 2 else 3]",
                           "(let x = 1 in x)(2)",
                           "let x, y = 1, 2; p(z) = q in x",
                           "x => y => x, 2",
                           "(x => x)(3)",
                           "((x, y) => x, 1), 2",
                           "(x => x) + 1",
                           "[s : e]",
                           "[s : e : -1]",
                           "[(a, b) : c]",
                           "([] int)[0]",
                           "[] (int, a -> [b]) ++ c",
                           "[] box(int, a)",
                           "{x + y : x in a; y in b | x > y}",
                           "{* x => x : x, y in a}",
                           "{if c then 1 else 2 : x in a | t}",
                           "'+",
                           "'and",
                           "scan('+, 0, a)",
                           "time(1, 2)",
                           "closure('+, 1)",
                           "closure(x => x, a, b) + 1",
                           "`;",
                           "\"a\\\"\\\\\"",
                           "1.5",
                           "2.0",
                           "1e+300",
                           "g(if c then 1 else 2, 3)",
                           "-if c then 1 else 2",
                           "'- + '-",
                           "a and b or c",
                           "a and (b or c)"}) {
    const ParseResult result = read(std::string(text) + ";");
    EXPECT_EQ(result.errors, "") << text;
    ASSERT_EQ(result.statements.size(), 1U) << text;
    EXPECT_EQ(to_text(*std::get<ValueStatement>(result.statements[0].node).value), text);
  }
}

/// Parses a text, prints the tree, and parses the output: both trees must be equal.
void check_round_trip(const std::string& text, ParseOptions options) {
  const ParseResult result = read(text, options);
  for (const Statement& statement : result.statements) {
    if (std::holds_alternative<PrimitiveStatement>(statement.node) ||
        std::holds_alternative<CommandStatement>(statement.node))
      continue;
    const std::string printed = source_text(statement);
    EXPECT_EQ(tree(printed, options), dump(statement)) << printed;
  }
}

TEST(Printing, TestsAndBenchmarks) {
  for (const char* text : {"test \"a\" = g(1) == 2;", "test \"a\" for s : [int], (x, y) : (int, p) | x < y = f;",
                           "bench \"a\" = g(1);", "bench \"a\" for n in [1K]; s, r = g(n); q = 2 = h(s);"})
    check_round_trip(text, {});
}

TEST(Printing, FunctionsAndVariablesCalledLikeTruthValues) {
  for (const char* text : {"function f(x) = f(x - 1);", "function t(x : int) : int = x;", "t = 3;", "(f, t) = (1, 2);"})
    check_round_trip(text, {});
}

TEST(Printing, NamesThatBeginOtherStatements) {
  // Each text is a value statement, with and without the syntax of the prelude, but only because of its parentheses.
  for (std::string_view text : {"(primitive) + 1", "(primitive x)", "(specialize(x))", "(set) - 3", "(load, x) = a",
                                "(primitive, x) = a", "(help x)", "(primitive)", "(get) = 2"}) {
    for (ParseOptions options : {ParseOptions{}, kPrelude}) {
      const std::string statement = std::string(text) + ";";
      EXPECT_EQ(errors(statement, options), "") << text;
      check_round_trip(statement, options);
    }
  }
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Corpus, CasesOfTheLanguage) {
  std::istringstream lines(contents(NESL_CASES));
  std::string statement, line;
  int statements = 0;
  // An error is expected of the statement before it.
  const auto check = [&](std::string_view expected) {
    if (statement.empty()) return;
    ++statements;
    const base::Source source("case", statement);
    base::Diagnostics diagnostics;
    parse(source, {}, diagnostics);
    const std::string found = diagnostics.has_errors() ? diagnostics.all()[0].code : "";
    // Two expected errors are not found by the parser: a definition of a name of the prelude ("reserved"), and the
    // unknown element type of [].
    if ((expected == "syntax" || expected == "pattern") && statement != "[];")
      EXPECT_EQ(found, expected) << statement;
    else
      EXPECT_TRUE(found.empty() || found == expected) << statement << "\n" << render(source, diagnostics);
    check_round_trip(statement, {});
    statement.clear();
  };
  while (std::getline(lines, line)) {
    if (line.starts_with("> ")) {
      check("");
      statement = line.substr(2);
    } else if (line.starts_with("! ")) {
      check(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  check("");
  EXPECT_EQ(statements, 1099);
}

TEST(Corpus, PreludeAndExamples) {
  int files = 0;
  for (const auto& [folder, options] :
       {std::pair{std::filesystem::path(NESL_PRELUDE), kPrelude}, {std::filesystem::path(NESL_EXAMPLES), {}}})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".nesl") continue;
      ++files;
      EXPECT_EQ(errors(contents(entry.path()), options), "") << entry.path();
      check_round_trip(contents(entry.path()), options);
    }
  EXPECT_GT(files, 20);
}

}  // namespace
}  // namespace nesl::testing
