// Sessions with typed, pasted and piped lines, and their replies.

#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "nesl-compiler/session.h"
#include "repl.h"

namespace nesl_cli {
namespace {

/// A source of given lines; "^C" is an interrupt.
class GivenLines final : public LineSource {
 public:
  GivenLines(std::deque<std::string> lines, bool interactive, bool pasted)
      : lines_(std::move(lines)), interactive_(interactive), pasted_(pasted) {}
  Event next(const std::string& prompt, std::string& line) override {
    prompts += prompt;
    if (lines_.empty()) return Event::kEnd;
    line = lines_.front();
    lines_.pop_front();
    return line == "^C" ? Event::kInterrupt : Event::kLine;
  }
  bool is_interactive() const override { return interactive_; }
  bool has_more() override { return pasted_ && !lines_.empty(); }

  std::string prompts;

 private:
  std::deque<std::string> lines_;
  const bool interactive_, pasted_;
};

/// A temporary directory, removed after the test.
class ScratchFiles {
 public:
  ScratchFiles() {
    char name[] = "/tmp/nesl-session-XXXXXX";
    directory_ = mkdtemp(name);
  }
  ~ScratchFiles() { std::filesystem::remove_all(directory_); }
  const std::string& directory() const { return directory_; }
  std::string path(const std::string& file) const { return directory_ + "/" + file; }
  void write(const std::string& file, const std::string& text) const { std::ofstream(path(file)) << text; }
  std::string content(const std::string& file) const {
    std::ifstream in(path(file));
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string directory_;
};

struct SessionTest : ::testing::Test {
  std::string said, errors, prompts;
  int status = 0;

  std::string answers(std::deque<std::string> given, bool interactive, bool pasted) {
    said = errors = "";
    GivenLines lines(std::move(given), interactive, pasted);
    nesl::run_with_deep_stack([&] {
      TopLevel top_level(
          {}, {[&](std::string_view text) { said += text; }, [&](std::string_view text) { errors += text; }});
      status = run_session(lines, top_level);
    });
    prompts = lines.prompts;
    return said;
  }
  std::string typed(std::deque<std::string> lines) { return answers(std::move(lines), true, false); }
  std::string pasted(std::deque<std::string> lines) { return answers(std::move(lines), true, true); }
  std::string piped(std::deque<std::string> lines) { return answers(std::move(lines), false, false); }
};

/// The text open(0) open(1) … inner … close(1) close(0), with `levels` levels.
std::string nested(int levels, const std::function<std::string(int)>& open, const std::string& inner,
                   const std::function<std::string(int)>& close) {
  std::string text = inner;
  for (int k = levels - 1; k >= 0; --k) text = open(k) + text + close(k);
  return text;
}

TEST_F(SessionTest, DeepNestingGivesTheSameResultsAsShallowNesting) {
  auto brace = [](int) { return std::string("{"); };
  // The nesting levels 0, 25 and 49 have two elements, the others one. The innermost expression reads variables of
  // levels near the outermost one.
  auto in = [](int k) { return " : x" + std::to_string(k) + (k % 25 == 0 || k == 49 ? " in [5, 7]}" : " in [1]}"); };
  auto expected = [&](const std::string& entry) {
    return nested(
        50, [](int) { return std::string("["); }, entry, [](int) { return std::string("]"); });
  };
  EXPECT_EQ(piped({nested(50, brace, "1", [](int k) { return " : x" + std::to_string(k) + " in [1]}"; }) + ";"}),
            "it = " + expected("1") + " : " + expected("int") + "\n");
  std::string flat = nested(50, brace, "10 * x0 + x25 + x49", in);
  for (int k = 0; k < 49; ++k) flat = "flatten(" + flat + ")";
  EXPECT_EQ(piped({flat + ";"}), "it = [60, 62, 62, 64, 80, 82, 82, 84] : [int]\n");
}

TEST_F(SessionTest, ErrorsBelowManyNestingLevelsHaveLocationAndPath) {
  auto close = [](int k) { return " : x" + std::to_string(k) + (k == 0 ? " in [2, 1]})" : " in [1]})"); };
  piped({nested(
             250, [](int) { return std::string("sum({"); }, "6 / (x0 - 1)", close) +
         ";"});
  EXPECT_NE(errors.find("Divide by zero"), std::string::npos) << errors;
  EXPECT_NE(errors.find("  at element [1][0][0][0][0][0][0][0]…[0][0][0][0][0][0][0][0]\n"), std::string::npos)
      << errors;
}

TEST_F(SessionTest, StatementsSeeTheValuesOfEarlierOnes) {
  EXPECT_EQ(piped({"x = [1, 2, 3];", "{a * a : a in x};", "sum(it) + #x;"}),
            "x = [1, 2, 3] : [int]\nit = [1, 4, 9] : [int]\nit = 17 : int\n");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(errors, "");
}

TEST_F(SessionTest, PatternsDefineSeveralVariables) {
  EXPECT_EQ(piped({"(a, s), n = (1, \"one\"), 2.5;", "s;", "n;", "a;"}),
            "((a, s), n) = ((1, \"one\"), 2.5) : (int, [char]), float\nit = \"one\" : [char]\nit = 2.5 : float\n"
            "it = 1 : int\n");
}

TEST_F(SessionTest, TypedLinesNeedNoTerminatorWhereTheyCanEnd) {
  EXPECT_EQ(typed({"1 + 2", "x = 4", "(1 +", "2)", "if x == 4", "then 1", "else 2"}),
            "it = 3 : int\nx = 4 : int\nit = 3 : int\nit = 1 : int\n");
  EXPECT_EQ(prompts, "nesl> nesl> nesl>     > nesl>     >     > nesl> ");
}

TEST_F(SessionTest, DefinitionsContinueUpToTheirTerminator) {
  EXPECT_EQ(typed({"function double(x) : int -> int", "= 2 * x;", "double(4)"}),
            "double = fn : int -> int\nit = 8 : int\n");
  EXPECT_EQ(typed({"function double(x) = 2 * x", "", "double(4)"}), "double = fn : int -> int\nit = 8 : int\n");
}

TEST_F(SessionTest, AnEmptyLineEndsAnIncompleteStatement) {
  typed({"(1 +", "", "2"});
  EXPECT_EQ(said, "it = 2 : int\n");
  EXPECT_NE(errors.find("<stdin>:1:"), std::string::npos) << errors;
}

TEST_F(SessionTest, PastedLinesNeedTheirTerminators) {
  EXPECT_EQ(pasted({"a = 1;", "b = a", "  + 1;", "b;"}), "a = 1 : int\nb = 2 : int\nit = 2 : int\n");
}

TEST_F(SessionTest, PipedLinesNeedTheirTerminatorsToo) {
  EXPECT_EQ(piped({"a = 1", "  + 1;", "", "a"}), "a = 2 : int\nit = 2 : int\n");
}

TEST_F(SessionTest, ALineCanHaveSeveralStatements) {
  EXPECT_EQ(typed({"1; 2; 3"}), "it = 1 : int\nit = 2 : int\nit = 3 : int\n");
}

TEST_F(SessionTest, ErrorsNameTheLineOfTheInput) {
  piped({"1;", "", "% a comment %", "x +", "  nonsense;", "2;"});
  EXPECT_EQ(said, "it = 1 : int\nit = 2 : int\n");
  EXPECT_NE(errors.find("<stdin>:5:3: error:"), std::string::npos) << errors;
  EXPECT_NE(errors.find("  nonsense;\n"), std::string::npos) << errors;
  EXPECT_EQ(status, 1);
}

TEST_F(SessionTest, RunTimeErrorsShowTheLineOfAnEarlierStatement) {
  piped({"function half(n) = 100 / n;", "{half(x) : x in [5, 0]};", "1;"});
  EXPECT_EQ(said, "half = fn : int -> int\nit = 1 : int\n");
  EXPECT_NE(errors.find("<stdin>:1:20: run-time error in half: Divide by zero.\n"
                        "  function half(n) = 100 / n;\n"
                        "                     ^\n"
                        "  at element [1]\n"),
            std::string::npos)
      << errors;
  EXPECT_EQ(status, 1);
}

TEST_F(SessionTest, FailedChecksAreReportedOnce) {
  piped({"isqrt(-1);"});
  EXPECT_EQ(errors.find("Sqrt of negative number."), errors.rfind("Sqrt of negative number.")) << errors;
  EXPECT_NE(errors.find("run-time error"), std::string::npos) << errors;
}

TEST_F(SessionTest, TheVariableItKeepsItsValueAfterAnError) {
  EXPECT_EQ(piped({"5;", "1 / 0;", "it;"}), "it = 5 : int\nit = 5 : int\n");
}

TEST_F(SessionTest, InterruptsWhileTypingDropTheLines) {
  EXPECT_EQ(typed({"(1 +", "^C", "2"}), "it = 2 : int\n");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(piped({"1;", "^C", "2;"}), "it = 1 : int\n");
  EXPECT_EQ(status, 130);
}

TEST_F(SessionTest, ColonCommandsReply) {
  EXPECT_EQ(piped({"x = [1.5];", ":type x", ":ty {a + 1.0 : a in x};"}),
            "x = [1.5] : [float]\nit : [float]\nit : [float]\n");
  EXPECT_EQ(piped({":type 1 / 0"}), "it : int\n");
  EXPECT_NE(piped({":doc sum"}).find("sum : [a] -> a :: (a in number)\n  "), std::string::npos);
  EXPECT_NE(piped({"x = [1];", ":vcode x"}).find("{ on the stack: x }\nFUNC MAIN\n"), std::string::npos);
  EXPECT_NE(piped({":time 1 + 1"}).find("it = 2 : int\ncompiled in "), std::string::npos);
  EXPECT_NE(piped({":help"}).find("Statements end with"), std::string::npos);
  EXPECT_EQ(piped({":help sum"}), piped({":doc sum"}));
  EXPECT_EQ(piped({"1;", ":quit", "2;"}), "it = 1 : int\n");
  EXPECT_NE(piped({":profile product([1, 2])"}).find("it = 2 : int\nline "), std::string::npos) << said;
  EXPECT_NE(said.find("*_REDUCE INT"), std::string::npos) << said;
  EXPECT_NE(said.find("function (own work)"), std::string::npos) << said;
  EXPECT_NE(
      piped({"x = [1];", ":explain sum({a * a : a in x})"}).find("2 traversals over vectors become 1 with 1 kernel"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("\n  kernel MAIN.0"), std::string::npos) << said;
  EXPECT_NE(said.find(": machine code: "), std::string::npos) << said;
  EXPECT_EQ(piped({":explain 1"}), "nothing to fuse: no operation over vectors\n");
  piped({":explain function g(x) = x;"});
  EXPECT_EQ(errors, "nesl: only an expression or assignment is compiled\n");
  piped({":t 1"});
  EXPECT_EQ(errors, "nesl: :t can mean :time, :type\n");
  piped({":frob 1"});
  EXPECT_EQ(errors,
            "nesl: there is no command :frob; choose from :doc, :explain, :help, :load, :profile, :quit, :set, :show, "
            ":time, :type, :vcode\n");
  EXPECT_EQ(status, 1);
}

TEST_F(SessionTest, HelpSyntaxIsAProgramThatRepliesAsItsCommentsSay) {
  const std::string page = piped({"help syntax;"});
  EXPECT_EQ(page, piped({":help syntax"}));
  std::vector<std::string> lines, expected, replies;
  std::istringstream text(page);
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line);
    EXPECT_LE(line.size(), 100u) << line;
    const std::size_t reply = line.find("% = ");
    if (reply != line.npos) expected.push_back(line.substr(reply + 4, line.size() - reply - 6));
  }
  EXPECT_LE(lines.size(), 60u);
  EXPECT_GE(expected.size(), 25u);
  std::istringstream answers(piped({lines.begin(), lines.end()}));
  for (std::string line; std::getline(answers, line);) {
    const std::size_t value = line.find(" = ") + 3;
    if (line.find(" = fn : ") == line.npos) replies.push_back(line.substr(value, line.rfind(" : ") - value));
  }
  EXPECT_EQ(replies, expected);
  EXPECT_EQ(errors, "nesl: tests of a file are run by nesl test\nnesl: benchmarks of a file are run by nesl bench\n");
}

TEST_F(SessionTest, LongStringsAreCut) {
  EXPECT_EQ(piped({"set print_length 1;", "\"0123456789\";", "\"01234567\\n9x\";", "#it;"}),
            "it = \"0123456789\" : [char]\nit = \"01234567\\n9\"... : [char]\nit = 11 : int\n");
  EXPECT_EQ(piped({"flatten(dist(\"abcd\", 251));"}).size(), std::string("it = \"\"... : [char]\n").size() + 1000);
  EXPECT_EQ(piped({"set print_length 4611686018427387904;", "\"ab\";"}), "it = \"ab\" : [char]\n");
}

TEST_F(SessionTest, ClassicCommandsReply) {
  EXPECT_NE(piped({"describe sum;"}).find("sum : [a] -> a"), std::string::npos);
  EXPECT_NE(piped({"apropos plus_sc;"}).find("plus_scan : "), std::string::npos);
  EXPECT_NE(piped({"help;"}).find("Statements end with"), std::string::npos);
  EXPECT_EQ(piped({"help sum;"}), piped({"describe sum;"}));
  EXPECT_NE(piped({"describe if; help time;"}).find("time : a -> (a, float)"), std::string::npos);
  EXPECT_EQ(piped({"1;", "exit;", "2;"}), "it = 1 : int\n");
  EXPECT_EQ(piped({"set arg_check on;"}), "");
  EXPECT_EQ(errors, "");
  piped({"describe nonesuch;"});
  EXPECT_EQ(errors.find("nesl: there is no nonesuch"), 0u) << errors;
  piped({"dump world;"});
  EXPECT_EQ(
      errors,
      "nesl: there is no command 'dump world' here: keep definitions in a file and load it; write_object_to_file keeps "
      "a value\n");
}

TEST_F(SessionTest, ClassicCommandsThatChangeNothingAreAccepted) {
  EXPECT_EQ(piped({"set memory_size 4000000;", "set config cray;", "set arg_check off;", "set trace off;",
                   "set profile off;", "set editor \"vi\";", "set redefine on;", "set rsh_command \"rsh\";",
                   "set debug on;", "set lnesl off;", "defconfig c, memory_size := 10;", "1;"}),
            "it = 1 : int\n");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(errors.find("nesl: set memory_size 4000000: vector memory grows as needed"), 0u) << errors;
}

TEST_F(SessionTest, OtherClassicCommandsNameAReplacement) {
  for (const char* command : {"set trace f 1;", "set profile f on;", "show bugs;", "show config;", "show configs;",
                              "show code f;", "show compiled f t;", "show;", "dump vcode;", "dump world;", "dump info;",
                              "dump;", "edit \"a\";", "shell \"ls\";", "get x;", "lisp;"}) {
    piped({command});
    EXPECT_EQ(status, 1) << command;
    EXPECT_EQ(errors.find("nesl: there is no command '"), 0u) << errors;
  }
  piped({"set trace f 1;"});
  EXPECT_NE(errors.find("' here: print_debug in the function prints"), std::string::npos) << errors;
  piped({"set profile f on;"});
  EXPECT_NE(errors.find("' here: :profile STATEMENT, or the option --profile"), std::string::npos) << errors;
  piped({"set nothing 1;"});
  EXPECT_EQ(errors.find("nesl: there is no setting nothing; choose from "), 0u) << errors;
}

TEST_F(SessionTest, ProgramsAreWrittenAsVcode) {
  ScratchFiles files;
  EXPECT_EQ(piped({"x = 41;", "dump vcode \"" + files.path("out.vcode") + "\" x + 1;"}), "x = 41 : int\n");
  EXPECT_EQ(errors, "");
  EXPECT_EQ(files.content("out.vcode").find("FUNC MAIN"), 0u) << files.content("out.vcode");
  piped({"dump vcode \"" + files.path("out.vcode") + "\" nonsense;"});
  EXPECT_EQ(status, 1);
}

TEST_F(SessionTest, SettingsTakeEffectAndAreShown) {
  EXPECT_EQ(piped({"set print_length 2;", "[1, 2, 3];", ":set print_length 0", "it;"}),
            "it = [1, 2,...] : [int]\nit = [...] : [int]\n");
  EXPECT_EQ(piped({":set"}), "print_length 100\nverbose off\nbackend cpu\nseed 0\ntimeout 0\n");
  EXPECT_NE(piped({":set verbose on", "1;"}).find("it = 1 : int\ncompiled in "), std::string::npos);
  const std::string one = piped({":set seed 1", "rand(1000000);"}), two = piped({":set seed 2", "rand(1000000);"});
  EXPECT_NE(one, two);
  EXPECT_EQ(piped({":set seed 1", "rand(1000000);"}), one);
  for (const char* wrong :
       {":set print_length many", ":set verbose 3", ":set nothing 1", ":set backend nonesuch", ":set seed -1"}) {
    piped({wrong});
    EXPECT_EQ(status, 1) << wrong;
    EXPECT_EQ(errors.find("nesl: "), 0u) << errors;
  }
}

TEST_F(SessionTest, ValuesMoveToAnotherBackend) {
  EXPECT_EQ(
      piped({"x = [[1, 2], [3]];", "y = dist(1.5, 1000);", "z = [] int;", ":set backend cpu", "x;", "sum(y);", "z;"}),
      "x = [[1, 2], [3]] : [[int]]\ny = [" +
          [] {
            std::string all;
            for (int k = 0; k < 100; ++k) all += k == 0 ? "1.5" : ", 1.5";
            return all;
          }() +
          ",...] : [float]\nz = [] : [int]\nit = [[1, 2], [3]] : [[int]]\nit = 1500.0 : float\nit = [] : [int]\n");
}

TEST_F(SessionTest, LoadRunsTheStatementsOfFiles) {
  ScratchFiles files;
  const std::string& directory = files.directory();
  files.write("good.nesl", "function double(x) = 2 * x;\ny = double(4);\n");
  files.write("bad.nesl", "y = 1;\nz = nonsense;\n");
  EXPECT_EQ(piped({"load \"" + directory + "/good\";", "double(y);"}), "it = 16 : int\n");
  EXPECT_EQ(piped({":load " + directory + "/good.nesl", "y;"}), "it = 8 : int\n");
  EXPECT_EQ(piped({":load " + directory + "/bad.nesl", "y;"}), "it = 1 : int\n");
  EXPECT_EQ(errors.find(directory + "/bad.nesl:2:5: error:"), 0u) << errors;
  piped({":load " + directory + "/nothing"});
  EXPECT_EQ(errors, "nesl: cannot open " + directory + "/nothing: No such file or directory\n");
  piped({"load;"});
  EXPECT_EQ(errors, "nesl: load needs the name of a file\n");
  files.write("loop.nesl", "load \"" + directory + "/loop\";\n");
  piped({":load " + directory + "/loop", "1;"});
  EXPECT_NE(errors.find("the files load each other without end"), std::string::npos) << errors;
  EXPECT_EQ(piped({"load \"" + directory + "/good.nesl\";", "load;", "y;"}), "it = 8 : int\n");
}

TEST_F(SessionTest, LoadTakesAnExpressionAndOptions) {
  ScratchFiles files;
  const std::string& directory = files.directory();
  files.write("a.nesl", "y = 8;\n");
  const std::string dir = "dir = \"" + directory + "/\";", said_dir = "dir = \"" + directory + "/\" : [char]\n";
  EXPECT_EQ(piped({dir, "load dir ++ \"a\";", "y;", "it;"}), said_dir + "it = 8 : int\nit = 8 : int\n");
  EXPECT_EQ(piped({"load \"" + directory + "/a.nesl\", print := t;"}), "y = 8 : int\n");
  EXPECT_EQ(piped({dir, "load (dir ++ [`a]), verbose := f, print := t, save_filename := f;"}),
            said_dir + "y = 8 : int\n");
  EXPECT_EQ(piped({dir, "load dir ++ \"a\", print := f;", "load;", "y;"}), said_dir + "it = 8 : int\n");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory);
  EXPECT_EQ(piped({"load a;", "y;"}), "it = 8 : int\n");  // a plain name
  std::filesystem::current_path(before);
  piped({"load 1 + 2;"});
  EXPECT_EQ(errors, "nesl: load needs the name of a file: a string, not a value of type int\n");
  piped({"load nowhere ++ \"a\";"});
  EXPECT_EQ(errors.find("<load>:1:"), 0u) << errors;
  piped({"load [`a][3:4];", "load drop(\"a\", 2);"});
  EXPECT_NE(errors.find("Bounds error for function DROP."), std::string::npos) << errors;
  piped({"load \"a\", print := 3;"});
  EXPECT_EQ(errors, "nesl: load: 'print := 3' is no option; print := t shows the replies\n");
  piped({"load \"a\", fast := t;"});
  EXPECT_EQ(errors, "nesl: load has no option fast; print := t shows the replies\n");
}

TEST_F(SessionTest, NestedValuesAreShortenedAsAWhole) {
  piped({"{{{i * j * k : k in [0:100]} : j in [0:100]} : i in [0:100]};"});
  EXPECT_LT(said.size(), 12'000u);
  EXPECT_GT(said.size(), 9'000u);
  EXPECT_TRUE(said.ends_with(",...],...],...] : [[[int]]]\n")) << said.substr(said.size() - 60);
  piped({"set print_length 100000;", "[0:20000];"});  // a larger print_length raises the limit
  EXPECT_NE(said.find(", 19999] : [int]\n"), std::string::npos);
  EXPECT_EQ(piped({"set print_length 4611686018427387904;", "[1, 2];"}), "it = [1, 2] : [int]\n");  // 2^62
}

TEST_F(SessionTest, NamesForCompletionExcludeInternalFunctions) {
  const nesl::Session session;
  const std::vector<std::string> names = session.names();
  const auto has = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  for (const char* name : {"sum", "pi", "atan2", "next_char"}) EXPECT_TRUE(has(name)) << name;
  for (const char* name : {"checked_add", "prim_clock", "iota", "match_range"}) EXPECT_FALSE(has(name)) << name;
}

TEST_F(SessionTest, ProfilesOfSessionsArePrintedAtTheEnd) {
  nesl::run_with_deep_stack([] {
    Flags flags;
    flags.profile = true;
    TopLevel top_level(flags, {[](std::string_view) {}, [](std::string_view) {}});
    EXPECT_EQ(top_level.finish(), 0);  // nothing has run
    top_level.run_text("<test>", "max_val([1, 2]); product([1, 2]);");
    testing::internal::CaptureStderr();
    EXPECT_EQ(top_level.finish(), 0);
    const std::string shown = testing::internal::GetCapturedStderr();
    EXPECT_NE(shown.find("MAX_REDUCE INT"), std::string::npos) << shown;
    EXPECT_NE(shown.find("*_REDUCE INT"), std::string::npos) << shown;
  });
}

}  // namespace
}  // namespace nesl_cli
