// nesl show and :show: the steps as text, and what happens to programs that fail, do not end, read, print or are large.

#include <algorithm>
#include <filesystem>

#include "../command.h"
#include "../terminal.h"

namespace {

struct Show : Command {
  static std::string golden(const std::string& name) {
    return read_text(std::string(NESL_SOURCE_DIR) + "/nesl-tests/nesl-command/show/" + name);
  }
  const ProcessResult& show(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), "show");
    return nesl(std::move(arguments), input);
  }
  bool says(const std::string& text) const { return result.output.find(text) != std::string::npos; }
};

TEST_F(Show, AnApplyToEach) {
  show({"{x * x + 1 : x in [1, 2, 3]}"});
  expect(0, golden("each.txt"), "");
}

TEST_F(Show, NestedApplyToEachesWithAFilter) {
  show({"{sum({a * a : a in row | a > 1}) : row in [[1, 2], [], [3, 0, 4]]}"});
  expect(0, golden("nested.txt"), "");
}

TEST_F(Show, AConditionalInAnApplyToEach) {
  show({"{if x > 2 then sum([0:x]) else x - 10 : x in [3, 1, 4]}"});
  expect(0, golden("conditional.txt"), "");
}

TEST_F(Show, RecursionsThatEndAtDifferentTimes) {
  file("halvings.nesl", golden("halvings.nesl"));
  show({"halvings.nesl", "-e", "{halvings(n) : n in [1, 9, 3]}"});
  expect(0, golden("halvings.txt"), "");
}

TEST_F(Show, Quicksort) {
  file("quicksort.nesl", golden("quicksort.nesl"));
  show({"quicksort.nesl", "-e", "qs([3, 1, 2, 5])"});
  expect(0, golden("quicksort.txt"), "");
}

TEST_F(Show, TheLastExpressionOfAFileOrOfStandardInput) {
  file("a.nesl", "v = [1, 2];\n{x + 1 : x in v};\n");
  show({"a.nesl"});
  const std::string of_file = result.output;
  EXPECT_TRUE(says("it = [2, 3] : [int]\n")) << result.output;
  EXPECT_FALSE(says("[1, 2];")) << "steps of an earlier statement:\n" << result.output;
  show({"-"}, text_of("a.nesl"));
  expect(0, of_file, "");
}

TEST_F(Show, ResultsAreThoseOfTheProgram) {
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(NESL_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".nesl") continue;
    const std::string program = entry.path().string();
    const auto last_line = [this] {
      EXPECT_EQ(result.exit_status, 0);
      return result.output.substr(result.output.rfind('\n', result.output.size() - 2) + 1);
    };
    nesl({"run", program});
    const std::string expected = last_line();
    show({program, "--steps=40"});
    EXPECT_EQ(last_line(), expected) << program;
    ++programs;
  }
  EXPECT_GT(programs, 20);
}

TEST_F(Show, TuplesDatatypesAndCharacters) {
  show({"datatype point(int, float); function f(p, k) = {point(a + k, b) : point(a, b) in p}; f([point(1, 2.5)], 7)"});
  EXPECT_TRUE(
      says("     [point(8, 2.5)] : [point]\n"
           "     in f, for 1 instance at once\n"
           "     point(a, b) in p | 1   |\n"
           "     .1: int          | 8   |\n"
           "     .2: float        | 2.5 |\n"))
      << result.output;
  show({"{w ++ \"!\" : w in [\"a b\", \"\"]}"});
  EXPECT_TRUE(says("     [\"a b!\", \"!\"] : [[char]]\n")) << result.output;
  EXPECT_TRUE(says("| a   ␣   b   ! | ! |\n")) << result.output;
}

TEST_F(Show, AFunctionOfTheLibraryAppliedToOneOfTheUser) {
  show({"map((x => x * 2), [1, 2])"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_TRUE(says("x * 2")) << result.output;
}

TEST_F(Show, LongVectorsAreCut) {
  show({"sum({x * x : x in [0:1000000]})", "--elements=3"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_LT(result.output.size(), 3000u);
  EXPECT_TRUE(
      says("     [0, 1, 4, …] : [int]\n"
           "     for 1000000 instances at once\n"
           "     x in [0:1000000] | 1000000       |\n"
           "     int              | 0   1   4   … |\n"))
      << result.output;
}

TEST_F(Show, ManyInstancesAreCut) {
  show({"#{{y : y in [0:x]} : x in [0:1000]}", "--elements=4"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_LT(result.output.size(), 3000u);
  EXPECT_TRUE(
      says("     [[], [0], [0, 1], [0, …]] : [[int]]\n"
           "     for 1000 instances at once\n"
           "     x in [0:1000] | 1000                  |\n"
           "     lengths       | 0 | 1 | 2     | 3     |\n"
           "     int           |   | 0 | 0   1 | 0   … |\n"))
      << result.output;
}

TEST_F(Show, ManyStepsAreCut) {
  show({"function count(n) = if n == 0 then 0 else 1 + count(n - 1); count(100)", "--steps=3"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_TRUE(says(" more steps are not shown: --steps=N shows N")) << result.output;
  EXPECT_TRUE(says("\n  3  ")) << result.output;
  EXPECT_FALSE(says("\n  4  ")) << result.output;
  EXPECT_TRUE(result.output.ends_with("it = 100 : int\n")) << result.output;
}

TEST_F(Show, ProgramsThatDoNotCompile) {
  show({"{x + y : x in [1]}"});
  expect(1, "", "<expression>:1:6: error: y is undefined\n  {x + y : x in [1]}\n       ^\n");
}

TEST_F(Show, ProgramsThatFailShowTheStepsBefore) {
  show({"{[7, 8][i] : i in [0, 2]}"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_TRUE(says("each i")) << result.output;
  EXPECT_FALSE(says("it = ")) << result.output;
  EXPECT_EQ(result.errors.substr(0, 77),
            "<expression>:1:2: run-time error: Sequence reference (a[i]) out of bounds.\n  ");
}

TEST_F(Show, ProgramsThatDoNotEnd) {
  show({"function f(x) = if x == 0 then 0 else f(x + 1); f(1)", "--timeout=0.3", "--steps=2"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_TRUE(says("x == 0")) << result.output;
  EXPECT_NE(result.errors.find("the time given by --timeout is over"), std::string::npos) << result.errors;
}

TEST_F(Show, AnInterruptShowsTheStepsBefore) {
  const std::string endless =
      "function f(x) = if x == 0 then 0 else f(x + 1 - 1); "
      "let v = {x + 10 : x in [1]} in print_line(\"go\") and f(#v) == 0";
  Terminal terminal({NESL_COMMAND, "show", endless}, directory.path());
  terminal.wait_for("go\r\n");
  terminal.type("\x03");
  terminal.wait_for("[11] : [int]");
  terminal.wait_for("interrupted");
  EXPECT_EQ(terminal.wait(), 130);
}

TEST_F(Show, ProgramsThatPrintAndRead) {
  show({"let u = print_string(\"hello\\n\") in {x + 1 : x in [1]}"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_TRUE(result.output.starts_with("hello\n  1  print_string(\"hello\\n\")")) << result.output;
  show({"let ((line, ended), ok, error) = read_line(stdin) in #line"}, "four\n");
  EXPECT_TRUE(result.output.ends_with("it = 4 : int\n")) << result.output << result.errors;
}

TEST_F(Show, RandomNumbersDependOnTheSeed) {
  const auto last = [&](const char* seed) {
    show({"{rand(1000) : x in [1:4]}", seed});
    return result.output.substr(result.output.rfind("it = "));
  };
  const std::string first = last("--seed=1");
  EXPECT_EQ(last("--seed=1"), first);
  EXPECT_NE(last("--seed=2"), first);
}

TEST_F(Show, NeedsAnExpression) {
  show({});
  expect_error("nesl: nesl show needs an expression or a .nesl file\n");
  show({"1", "-e", "2"});
  expect_error("nesl: 1 is no .nesl file, whose expression -e could choose\n");
  file("f.nesl", "function main(n : int) = n;\n");
  show({"f.nesl"});
  expect_error("nesl: f.nesl has no expression to show: let the last statement be one, or give one with -e\n");
  show({"none.nesl"});
  expect_error("nesl: cannot open none.nesl: No such file or directory\n");
  show({"1", "--html=none/page.html"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors, "nesl: cannot write none/page.html: No such file or directory\n");
}

TEST_F(Show, InASession) {
  nesl({"repl"}, "v = [[1, 2], [3]];\n:show {sum(r) : r in v}\nv;\n");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_TRUE(
      says("     r in v  | 2         |\n"
           "     lengths | 2     | 1 |\n"
           "     int     | 1   2 | 3 |\n"))
      << result.output;
  EXPECT_TRUE(result.output.ends_with("it = [3, 3] : [int]\nit = [[1, 2], [3]] : [[int]]\n")) << result.output;
  nesl({"repl"}, ":show (x, y) => x + y\n");
  expect(0, "it = fn : (a, a) -> a :: (a in number)\n", "");
  nesl({"repl"}, ":show --html=page.html [1, 2]\n");
  expect(0, "it = [1, 2] : [int]\n", "");
  EXPECT_TRUE(text_of("page.html").starts_with("<!DOCTYPE html>"));
  nesl({"repl", "--sandbox"}, ":show --html=other.html [1, 2]\n");
  expect(1, "", "nesl: :show --html is refused: the session runs with --sandbox\n");
  nesl({"repl"}, ":show\n:show function f(x) = x\n:show x +\n:show [1][2]\n1;\n");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_TRUE(result.output.ends_with("it = 1 : int\n")) << "the session does not go on";
  EXPECT_TRUE(result.errors.starts_with(":show needs an expression\n") ||
              result.errors.starts_with("nesl: :show needs an expression\nnesl: only an expression"))
      << result.errors;
}

TEST_F(Show, SegmentsHaveColoursOnATerminal) {
  // The elements 1 and 2 have the colour of the length 2, and 3 has that of the length 1.
  const std::string lengths = "\x1b[36m2    \x1b[0m | \x1b[33m1\x1b[0m |";
  const std::string elements = "\x1b[36m1\x1b[0m   \x1b[36m2\x1b[0m | \x1b[33m3\x1b[0m |";
  Terminal terminal({NESL_COMMAND, "show", "{sum(r) : r in [[1, 2], [3]]}"}, directory.path());
  terminal.wait_for(lengths);
  terminal.wait_for(elements);
  terminal.wait_for("it = [3, 3] : [int]");
  EXPECT_EQ(terminal.wait(), 0);
  Terminal plain({"/usr/bin/env", "NO_COLOR=1", NESL_COMMAND, "show", "{sum(r) : r in [[1, 2], [3]]}"},
                 directory.path());
  EXPECT_EQ(plain.wait_for("it = [3, 3] : [int]").find('\x1b'), std::string::npos);
}

TEST_F(Show, AnInterruptKeepsTheSession) {
  Terminal terminal({NESL_COMMAND}, directory.path());
  terminal.wait_for("nesl> ");
  terminal.type("function f(x) = if x == 0 then 0 else f(x + 1 - 1);\n");
  terminal.wait_for("f = fn");
  terminal.type(":show let v = {x + 10 : x in [1]} in print_line(\"go\") and f(#v) == 0\n");
  terminal.wait_for("go\r\n");
  terminal.type("\x03");
  terminal.wait_for("interrupted");
  terminal.wait_for("[11] : [int]");
  terminal.wait_for("nesl> ");
  terminal.type("1 + 2\n");
  terminal.wait_for("it = 3 : int");
}

}  // namespace
