// Arguments behind -- on the command line, and the environment.

#include "command.h"

namespace {

struct Arguments : Command {
  void SetUp() override { file("main.nesl", "function main(n : int, name : [char]) = (n + 1, #name);\n"); }
};

TEST_F(Arguments, AreStrings) {
  file("a.nesl", "args;\n");
  nesl({"run", "a.nesl", "--", "a", "", "--seed=1", "\xC3\xA9"});
  expect(0, "it = [\"a\", \"\", \"--seed=1\", \"\xC3\xA9\"] : [[char]]\n", "");
  nesl({"run", "a.nesl"});
  expect(0, "it = [] : [[char]]\n", "");
}

TEST_F(Arguments, MainGetsThemParsed) {
  nesl({"run", "main.nesl", "--", "-4", "a b"});
  expect(0, "it = (-3, 3) : int, int\n", "");
  nesl({"run", "main.nesl", "--", "-9223372036854775808", ""});
  expect(0, "it = (-9223372036854775807, 0) : int, int\n", "");
  file("kinds.nesl", "function main(x : float, yes : bool, c : char) = (x, yes, c);\n");
  nesl({"run", "kinds.nesl", "--", "+2.5e1", "t", "z"});
  expect(0, "it = (25.0, T, `z) : float, bool, char\n", "");
  file("all.nesl", "function main(words : [[char]]) = {#word : word in words};\n");
  nesl({"run", "all.nesl", "--", "a", "bcd"});
  expect(0, "it = [1, 3] : [int]\n", "");
}

TEST_F(Arguments, ThatDoNotFitMain) {
  const std::string usage = "usage: nesl run main.nesl -- n:int name:[char]\n";
  for (const char* word : {"x", "1.5", "", "9223372036854775808", "1 "}) {
    nesl({"run", "main.nesl", "--", word, "b"});
    expect(
        1, "",
        "nesl: main.nesl: the argument n of main is of type int, which '" + std::string(word) + "' is not\n" + usage);
  }
  nesl({"run", "main.nesl", "--", "1"});
  expect(1, "", "nesl: main.nesl: main has 2 parameters, but there is 1 argument\n" + usage);
  nesl({"run", "main.nesl"});
  expect(1, "", "nesl: main.nesl: main has 2 parameters, but there are 0 arguments\n" + usage);
  file("kinds.nesl", "function main(x : float, yes : bool, c : char) = (x, yes, c);\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"1E", "t", "c"}, {"infinity", "t", "c"}, {"1", "yes", "c"}, {"1", "t", "cc"}}) {
    nesl({"run", "kinds.nesl", "--", words[0], words[1], words[2]});
    expect_error("nesl: kinds.nesl: the argument ");
  }
  nesl({"run", "kinds.nesl", "--", "1E5", "t", "c"});
  expect(0, "it = (100000.0, T, `c) : float, bool, char\n", "");
  nesl({"run", "kinds.nesl", "--", "-inf", "t", "c"});
  expect(0, "it = (-inf, T, `c) : float, bool, char\n", "");
  file("pair.nesl", "function main(v : [int]) = v;\n");
  nesl({"run", "pair.nesl", "--", "1"});
  expect_error("nesl: pair.nesl: the parameter v of main has type [int], which no argument can have");
}

TEST_F(Arguments, AnExpressionBehindMainIsTheResult) {
  file("a.nesl", "function main(n : int) = n;\nmain(7);\n");
  nesl({"run", "a.nesl"});
  expect(0, "it = 7 : int\n", "");
  nesl({"run", "main.nesl", "-e", "main(1, \"\")"});
  expect(0, "it = (2, 0) : int, int\n", "");
}

TEST_F(Arguments, ACompiledMainChecksThemItself) {
  file("kinds.nesl", "function main(x : float, yes : bool, c : char, s : [char], n : int) = (x, yes, c, s, n);\n");
  nesl({"check", "kinds.nesl"});
  expect(0, "", "");
  nesl({"compile", "kinds.nesl", "-o", "kinds.vcode"});
  expect(0, "", "");
  nesl({"run", "kinds.vcode", "--", "2.5", "f", "z", "", "-3"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output, "( 2.50000000000000e+00 )\n( F )\n( 122 )\n[ 0 ]\n( )\n( -3 )\n");
  const auto expect_message = [&](std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), {"run", "kinds.vcode", "--"});
    nesl(arguments);
    EXPECT_EQ(result.exit_status, 1) << message;
    EXPECT_NE((result.output + result.errors).find("ERROR: " + message + "\n"), std::string::npos)
        << result.output << result.errors;
  };
  expect_message({"1", "t"}, "the arguments of main are x:float yes:bool c:char s:[char] n:int, but there are 2");
  expect_message({"x", "t", "c", "", "1"}, "the argument x of main is of type float, which 'x' is not");
  expect_message({"1", "yes", "c", "", "1"}, "the argument yes of main is of type bool, which 'yes' is not");
  expect_message({"1", "t", "", "", "1"}, "the argument c of main is of type char, which '' is not");
  expect_message({"1", "t", "c", "", "1.5"}, "the argument n of main is of type int, which '1.5' is not");
  file("all.nesl", "function main(words : [[char]]) = #words;\n");
  nesl({"compile", "all.nesl", "-o", "all.vcode"});
  nesl({"run", "all.vcode", "--", "a", "b"});
  expect(0, "( 2 )\n", "");
  file("pair.nesl", "function main(v : [int]) = v;\n");
  for (const char* command : {"check", "compile"}) {
    nesl({command, "pair.nesl"});
    expect_error("nesl: pair.nesl: the parameter v of main has type [int], which no argument can have");
  }
}

TEST_F(Arguments, AreForRunAlone) {
  nesl({"check", "main.nesl", "--", "a"});
  expect_error("nesl: --: only nesl run passes arguments to a program\n");
}

TEST_F(Arguments, TheEnvironment) {
  shell("NESL_X='a b' " NESL_COMMAND " -e 'get_environment_variable(\"NESL_X\")'");
  expect(0, "it = \"a b\" : [char]\n", "");
  nesl({"-e", "get_environment_variable(\"NESL_NOT_THERE\")"});
  expect(0, "it = \"\" : [char]\n", "");
  nesl({"-e", "get_environment_variable([code_char(0)])"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("the name contains a NUL character"), std::string::npos) << result.errors;
}

/// Not among the cases: with ints of 64 bits these are vectors of many gigabytes.
TEST_F(Arguments, RangesOfMoreElementsThanAnIntCanCountAreErrors) {
  for (const char* range :
       {"[-2000000000:2000000000]", "[-2147483648:2147483647:2]", "{[a:b] : (a, b) in [(0, 3), (-2147483648, 0)]}"}) {
    nesl({"-e", range, "--int=32"});
    EXPECT_EQ(result.exit_status, 1) << range;
    EXPECT_NE(result.errors.find("In [s:e:l], there are more elements than an int can count."), std::string::npos)
        << result.errors;
  }
}

}  // namespace
