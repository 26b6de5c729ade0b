// Words that the command describes or rejects; messages and measurements of programs.

#include "command.h"

namespace {

struct Words : Command {};

TEST_F(Words, WordsOfTheLanguageAreDescribed) {
  nesl({"describe", "time"});
  EXPECT_EQ(result.output.substr(0, 24), "time : a -> (a, float)\n ") << result.output;
  nesl({"describe", "LET"});
  EXPECT_EQ(result.exit_status, 0);
  nesl({"apropos", "time"});
  EXPECT_NE(result.output.find("\ntime "), std::string::npos) << result.output;
}

TEST_F(Words, HelpShowsTheLanguageACommandOrAFunction) {
  nesl({"help", "syntax"});
  EXPECT_EQ(result.exit_status, 0);
  const std::string page = result.output;
  EXPECT_EQ(page.substr(0, 7), "% NESL ") << page;
  file("page.nesl", page);
  nesl({"test", "page.nesl"});
  EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
  nesl({"run", "--help"});
  const std::string options = result.output;
  nesl({"help", "run"});
  expect(0, options, "");
  nesl({"--help"});
  const std::string commands = result.output;
  nesl({"help"});
  expect(0, commands, "");
  nesl({"help", "sort"});
  EXPECT_EQ(result.output.substr(0, 7), "sort : ") << result.output;
  nesl({"help", "srot"});
  expect(1, "", "nesl: there is no srot; did you mean sort?\n");
}

TEST_F(Words, ErrorStandsForAValueOfAnyType) {
  file("a.nesl",
       "function head(s) = if #s == 0 then error(\"no head\") else s[0];\n"
       "({head(s) : s in [[1], [2, 3]]}, head([\"text\"]), head([(1, 2.5)]), {head(s) : s in [[\"a\"], [\"b\"]]});\n");
  for (const char* level : {"-O0", "-O1", "-O2"}) {
    nesl({"run", "a.nesl", level});
    expect(0, "it = ([1, 2], \"text\", (1, 2.5), [\"a\", \"b\"]) : [int], [char], (int, float), [[char]]\n", "");
    nesl({"run", "a.nesl", level, "-e", "{head(s) : s in [[\"a\"], [], [\"b\"]]}"});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors.substr(0, 16), "\nERROR: no head\n") << result.errors;
  }
  nesl({"-e", "error(\"f\")(3)"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("a function value that is not known at compile time"), std::string::npos)
      << result.errors;
}

/// Digits in high places decide before those in lower ones.
TEST_F(Words, WordsAreIntsOfSixtyFourBitsIfTheyFit) {
  nesl({"-e",
        "{parse_int(s) : s in [\"9223372036854775807\", \"9223372036854775808\", \"-9223372036854775808\", "
        "\"-9223372036854775809\", \"+9213372036854775909\", \"9133372036854775807\", \"9313372036854775807\", "
        "\"0009223372036854775807\", \"10000000000000000000\"]}",
        "--int=64"});
  expect(0,
         "it = [(9223372036854775807, T), (0, F), (-9223372036854775808, T), (0, F), (9213372036854775909, T), "
         "(9133372036854775807, T), (0, F), (9223372036854775807, T), (0, F)] : [(int, bool)]\n",
         "");
}

TEST_F(Words, ErrorWritesToStandardErrorAndPrintingToStandardOutput) {
  const std::string report = "\nERROR: boom\n";
  for (const char* level : {"-O0", "-O2"}) {
    file("a.nesl", "function g(x) = if x > 1 then error(\"boom\") else t;\n{g(x) : x in [1, 2]};\n");
    nesl({"run", "a.nesl", level});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors.substr(0, report.size()), report) << result.errors;
  }
  nesl({"-e", "print_line(\"fine\"); error(\"boom\")"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.output, "fine\nit = T : bool\n");
  EXPECT_EQ(result.errors.substr(0, report.size()), report) << result.errors;
}

TEST_F(Words, TimeIsThatOfItsExpression) {
  // Expressions that are known before, or not needed, are still computed between the two readings of the clock.
  file("a.nesl",
       "function work(a) = sum({sqrt(float(x)) : x in a});\n"
       "function seconds(a) = let (v, once) = time(work(a)); (w, again) = time(work(a)) in (once, again);\n"
       "function spread(n) = let (v, s) = time(dist(1, n)) in s;\n"
       "(seconds([0:10]), spread(10));\n");
  for (const char* level : {"-O0", "-O1", "-O2"}) {
    nesl({"compile", "a.nesl", level});
    std::vector<std::string> between;
    for (std::size_t at = 0; (at = result.output.find("START_TIMER", at)) != std::string::npos; ++at)
      between.push_back(result.output.substr(at, result.output.find("STOP_TIMER", at) - at));
    ASSERT_EQ(between.size(), 3u) << level << result.output;
    const auto has = [&](const std::string& code, const std::string& what) { return code.find(what) != code.npos; };
    int works = 0, spreads = 0;
    for (const std::string& code : between) {
      works += has(code, "FUSED") || has(code, "CALL WORK") || has(code, "SQRT");
      spreads += has(code, "DIST INT");
    }
    EXPECT_EQ(works, 2) << level << result.output;
    EXPECT_EQ(spreads, 1) << level << result.output;
  }
}

TEST_F(Words, OptionsThatDoNotExist) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"run", "--foo"}, {"--foo"}, {"check", "--foo=3"}, {"describe", "--foo"}}) {
    nesl(arguments);
    expect_error("nesl: there is no option --foo\n");
  }
  nesl({"run", "a.nesl", "--thread=2"});
  expect_error("nesl: there is no option --thread; did you mean --threads?\n");
  nesl({"check", "a.nesl", "--threads=2"});
  expect_error("nesl: check has no option --threads\n");
  for (const char* tool : {NESL_VINTERP, NESL_FCODE_OPT, NESL_NESL2VCODE}) {
    result = run_process({tool, "--foo"}, directory.path(), "", {});
    EXPECT_NE(result.errors.find(": there is no option --foo\n"), std::string::npos) << result.errors;
  }
  for (const char* time : {"-1", "0", "x", "inf", "1s"}) {
    nesl({"-e", "1", std::string("--timeout=") + time});
    expect_error(std::string("nesl: --timeout: '") + time + "' is not a time; give a number of seconds above 0\n");
  }
}

TEST_F(Words, MessagesShowNoTerminatorThatWasNotTyped) {
  nesl({"-e", "1 +"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors,
            "<expression>:1:4: error: an expression after + was expected, not the end of the text\n"
            "  1 +\n"
            "     ^\n");
  nesl({"-e", "nothing_of_that_name"});
  EXPECT_NE(result.errors.find("\n  nothing_of_that_name\n"), std::string::npos) << result.errors;
}

TEST_F(Words, DescribeSuggestsNearNames) {
  nesl({"describe", "srot"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors, "nesl: there is no srot; did you mean sort?\n");
}

}  // namespace
