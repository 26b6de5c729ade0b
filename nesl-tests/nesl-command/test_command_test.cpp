// nesl test: tests in files and comments, random inputs, reports, and everything that can go wrong.

#include <nlohmann/json.hpp>

#include "command.h"

namespace {

/// A text without the durations of tests and runs.
std::string without_times(std::string text) {
  for (const char* unit : {" ms", " s,"})
    for (std::size_t at = 0; (at = text.find(unit, at)) != std::string::npos; ++at) {
      std::size_t begin = at;
      while (begin > 0 && (std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '.'))
        --begin;
      text.replace(begin, at - begin, "N");
      at = text.find(unit, begin);
    }
  return text;
}

struct Tests : Command {
  /// Expects this status and output, times apart, and no errors.
  void expect_report(int status, const std::string& output) {
    EXPECT_EQ(result.exit_status, status);
    EXPECT_EQ(without_times(result.output), output);
    EXPECT_EQ(result.errors, "");
  }
};

const char* const kSorts =
    "function quicksort(s) =\n"
    "  if #s < 2 then s\n"
    "  else let p = s[#s / 2] in quicksort({x in s | x < p}) ++ {x in s | x == p} ++ quicksort({x in s | x > p});\n"
    "test \"sorts\" = quicksort([3, 1, 2]) == [1, 2, 3];\n"
    "test \"sorted, any s\" for s : [int] = quicksort(s) == sort(s);\n";

TEST_F(Tests, PassAndFail) {
  file("a.nesl", kSorts);
  nesl({"test", "a.nesl", "--seed=1"});
  expect_report(0, "2 tests passed in N s, seed 1\n");
  file("b.nesl",
       "test \"wrong\" = sort([3, 1, 2]) == [1, 3, 2];\n  test \"no equality\" = 1 > 2;\ntest \"right\" = t;\n");
  nesl({"test", "b.nesl", "--seed=1"});
  expect_report(1,
                "b.nesl:1:1: test failed: wrong\n"
                "  got      [1, 2, 3]\n"
                "  expected [1, 3, 2]\n"
                "b.nesl:2:3: test failed: no equality\n"
                "2 of 3 tests failed in N s, seed 1\n");
}

TEST_F(Tests, PassingOnesAreListedIfWanted) {
  file("a.nesl", kSorts);
  nesl({"test", "a.nesl", "-v", "--seed=1", "--inputs=20"});
  expect_report(0,
                "a.nesl:4:1: passed: sorts (N ms)\n"
                "a.nesl:5:1: passed: sorted, any s (20 inputs, N ms)\n"
                "2 tests passed in N s, seed 1\n");
}

TEST_F(Tests, RandomInputsAreMadeSimple) {
  file("a.nesl",
       "function wrong(s) = if #s > 2 then s else sort(s);\n"
       "test \"sorted\" for s : [int] = wrong(s) == sort(s);\n"
       "test \"small\" for n : int, x : float = n < 17 or x < 1.0;\n"
       "test \"text\" for s : [char] = not(any({c == `\\ : c in s}));\n");
  nesl({"test", "a.nesl", "--seed=5", "--inputs=2000"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.output.find("  for s = [0, 1, 0]\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("  for n = 17, x = 1.0\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("  for s = \"\\\\\"\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("; --seed=5 repeats it\n  got      [0, 1, 0]\n  expected [0, 0, 1]\n"),
            std::string::npos)
      << result.output;
  const std::string before = without_times(result.output);
  nesl({"test", "a.nesl", "--seed=5", "--inputs=2000"});
  EXPECT_EQ(without_times(result.output), before);
  nesl({"test", "a.nesl", "--seed=5", "--inputs=2000", "--filter=small"});
  EXPECT_NE(result.output.find("  for n = 17, x = 1.0\n  input "), std::string::npos) << result.output;
}

TEST_F(Tests, EveryTypeHasRandomInputs) {
  file("a.nesl",
       "datatype point(x : float, y : float);\n"
       "test \"all\" for a : int, b : float, c : bool, d : char, e : [[(int, [char])]], p : point, q : [point], "
       "(u, v) : (int, [bool]) = #flatten(e) >= 0 and #q >= 0 and #v >= 0;\n"
       "test \"nan\" for x : float = x == x;\n"
       "test \"int\" for n : int = n /= min_int;\n");
  nesl({"test", "a.nesl", "--seed=1", "--inputs=1000"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.output.find("all"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("  for x = nan\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("  for n = -9223372036854775808\n"), std::string::npos) << result.output;
  nesl({"test", "a.nesl", "--seed=1", "--inputs=1000", "--int=32", "--filter=int"});
  EXPECT_NE(result.output.find("  for n = -2147483648\n"), std::string::npos) << result.output;
}

TEST_F(Tests, OnlyInputsThatSatisfyTheConditionCount) {
  file("a.nesl",
       "test \"index\" for s : [int], i : int | i >= 0 and i < #s = s[i] == take(s, i + 1)[i];\n"
       "test \"rare\" for n : int | n == 12345 = t;\n");
  nesl({"test", "a.nesl", "--seed=1", "-v"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.output.find("a.nesl:1:1: passed: index (100 inputs, "), std::string::npos) << result.output;
  EXPECT_NE(result.output.find(
                "a.nesl:2:1: test error: rare\n  only 0 of 1001 random inputs satisfy the condition behind |\n"),
            std::string::npos)
      << result.output;
}

TEST_F(Tests, FaultsAreFailuresWithTheirMessages) {
  file("a.nesl",
       "function pick(s, i) = s[i];\n"
       "test \"out of bounds\" = pick([1, 2], 5) == 1;\n"
       "test \"error\" = error(\"boom\");\n"
       "test \"printed\" = let done = print_line(\"hello\") in f;\n"
       "test \"quiet\" = print_line(\"not shown\");\n"
       "test \"any\" for i : int | i >= 0 = pick([1, 2], i) > 0;\n");
  nesl({"test", "a.nesl", "--seed=1"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors, "");
  EXPECT_NE(result.output.find("a.nesl:2:1: test error: out of bounds\n"
                               "  a.nesl:1:23: run-time error in pick: Sequence reference (a[i]) out of bounds.\n"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("  index 5, but the sequence has length 2\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("a.nesl:3:1: test error: error\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("boom"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("a.nesl:4:1: test failed: printed\n  hello\n"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("not shown"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("a.nesl:6:1: test error: any\n  for i = 2\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("4 of 5 tests failed"), std::string::npos) << result.output;
}

TEST_F(Tests, SidesThatLookTheSameAreExplained) {
  file("a.nesl", "test \"nan\" = [nan] == [nan];\ntest \"long\" = [0:1000] == [0:1001];\n");
  nesl({"test", "a.nesl", "--seed=1"});
  const std::string note = "  both look the same: nan is equal to nothing, and long values are shown in part\n";
  EXPECT_NE(result.output.find("  got      [nan]\n  expected [nan]\n" + note), std::string::npos) << result.output;
  EXPECT_NE(result.output.find(",...]\n" + note), std::string::npos) << result.output;
}

TEST_F(Tests, InCommentsAreRun) {
  file("a.nesl",
       "% Twice a number.\n  test \"twice\" = double(2) == 5; %\nfunction double(x) = 2 * x;\n"
       "test \"any\" for x : int = double(x) == x + x;\n");
  nesl({"test", "a.nesl", "--seed=1"});
  expect_report(1, "a.nesl:2:3: test failed: twice\n  got      4\n  expected 5\n1 of 2 tests failed in N s, seed 1\n");
}

TEST_F(Tests, UseVariablesThatAreComputedOnce) {
  file("a.nesl",
       "x = 3;\ny = let done = print_line(\"computed\") in x + 1;\nx = 10;\nbad = [1][y];\n"
       "print_line(\"the program\");\n"
       "test \"y\" = (x, y) == (10, 4);\ntest \"again\" for i : int = y == 4;\ntest \"bad\" = bad == 1;\n");
  nesl({"test", "a.nesl", "--seed=1"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.output.find("computed"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("the program"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("a.nesl:8:1: test error: bad\n  a.nesl:4:7: run-time error: Sequence reference"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("1 of 3 tests failed"), std::string::npos) << result.output;
}

TEST_F(Tests, AreNotRunByOtherCommands) {
  file("a.nesl", "test \"fails\" = f;\nx = 3;\nx + 1;\ntest \"undefined\" = nonesuch(1);\n");
  nesl({"run", "a.nesl"});
  expect(0, "it = 4 : int\n", "");
  nesl({"compile", "a.nesl", "-o", "a.vcode"});
  expect(0, "", "");
  nesl({"-e", "load \"a.nesl\"; it"});
  expect(0, "it = 4 : int\n", "");
  nesl({"-e", "test \"x\" = t"});
  expect(0, "", "nesl: tests of a file are run by nesl test\n");
  file("b.nesl", "test \"main\" = main(1) == 1;\nfunction main(n : int) = n;\ntest \"last\" = f;\n");
  nesl({"run", "b.nesl", "--", "4"});
  expect(0, "it = 4 : int\n", "");
}

TEST_F(Tests, AreCheckedByCheck) {
  file("a.nesl", "test \"a\" = 1;\n% test \"b\" = nonesuch; %\nx = 1;\nbench \"c\" for n in [1] = m;\n");
  for (const char* command : {"check", "test"}) {
    nesl({command, "a.nesl"});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE(result.errors.find("a.nesl:1:12: error: a test is a truth value (bool), but this has the type int\n"),
              std::string::npos)
        << result.errors;
    EXPECT_NE(result.errors.find("a.nesl:2:14: error: nonesuch is undefined\n"), std::string::npos) << result.errors;
  }
  nesl({"check", "a.nesl"});
  EXPECT_NE(result.errors.find("a.nesl:4:26: error: m is undefined\n"), std::string::npos) << result.errors;
}

TEST_F(Tests, OfFilesThatDoNotCompileAreNotRun) {
  file("a.nesl", "test \"a\" = t;\nx = (1;\n");
  nesl({"test", "a.nesl", "--seed=1"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(without_times(result.output), "0 tests passed in N s, seed 1; 1 file with errors\n");
  EXPECT_EQ(result.errors.substr(0, 39), "a.nesl:2:5: error: this ( is not closed");
  file("b.nesl", "test \"b\" = t;\n");
  nesl({"test", "a.nesl", "b.nesl", "--seed=1", "--junit=out.xml"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(without_times(result.output), "1 test passed in N s, seed 1; 1 file with errors\n");
  EXPECT_NE(text_of("out.xml").find("<testsuites name=\"nesl test\" tests=\"2\" failures=\"1\""), std::string::npos);
  EXPECT_NE(text_of("out.xml").find("<testcase classname=\"a.nesl\" name=\"compiles\""), std::string::npos);
  nesl({"test", "a.nesl", "--json"});
  EXPECT_EQ(nlohmann::json::parse(result.output).at("files_with_errors").at(0), "a.nesl");
  nesl({"test", "nonesuch.nesl"});
  expect(1, "", "nesl: cannot open nonesuch.nesl: No such file or directory\n");
}

TEST_F(Tests, ThatAreNotThereAreAnError) {
  file("a.nesl", "x = 1;\n");
  nesl({"test", "a.nesl"});
  expect(1, "", "nesl: there are no tests in a.nesl\n");
  file("b.nesl", "test \"a\" = t;\ntest \"b\" = t;\n");
  nesl({"test", "b.nesl", "--filter=nonesuch"});
  expect(1, "", "nesl: none of 2 tests has 'nonesuch' in its title\n");
  std::filesystem::create_directory(directory.path() / "empty");
  nesl({"test", "empty"});
  expect(1, "", "nesl: there are no tests in 0 files\n");
}

TEST_F(Tests, AreFoundInFolders) {
  std::filesystem::create_directories(directory.path() / "sub/deep");
  std::filesystem::create_directories(directory.path() / "sub/.hidden");
  file("sub/b.nesl", "test \"b\" = f;\n");
  file("sub/deep/c.nesl", "test \"c\" = f;\nload \"../b.nesl\";\n");
  file("sub/.hidden/d.nesl", "test \"d\" = f;\n");
  file("a.nesl", "test \"a\" = f;\n");
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"test", "--seed=1"}, {"test", ".", "--seed=1"}}) {
    nesl(names);
    expect_report(1,
                  "a.nesl:1:1: test failed: a\nsub/b.nesl:1:1: test failed: b\nsub/deep/c.nesl:1:1: test failed: c\n"
                  "3 of 3 tests failed in N s, seed 1\n");
  }
  nesl({"test", "-", "--seed=1"}, "test \"input\" = f;\n");
  expect_report(1, "<stdin>:1:1: test failed: input\n1 of 1 test failed in N s, seed 1\n");
}

TEST_F(Tests, ThatDoNotEndAreStopped) {
  file("a.nesl",
       "function loop(n) = if n < 0 then n else loop(n + 1);\n"
       "test \"endless\" = loop(1) == 1;\ntest \"any\" for i : int | i >= 0 = loop(i) == 1;\ntest \"fine\" = t;\n");
  nesl({"test", "a.nesl", "--timeout=0.2", "--seed=1"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.output.find("a.nesl:2:1: test error: endless\n  stopped after 0.2 s (--timeout)\n"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("a.nesl:3:1: test error: any\n  for i = "), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("2 of 3 tests failed"), std::string::npos) << result.output;
}

TEST_F(Tests, AreInterrupted) {
  file("a.nesl",
       "function loop(n) = if n < 0 then n else loop(n + 1);\n"
       "test \"first\" = f;\ntest \"endless\" = loop(1) == 1;\ntest \"never\" = f;\n");
  shell("timeout --foreground --preserve-status -s INT 1 " NESL_COMMAND " test a.nesl --seed=1 2>&1");
  EXPECT_EQ(result.exit_status, 130);
  EXPECT_EQ(without_times(result.output),
            "a.nesl:2:1: test failed: first\n1 of 1 test failed in N s, seed 1\ninterrupted\n");
}

TEST_F(Tests, RunInAllConfigurations) {
  file("a.nesl", std::string(kSorts) + "test \"wrong\" = 1 == 2;\n");
  nesl({"test", "a.nesl", "--all", "--seed=1", "--inputs=10"});
  EXPECT_EQ(result.exit_status, 1);
  for (const char* level : {"-O0", "-O1", "-O2"})
    EXPECT_NE(result.output.find(std::string("a.nesl:6:1: test failed: wrong [") + level + " --backend=cpu]\n"),
              std::string::npos)
        << result.output;
  EXPECT_EQ(result.output.find("sort"), std::string::npos) << result.output;
}

TEST_F(Tests, AreReportedToJUnit) {
  file("a.nesl", "test \"good\" = t;\ntest \"<bad> & \\\"worse\\\"\" = 1 == 2;\ntest \"fault\" = error(\"x\");\n");
  nesl({"test", "a.nesl", "--junit=out.xml", "--seed=1"});
  EXPECT_EQ(result.exit_status, 1);
  const std::string xml = text_of("out.xml");
  EXPECT_NE(xml.find("<testsuite name=\"a.nesl\" tests=\"3\" failures=\"1\" errors=\"1\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("name=\"&lt;bad&gt; &amp; &quot;worse&quot;\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("<failure message=\"a.nesl:2:1: failed\">got      1&#10;expected 2&#10;</failure>"),
            std::string::npos)
      << xml;
  shell("python3 -c 'import xml.etree.ElementTree as e; print(len(e.parse(\"out.xml\").findall(\".//testcase\")))'");
  expect(0, "3\n", "");
  nesl({"test", "a.nesl", "--junit=nonesuch/out.xml"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("nesl: cannot write nonesuch/out.xml"), std::string::npos) << result.errors;
}

TEST_F(Tests, AreReportedAsJson) {
  file("a.nesl", "test \"good\" for b : bool = t;\ntest \"bad \xFF\" = 1 == 2;\n");
  nesl({"test", "a.nesl", "--json", "--seed=9"});
  EXPECT_EQ(result.exit_status, 1);
  const nlohmann::json report = nlohmann::json::parse(result.output);
  EXPECT_EQ(report.at("seed"), 9);
  ASSERT_EQ(report.at("tests").size(), 2u);
  EXPECT_EQ(report["tests"][0]["outcome"], "passed");
  EXPECT_EQ(report["tests"][0]["inputs"], 100);
  EXPECT_EQ(report["tests"][1]["details"], "got      1\nexpected 2\n");
  EXPECT_EQ(report["tests"][1]["line"], 2);
}

TEST_F(Tests, RefuseWrongOptions) {
  file("a.nesl", "test \"a\" = t;\n");
  nesl({"test", "a.nesl", "--seed=x"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("--seed"), std::string::npos) << result.errors;
  nesl({"test", "a.nesl", "--inputs=0"});
  EXPECT_EQ(result.exit_status, 1);
  nesl({"test", "a.nesl", "--backend=nonesuch"});
  expect_error("nesl: ");
}

TEST_F(Tests, ReadWhatADeviceHasComputed) {
  file("b.nesl", "test \"all\" = all({i >= 0 : i in [0:10000]});\ntest \"but one\" = all({i > 0 : i in [0:10000]});\n");
  nesl({"test", "b.nesl", "--backend=cuda-host"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.output.find("b.nesl:2:1: test failed: but one\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("1 of 2 tests failed"), std::string::npos) << result.output;
}

}  // namespace
