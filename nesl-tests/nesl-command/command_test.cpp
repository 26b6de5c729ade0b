// The nesl command: its output, the stream of each part, and its exit status.

#include "command.h"

namespace {

TEST_F(Command, RunPrintsTheLastValue) {
  file("a.nesl", "x = [1, 2, 3];\nfunction square(n) = n * n;\nsum(x);\n{square(n) : n in x};\n");
  nesl({"run", "a.nesl"});
  expect(0, "it = [1, 4, 9] : [int]\n", "");
  nesl({"run", "a.nesl", "-e", "square(#x)"});
  expect(0, "it = 9 : int\n", "");
  nesl({"run", "-"}, "1 + 2;");
  expect(0, "it = 3 : int\n", "");
}

TEST_F(Command, RunShowsWhatTheProgramPrintsFirstAndInOrder) {
  file("a.nesl", "a = print_line(\"one\");\nb = print_string(\"two\");\n3;\n");
  nesl({"run", "a.nesl"});
  expect(0, "one\ntwo\nit = 3 : int\n", "");
}

TEST_F(Command, RunTimeErrorsNameTheSource) {
  file("a.nesl",
       "function smxv(sm, v) = {sum({x * v[i] : (x, i) in row}) : row in sm};\n"
       "function rows(n) = {{(float(j), j) : j in [0:i]} : i in [0:n]};\n"
       "smxv(rows(6), [1.0, 2.0, 3.0]);\n");
  nesl({"run", "a.nesl"});
  expect(1, "",
         "a.nesl:1:34: run-time error in smxv: Sequence reference (a[i]) out of bounds.\n"
         "  function smxv(sm, v) = {sum({x * v[i] : (x, i) in row}) : row in sm};\n"
         "                                   ^\n"
         "  index 3, but the sequence has length 3\n"
         "  at element [4][3]\n"
         "  called from (a.nesl:3:1)\n");
}

TEST_F(Command, ReportsOfPiecesNameTheElementOfTheWhole) {
  file("tree.nesl",
       "function tree(n, a) =\n"
       "  if n <= 1 then a[n] else let parts = {tree(k, a) : k in [n / 2, n - n / 2]} in parts[0] + parts[1];\n"
       "function work(row, a) = sum({tree(x, a) : x in row});\n"
       "{work(row, [10, 20]) : row in [[3, 4, 5], [6, 7], [2, 8, 0 - 3, 9], [0 - 1]]};\n");
  for (const char* pieces : {"off", "1", "100", "1K"})
    for (const char* threads : {"1", "3"}) {
      SCOPED_TRACE(std::string(pieces) + " " + threads);
      nesl({"run", std::string("--pieces=") + pieces, std::string("--threads=") + threads, "tree.nesl"});
      expect(1, "",
             "tree.nesl:2:18: run-time error in tree: Sequence reference (a[i]) out of bounds.\n"
             "    if n <= 1 then a[n] else let parts = {tree(k, a) : k in [n / 2, n - n / 2]} in parts[0] + parts[1]…\n"
             "                   ^\n"
             "  index -3, but the sequence has length 2\n"
             "  at element [2][2]\n"
             "  called from work (tree.nesl:3:30)\n"
             "  called from (tree.nesl:4:2)\n");
    }
}

TEST_F(Command, PiecesTakeASize) {
  nesl({"--pieces=many", "-e", "1"});
  expect(1, "",
         "nesl: --pieces: 'many' is not a size; give a number above 0 of bytes, or with K, M, G or T, as in 500M\n"
         "(nesl --help lists the commands and options)\n");
}

TEST_F(Command, FailedChecksTellTheirNumbersAtEachLevel) {
  file("codes.nesl", "{code_char(x) : x in [200:20000]};\n");
  file("lengths.nesl",
       "function dots(is) = {sum({x * y : x in [0:i]; y in [0:if i == 7000 then 9 else i]}) : i in is};\n"
       "dots([6900:7010]);\n");
  file("taken.nesl", "{if i > 2 then take([1, 2, 3], i)[0] else i : i in [0:5000]};\n");
  for (const char* level : {"-O0", "-O1", "-O2"})
    for (const char* native : {"off", "always"}) {
      SCOPED_TRACE(std::string(level) + " --native=" + native);
      const std::string how = std::string("--native=") + native;
      nesl({"run", level, how, "codes.nesl"});
      expect(1, "",
             "codes.nesl:1:2: run-time error: The code of a character must be from 0 to 255.\n"
             "  {code_char(x) : x in [200:20000]};\n   ^\n  code 256\n  at element [56]\n");
      nesl({"run", level, how, "lengths.nesl"});
      EXPECT_EQ(result.exit_status, 1);
      EXPECT_NE(result.errors.find("run-time error in dots: Length mismatch in an apply-to-each.\n"), std::string::npos)
          << result.errors;
      EXPECT_NE(result.errors.find("\n  lengths 7000 and 9\n  at element [100]\n"), std::string::npos) << result.errors;
      nesl({"run", level, how, "taken.nesl"});
      EXPECT_NE(result.errors.find("\n  number 4, but the sequence has length 3\n  at element [4]\n"),
                std::string::npos)
          << result.errors;
    }
}

TEST_F(Command, RunTimeErrorsOfAnIndexInARowNameTheRowsLength) {
  file("second.nesl",
       "function cell(g, i, j) = g[i][j];\n{{cell([[1, 2], [], [3]], i, j) : j in [0:2 - i]} : i in [0:2]};\n");
  // Of two faults, the fault of the first index is reported.
  file("first.nesl", "let g = [[1, 2], [3]] in {g[i][j] : i in [0, 1, 2]; j in [5, 0, 0]};\n");
  const std::pair<const char*, const char*> cases[] = {
      {"second.nesl",
       "second.nesl:1:26: run-time error in cell: Sequence reference (a[i]) out of bounds.\n"
       "  function cell(g, i, j) = g[i][j];\n"
       "                           ^\n"
       "  index 0, but the sequence has length 0\n"
       "  at element [1][0]\n"
       "  called from (second.nesl:2:3)\n"},
      {"first.nesl",
       "first.nesl:1:27: run-time error: Sequence reference (a[i]) out of bounds.\n"
       "  let g = [[1, 2], [3]] in {g[i][j] : i in [0, 1, 2]; j in [5, 0, 0]};\n"
       "                            ^\n"
       "  index 2, but the sequence has length 2\n"
       "  at element [2]\n"}};
  for (const auto& [name, message] : cases)
    for (const char* level : {"-O0", "-O1", "-O2"}) {
      nesl({"run", level, name});
      expect(1, "", message);
    }
}

TEST_F(Command, RunTimeErrorsInConditionalsAreTheSameByMasksAndPacked) {
  const std::tuple<const char*, const char*, const char*, const char*> cases[] = {
      {"{if i > 2 then s[i + 1] else s[0] : i in [0:9]}", "16", "Sequence reference (a[i]) out of bounds",
       "  index 4, but the sequence has length 4\n  at element [3]\n"},
      // The first branch comes first, whatever the elements.
      {"{if i > 2 then s[i + 4] else s[i - 1] : i in [0:9]}", "16", "Sequence reference (a[i]) out of bounds",
       "  index 7, but the sequence has length 4\n  at element [3]\n"},
      {"{{if j > 0 then (if i > 0 then j / (i - 1) else 0) else 5 : j in [0:3]} : i in [0:9]}", "32", "Divide by zero",
       "  at element [1][1]\n"},
      {"{{if j > 0 then row[j] else 0 : j in [0:3]} : row in [[1, 2, 3], [4, 5]]}", "17",
       "Sequence reference (a[i]) out of bounds", "  index 2, but the sequence has length 2\n  at element [1][2]\n"},
      {"{{if j > 0 then [[1, 2], [], [3]][i][j] else 0 : j in [0:2]} : i in [0:3]}", "17",
       "Sequence reference (a[i]) out of bounds", "  index 1, but the sequence has length 0\n  at element [1][1]\n"},
      {"{if #r > 0 then r[1] else 0 : r in [[], [1, 2], [3]]}", "17", "Sequence reference (a[i]) out of bounds",
       "  index 1, but the sequence has length 1\n  at element [2]\n"},
      {"{if i > 1 then isqrt(2 - i) else 0 : i in [0:9]}", "16", "Sqrt of negative number", "  at element [3]\n"},
  };
  for (const auto& [text, column, error, rest] : cases) {
    file("a.nesl", "s = [1, 2, 3, 4];\n" + std::string(text) + ";\n");
    const std::string caret(static_cast<std::size_t>(std::stoi(column) + 1), ' ');
    for (const char* level : {"-O0", "-O1", "-O2"}) {
      nesl({"run", level, "a.nesl"});
      expect(1, "",
             "a.nesl:2:" + std::string(column) + ": run-time error: " + error + ".\n  " + text + ";\n" + caret + "^\n" +
                 rest);
    }
  }
}

TEST_F(Command, RunTimeErrorsOfCompiledFilesAreTheSame) {
  file("a.nesl", "function h(n) = {100 / k : k in [0:n]};\nh(3);\n");
  nesl({"compile", "a.nesl", "-o", "a.vcode"});
  expect(0, "", "");
  result = run_process({NESL_VINTERP, "a.vcode"}, directory.path(), "", {});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find("a.nesl:1:18: run-time error in h: Divide by zero.\n  at element [0]\n"),
            std::string::npos)
      << result.errors;
}

TEST_F(Command, CompiledProgramsPrintThemselvesWhichCheckFailed) {
  // Such programs are for interpreters that do not read the source locations of instructions.
  file("a.nesl", "function root(x) = isqrt(x);\nroot(-1);\n");
  nesl({"compile", "a.nesl", "-o", "a.vcode"});
  expect(0, "", "");
  result = run_process({NESL_VINTERP, "a.vcode"}, directory.path(), "", {});
  expect(1, "",
         "\nRUNTIME ERROR: Sqrt of negative number.\n"
         "a.nesl:1:20: run-time error in root: Sqrt of negative number.\n"
         "  called from (a.nesl:2:1)\n");
}

TEST_F(Command, TheTokensOfAFileReachNoTerminalAsControlCharacters) {
  file("a.vcode", "FUNC MAIN \"\x1B[2J\" RET");
  result = run_process({NESL_VINTERP, "-d", "lex", "a.vcode"}, directory.path(), "", {});
  EXPECT_EQ(result.output.find('\x1B'), std::string::npos) << result.output;
  EXPECT_NE(result.output.find(" [2J"), std::string::npos) << result.output;
}

TEST_F(Command, RunAlsoRunsVcode) {
  file("a.vcode", "FUNC MAIN CONST INT 3 RET");
  nesl({"run", "a.vcode"});
  expect(0, "( 3 )\n", "");
  nesl({"run", "a.vcode", "-e", "1"});
  expect_error("nesl: a.vcode is a VCODE program");
  file("b.vcode", "FUNC MAIN NONSENSE RET");
  nesl({"run", "b.vcode"});
  expect_error("b.vcode:1:11: error: ");
  file("c.fcode", "FCODE 2");
  nesl({"run", "c.fcode"});
  expect_error("c.fcode:1:7: error: this is FCODE of version 2");
}

TEST_F(Command, NothingRunsIfAnythingIsWrong) {
  file("a.nesl", "a = print_line(\"one\");\nb = nonsense;\n1 + \"two\";\n");
  nesl({"run", "a.nesl"});
  expect_error("a.nesl:2:5: error: ");
  EXPECT_NE(result.errors.find("a.nesl:3:"), std::string::npos) << result.errors;
}

TEST_F(Command, FilesLoadOthersBesideThem) {
  std::filesystem::create_directory(directory.path() / "lib");
  file("lib/a.nesl", "load \"b\";\nfunction h(x) = g(x) + 1;\n");
  file("lib/b.nesl", "function g(x) = 2 * x;\n");
  file("main.nesl", "load \"lib/a.nesl\";\nh(5);\n");
  nesl({"run", "main.nesl"});
  expect(0, "it = 11 : int\n", "");
  file("lib/b.nesl", "function g(x) = nonsense;\n");
  nesl({"run", "main.nesl"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("lib/b.nesl:1:17: error: "), std::string::npos) << result.errors;
  file("loop.nesl", "load \"loop\";\n1;\n");
  file("lost.nesl", "x = 1;\nload \"lib/nosuch.nesl\";\nx;\n");
  for (const char* command : {"run", "check"}) {
    nesl({command, "lost.nesl"});
    expect(1, "",
           "lost.nesl:2:1: error: cannot open lib/nosuch.nesl: No such file or directory\n"
           "  load \"lib/nosuch.nesl\";\n  ^~~~~~~~~~~~~~~~~~~~~~\n");
  }
  nesl({"run", "loop.nesl"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("the files load each other without end"), std::string::npos);
}

TEST_F(Command, FilesLoadWhatAnExpressionNames) {
  std::filesystem::create_directory(directory.path() / "lib");
  file("lib/a.nesl", "function h(x) = 2 * x;\n");
  file("main.nesl",
       "lib = \"li\" ++ \"b\";\nnoise = print_line(\"once\");\ndir = lib ++ \"/\";\n"
       "load dir ++ \"a\", print := t;\nh(5);\n");
  nesl({"run", "main.nesl"});
  expect(0, "once\nit = 10 : int\n", "");
  nesl({"check", "main.nesl"});
  expect(0, "", "");
  nesl({"compile", "main.nesl", "-o", "a.vcode"});
  expect(0, "", "");
  file("main.nesl", "load take(\"a\", 2);\nh(5);\n");
  nesl({"run", "main.nesl"});
  expect_error("<load>:1:1: run-time error: Bounds error for function TAKE.");
  file("main.nesl", "load 1 + 2;\n3;\n");
  nesl({"run", "main.nesl"});
  expect_error("<load>:1:1: error: load needs the name of a file: a string");
  file("main.nesl", "load \"a\", fast := t;\n3;\n");
  nesl({"run", "main.nesl"});
  expect_error("main.nesl:1:1: error: load has no option fast");
}

TEST_F(Command, PlacesOfExtremesAreFoundInOneTraversalIfFused) {
  file("a.nesl",
       "function nearest(x, s) = min_index({(x - y) * (x - y) : y in s});\n"
       "function f1(rows) = ({nearest(2, r) : r in rows}, {max_index(r) : r in rows}, argmax(rows[0]));\n"
       "f1([[5, 1, 2], [3]]);\n");
  nesl({"compile", "-O2", "a.nesl"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("MIN_INDEX INT"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("MAX_INDEX INT"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("SELECT"), std::string::npos) << result.output;
  nesl({"compile", "-O1", "a.nesl"});
  EXPECT_EQ(result.output.find("_INDEX INT"), std::string::npos) << result.output;
  nesl({"run", "a.nesl"});
  expect(0, "it = ([2, 0], [0, 0], 0) : [int], [int], int\n", "");
}

TEST_F(Command, ClassicCommandsInFiles) {
  file("a.nesl", "set memory_size 4000000;\nset arg_check off;\nset print_length 20;\nset verbose off;\n1 + 2;\n");
  nesl({"run", "a.nesl"});
  expect(0, "it = 3 : int\n", "");
  file("b.nesl", "dump world;\n1 + 2;\n");
  nesl({"run", "b.nesl"});
  expect_error("b.nesl:1:1: error: the command dump is for interactive sessions");
}

TEST_F(Command, ProfilesOfStatements) {
  nesl({"--profile", "-e", "max_val([1, 2]); product([1, 2]);"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output, "it = 2 : int\nit = 2 : int\n");
  EXPECT_NE(result.errors.find("MAX_REDUCE INT"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("*_REDUCE INT"), std::string::npos) << result.errors;
  nesl({"repl", "--profile", "--trace-out=p.json"}, "max_val([1, 2]);\n");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.errors.find("MAX_REDUCE INT"), std::string::npos) << result.errors;
  EXPECT_NE(text_of("p.json").find("MAX_REDUCE INT"), std::string::npos);
}

TEST_F(Command, NothingToCompute) {
  file("a.nesl", "function h(x) = x;\n");
  nesl({"run", "a.nesl"});
  expect_error("nesl: a.nesl has no expression to compute");
  nesl({"compile", "a.nesl"});
  expect_error("nesl: a.nesl has no expression to compute");
  nesl({"check", "a.nesl"});
  expect(0, "", "");
}

TEST_F(Command, FilesThatCannotBeRead) {
  for (const char* command : {"run", "check", "compile"}) {
    nesl({command, "nothing.nesl"});
    expect_error("nesl: cannot open nothing.nesl: No such file or directory\n");
    nesl({command, "."});
    expect_error("nesl: cannot read .: Is a directory\n");
  }
  file("garbage.nesl", std::string("\x7F"
                                   "ELF\0\x01\xFF\"",
                                   8));
  for (const char* command : {"run", "check", "compile"}) {
    nesl({command, "garbage.nesl"});
    expect_error("garbage.nesl:1:1: error: ");
  }
}

TEST_F(Command, CheckCompilesEveryValueButRunsNone) {
  file("a.nesl", "a = print_line(\"one\");\n1 / 0;\n");
  nesl({"check", "a.nesl"});
  expect(0, "", "");
  file("b.nesl", "function h(x) : int -> int;\n{h(x) : x in [1]};\n2;\n");
  nesl({"check", "b.nesl"});
  expect_error("b.nesl:");
}

TEST_F(Command, CompileWritesVcode) {
  file("a.nesl", "function h(x) = x + 1;\nh(1);\n");
  nesl({"compile", "a.nesl"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output.substr(0, 10), "FUNC MAIN\n");
  nesl({"compile", "a.nesl", "-o", "a.vcode", "--main", "h(41)"});
  expect(0, "", "");
  result = run_process({NESL_VINTERP, "a.vcode"}, directory.path(), "", {});
  expect(0, "( 42 )\n", "");
  nesl({"compile", "a.nesl", "-o", "nowhere/a.vcode"});
  expect_error("nesl: cannot write nowhere/a.vcode: No such file or directory\n");
}

TEST_F(Command, ExpressionsOnTheCommandLine) {
  nesl({"-e", "{x*x : x in [1,2,3]}"});
  expect(0, "it = [1, 4, 9] : [int]\n", "");
  nesl({"-e", "a = 3; a + 1;"});
  expect(0, "a = 3 : int\nit = 4 : int\n", "");
  nesl({"-e", "1 +"});
  expect_error("<expression>:1:");
  nesl({"-e", "1 / 0"});
  expect_error("<expression>:1:1: run-time error: Divide by zero.\n");
}

TEST_F(Command, TheLibraryIsDescribed) {
  nesl({"describe", "SUM"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output.substr(0, 33), "sum : [a] -> a :: (a in number)\n ");
  nesl({"describe", "nonesuch"});
  expect_error("nesl: there is no nonesuch");
  nesl({"apropos", "plus_"});
  EXPECT_NE(result.output.find("plus_scan : [a] -> [a] :: (a in number)\n"), std::string::npos) << result.output;
  nesl({"apropos", "nonesuch"});
  expect_error("nesl: nothing has to do with nonesuch\n");
}

TEST_F(Command, StatementsFromAPipe) {
  nesl({}, "x = 2;\nx +\n  1;\n");
  expect(0, "x = 2 : int\nit = 3 : int\n", "");
  nesl({"repl"}, "x;\n2;\n");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.output, "it = 2 : int\n");
}

TEST_F(Command, OptionsOfRuns) {
  file("a.nesl", "rand(1000000);\n");
  nesl({"run", "a.nesl", "--seed=1", "--threads=1"});
  const std::string one = result.output;
  nesl({"run", "a.nesl", "--seed=2"});
  EXPECT_NE(result.output, one);
  nesl({"--seed=1", "-e", "rand(1000000)"});
  EXPECT_EQ(result.output, one);
  file("loop.nesl", "function loop(n) = if n == 0 then 0 else loop(n);\nloop(1);\n");
  nesl({"run", "loop.nesl", "--timeout=0.2", "--memory=1G"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("run-time error in loop: "), std::string::npos) << result.errors;
  nesl({"run", "a.nesl", "--backend=nonesuch"});
  expect_error("nesl: there is no backend 'nonesuch'");
  nesl({"run", "a.nesl", "--profile"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.errors.find("RAND"), std::string::npos) << result.errors;
}

TEST_F(Command, WrongCommandLines) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"frobnicate"}, {"run"}, {"run", "a", "b"}, {"run", "a", "--threads=0"}, {"-e"}, {"describe"}, {"--frob"}}) {
    nesl(arguments);
    expect_error("nesl: ");
    EXPECT_NE(result.errors.find("(nesl --help lists the commands and options)\n"), std::string::npos);
  }
  nesl({"hello.nesl"});
  expect_error("nesl: hello.nesl is no command; did you mean nesl run hello.nesl?\n");
  nesl({"rnu", "x"});
  expect_error("nesl: there is no command rnu; did you mean run?\n");
  nesl({"--threads=2", "chekc", "x.nesl"});
  expect_error("nesl: there is no command chekc; did you mean check?\n");
  nesl({"frobnicate"});
  expect_error("nesl: there is no command frobnicate\n");
}

TEST_F(Command, DefinitionsWithoutATerminatorAtTheEnd) {
  const std::string missing = "missing ; or $ at the end";
  file("a.nesl", "g(1);\nfunction g(x) = x + 1");
  for (const char* command : {"run", "check"}) {
    nesl({command, "a.nesl"});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE(result.errors.find("a.nesl:1:1: error: g is undefined"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("a.nesl:2:22: error: " + missing), std::string::npos) << result.errors;
  }
  nesl({"repl"}, "function g(x) = x + 1\n");
  expect(0, "g = fn : int -> int\n", "");
  nesl({"repl"}, "function g(x) = nonsense(x)\n");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("nonsense is undefined"), std::string::npos) << result.errors;
  EXPECT_EQ(result.output, "");
  nesl({"-e", "function g(x) = x + 1"});
  expect(0, "g = fn : int -> int\n", "");
  nesl({"-e", "function g(x) = x +"});
  expect_error("<expression>:1:");
}

TEST_F(Command, FloatsCanBeReadBackOrAreClassic) {
  file("a.nesl", "0.1 + 0.2;\n");
  nesl({"run", "a.nesl"});
  expect(0, "it = 0.30000000000000004 : float\n", "");
  nesl({"run", "a.nesl", "--print=classic"});
  expect(0, "it = 0.3 : float\n", "");
  nesl({"-e", "0.1 + 0.2", "--print=classic"});
  expect(0, "it = 0.3 : float\n", "");
  nesl({"-e", "@(0.1 + 0.2)"});
  expect(0, "it = \"0.3\" : [char]\n", "");
  nesl({"-e", "x = 1.0 / 3.0; ok = write_object_to_file([x], \"x\"); read_object_from_file([x], \"x\")[0] == x",
        "--allow-spawn"});
  EXPECT_EQ(result.output, "x = 0.3333333333333333 : float\nok = T : bool\nit = T : bool\n") << result.errors;
  nesl({"compile", "a.nesl", "-o", "a.vcode"});
  nesl({"run", "a.vcode"});
  expect(0, "( 3.00000000000000e-01 )\n", "");
  nesl({"run", "a.vcode", "--print=shortest"});
  expect(0, "( 3.0000000000000004e-01 )\n", "");
}

TEST_F(Command, IntLiteralsFitTheIntsOfTheRun) {
  file("a.nesl", "function g(x) = x + 3000000000;\ng(1);\n");
  for (const char* command : {"run", "check", "compile"}) {
    nesl({command, "a.nesl", "--int=32"});
    expect_error("a.nesl:1:21: error: 3000000000 does not fit into an int, whose largest value is 2147483647\n");
  }
  nesl({"run", "a.nesl"});
  expect(0, "it = 3000000001 : int\n", "");
  nesl({"run", "a.nesl", "--int=64"});
  expect(0, "it = 3000000001 : int\n", "");
  nesl({"check", "a.nesl"});
  expect(0, "", "");
  nesl({"compile", "a.nesl", "-o", "a.vcode"});
  expect(0, "", "");
  result = run_process({NESL_VINTERP, "a.vcode"}, directory.path(), "", {});
  expect_error("a.vcode:");
  EXPECT_NE(result.errors.find("3000000000 does not fit in a 32-bit INT; run with --int=64"), std::string::npos)
      << result.errors;
  result = run_process({NESL_VINTERP, "--int=64", "a.vcode"}, directory.path(), "", {});
  expect(0, "( 3000000001 )\n", "");
}

TEST_F(Command, FilesThatAProgramCannotRead) {
  file("ints", "( 1 2 three )");
  for (const std::string reader : {"read_string_from_file(", "read_int_seq_from_file(", "read_object_from_file(1, "}) {
    nesl({"-e", reader + "\"nosuch\")"});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE((result.output + result.errors).find("ERROR: cannot open nosuch: "), std::string::npos)
        << result.output << result.errors;
  }
  nesl({"-e", "read_int_seq_from_file(\"ints\")"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE((result.output + result.errors).find("ERROR: cannot read ints: "), std::string::npos)
      << result.output << result.errors;
  nesl({"-e", "let (s, ok, why) = open_in_file(\"nosuch\") in ok"});
  expect(0, "it = F : bool\n", "");
  file("bytes", "\xC3\xA9");
  nesl({"-e",
        "{char_code(c) : c in read_string_from_file(\"bytes\")}, read_string_from_file(\"bytes\") == \"\xC3\xA9\""});
  expect(0, "it = ([195, 169], T) : [int], bool\n", "");
}

TEST_F(Command, HelpAndVersion) {
  nesl({"--version"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output.substr(0, 5), "nesl ");
  nesl({"--help"});
  EXPECT_EQ(result.exit_status, 0);
  for (const char* command : {"run", "check", "compile", "repl", "describe", "apropos", "cache"})
    EXPECT_NE(result.output.find(command), std::string::npos);
}

}  // namespace
