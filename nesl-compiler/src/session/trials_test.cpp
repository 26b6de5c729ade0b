// Analysis of tests and benchmarks: their programs, their places, and errors.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "nesl-compiler/session.h"

namespace nesl {
namespace {

/// Reads a text and calls `use` with each test and benchmark, tests in comments last. Returns the messages.
std::string with_trials(const std::string& text, const std::function<void(Session&, const Unit&)>& use) {
  std::string messages;
  run_with_deep_stack([&] {
    Session session;
    const base::Source& source = session.add_source("a.nesl", text);
    base::Diagnostics diagnostics;
    std::vector<Unit> trials;
    session.read(source, diagnostics, [&](Unit& unit) {
      if (unit.kind == Unit::Kind::kValue) session.commit(unit);
      if (unit.trial != nullptr) trials.push_back(unit);
      return true;
    });
    for (Unit& unit : session.tests_in_comments(source, diagnostics)) trials.push_back(unit);
    messages = render(source, diagnostics);
    for (const Unit& unit : trials) use(session, unit);
  });
  return messages;
}

/// The messages about the first test of a text.
std::string messages_about(const std::string& text) {
  std::string messages;
  const std::string others = with_trials(text, [&](Session& session, const Unit& unit) {
    base::Diagnostics diagnostics;
    if (unit.kind == Unit::Kind::kTest)
      session.analyze_test(unit, diagnostics);
    else
      session.analyze_bench(unit, diagnostics);
    if (messages.empty()) messages = render(Session::source_of(unit), diagnostics);
  });
  return others + messages;
}

TEST(Trials, AnEqualityKeepsItsSides) {
  with_trials("test \"a\" = {x + 1 : x in [1]} == [2];", [](Session& session, const Unit& unit) {
    base::Diagnostics diagnostics;
    const std::optional<TestProgram> test = session.analyze_test(unit, diagnostics);
    ASSERT_TRUE(test.has_value());
    EXPECT_TRUE(test->is_equality);
    EXPECT_EQ(test->condition.type, "bool, [int], [int]");
    EXPECT_TRUE(test->variables.empty());
    EXPECT_FALSE(test->assumption.has_value());
    EXPECT_TRUE(session.compile(test->condition, false, diagnostics).has_value());
  });
}

TEST(Trials, VariablesHaveTheirTypes) {
  with_trials(
      "datatype point(x : float, y : float);\n"
      "test \"a\" for s : [(int, [char])], (i, p) : (int, point) | i < #s = p.x <= p.y;",
      [](Session& session, const Unit& unit) {
        base::Diagnostics diagnostics;
        const std::optional<TestProgram> test = session.analyze_test(unit, diagnostics);
        ASSERT_TRUE(test.has_value());
        EXPECT_FALSE(test->is_equality);
        EXPECT_EQ(test->condition.type, "bool");
        std::string variables;
        for (const Parameter& v : test->variables) variables += v.name + " : " + v.type + "; ";
        EXPECT_EQ(variables, "s : [(int, [char])]; i : int; p : point; ");
        ASSERT_EQ(test->condition.parameters.size(), 3u);
        EXPECT_EQ(type_text(test->condition.parameters[0]), "[(int, [char])]");
        EXPECT_EQ(type_text(test->condition.parameters[2]), "point");
        ASSERT_TRUE(test->assumption.has_value());
        EXPECT_EQ(test->assumption->type, "bool");
      });
}

TEST(Trials, AreAnalysedAgain) {
  with_trials("test \"a\" for s : [int] | #s > 0 = s == s;", [](Session& session, const Unit& unit) {
    for (int round = 0; round < 2; ++round) {
      base::Diagnostics diagnostics;
      EXPECT_TRUE(session.analyze_test(unit, diagnostics).has_value()) << round;
    }
  });
}

TEST(Trials, UseTheLastDefinitions) {
  EXPECT_EQ(messages_about("test \"a\" = later(1) == 2;\nfunction later(x) = x + 1;\n"), "");
}

TEST(Trials, OfTypesOtherThanBoolAreErrors) {
  EXPECT_EQ(messages_about("test \"a\" = 1 + 2;"),
            "a.nesl:1:12: error: a test is a truth value (bool), but this has the type int\n"
            "  test \"a\" = 1 + 2;\n"
            "             ^~~~~\n");
  EXPECT_EQ(messages_about("test \"a\" for x : int | x = x == x;"),
            "a.nesl:1:24: error: the condition behind | is a truth value (bool), but this has the type int\n"
            "  test \"a\" for x : int | x = x == x;\n"
            "                         ^\n");
  EXPECT_NE(messages_about("test \"a\" = [1] == \"b\";").find("a.nesl:1:"), std::string::npos);
  EXPECT_NE(messages_about("test \"a\" = nonesuch(1);").find("a.nesl:1:12: error: nonesuch is undefined"),
            std::string::npos);
  EXPECT_NE(messages_about("test \"a\" for g : int -> int = g(1) == 1;")
                .find("there are no random functions: a variable of a test cannot hold one"),
            std::string::npos);
}

TEST(Trials, InCommentsHaveTheirPlaces) {
  const std::string text =
      "% The double.\n"
      "  test \"twice\" = double(2) == 4;\n"
      "  A test \"in prose\" = is none, and so is a test of something.\n"
      "  test \"any\" for x : int = double(x) == x + x; behind it may be more %\n"
      "function double(x) = 2 * x;  % test \"last\" = double(0) == 0; %\n";
  std::string places;
  const std::string messages = with_trials(text, [&](Session& session, const Unit& unit) {
    const base::Source::Position at = Session::source_of(unit).position(unit.span.begin);
    base::Diagnostics diagnostics;
    EXPECT_TRUE(session.analyze_test(unit, diagnostics).has_value());
    places += unit.name + " " + std::to_string(at.line) + ":" + std::to_string(at.column) + "; ";
  });
  EXPECT_EQ(messages, "");
  EXPECT_EQ(places, "twice 2:3; any 4:3; last 5:32; ");
}

TEST(Trials, InCommentsWithErrorsAreReportedAtTheirPlaces) {
  EXPECT_EQ(messages_about("x = 1;\n% test \"a\" = (x; %\n"),
            "a.nesl:2:14: error: this ( is not closed\n"
            "  % test \"a\" = (x; %\n"
            "               ^\n"
            "a.nesl:2:16: note: the statement ends here\n"
            "  % test \"a\" = (x; %\n"
            "                 ^\n");
  EXPECT_EQ(messages_about("%\n  test \"a\" = 1; %\nx = 1;\n"),
            "a.nesl:2:14: error: a test is a truth value (bool), but this has the type int\n"
            "    test \"a\" = 1; \n"
            "               ^\n");
}

TEST(Trials, ABenchmarkPreparesItsValues) {
  with_trials(
      "function input(n) = [0:n];\n"
      "bench \"a\" for n in [1K, 2M]; s = input(n); (t, u) = (s, #s) = sum(t) + u + n;",
      [](Session& session, const Unit& unit) {
        base::Diagnostics diagnostics;
        const std::optional<BenchProgram> bench = session.analyze_bench(unit, diagnostics);
        ASSERT_TRUE(bench.has_value());
        EXPECT_EQ(bench->variable, "n");
        ASSERT_TRUE(bench->sizes && bench->preparation);
        EXPECT_EQ(bench->sizes->type, "[int]");
        EXPECT_EQ(bench->preparation->type, "int, [int], [int], int");
        ASSERT_EQ(bench->preparation->parameters.size(), 1u);
        std::string types;
        for (const ValueShape& shape : bench->measured.parameters) types += type_text(shape) + "; ";
        EXPECT_EQ(types, "int; [int]; [int]; int; ");
        EXPECT_TRUE(session.compile(bench->measured, false, diagnostics).has_value());
      });
}

TEST(Trials, SizesOfBenchmarksAreInts) {
  EXPECT_EQ(messages_about("bench \"a\" for n in [1.0] = n;"),
            "a.nesl:1:20: error: the sizes of a benchmark are ints, [int], but this has the type [float]\n"
            "  bench \"a\" for n in [1.0] = n;\n"
            "                     ^~~~~\n");
  EXPECT_EQ(messages_about("bench \"a\" = sum([1, 2]);"), "");
  EXPECT_NE(messages_about("bench \"a\" for n in [1]; s = n = m;").find("error: m is undefined"), std::string::npos);
}

}  // namespace
}  // namespace nesl
