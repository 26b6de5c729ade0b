// The session at a terminal: editing, completion, history and Ctrl-C.

#include <gtest/gtest.h>

#include <fstream>

#include "../vcode/child_process.h"
#include "terminal.h"

namespace {

struct Session : testing::Test {
  ScratchDirectory directory;
};

TEST_F(Session, AnswersPromptsAndLeaves) {
  Terminal terminal({NESL_COMMAND}, directory.path());
  EXPECT_NE(terminal.wait_for("nesl> ").find(":help"), std::string::npos);
  terminal.type("1 + 2\n");
  terminal.wait_for("it = 3 : int");
  terminal.type("function g(x) =\n");
  terminal.wait_for("    > ");
  terminal.type("x + 1;\n");
  terminal.wait_for("g = fn : int -> int");
  terminal.type("exit\n");
  EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(Session, CompletesNames) {
  Terminal terminal({NESL_COMMAND, "repl"}, directory.path());
  terminal.wait_for("nesl> ");
  terminal.type("plus_s\t([1, 2])\n");
  terminal.wait_for("it = [0, 1] : [int]");
  terminal.type("my_own_name = 5\n");
  terminal.wait_for("my_own_name = 5 : int");
  terminal.type("my_o\t\n");
  terminal.wait_for("it = 5 : int");
  terminal.type(":ty\t1.5\n");
  terminal.wait_for("it : float");
}

TEST_F(Session, InterruptsStopTheComputationOnly) {
  Terminal terminal({NESL_COMMAND}, directory.path());
  terminal.wait_for("nesl> ");
  terminal.type("x = 7\n");
  terminal.wait_for("x = 7 : int");
  terminal.type("function loop(n) = if n == 0 then 0 else loop(n + 1 - 1);\n");
  terminal.wait_for("loop = fn");
  // More than once: each time it must still be caught.
  for (int k = 0; k < 3; ++k) {
    terminal.type("print_line(\"go\") and loop(1) == 0\n");
    terminal.wait_for("go\r\n");
    terminal.type("\x03");
    terminal.wait_for("interrupted");
    terminal.wait_for("nesl> ");
    terminal.type("(1 +");
    terminal.wait_for("(1 +");
    terminal.type("\x03");
    terminal.wait_for("nesl> ");
    terminal.type("x\n");
    terminal.wait_for("it = 7 : int");
    terminal.wait_for("nesl> ");
  }
  terminal.type("\x04");
  EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(Session, HistoryIsKept) {
  {
    Terminal terminal({NESL_COMMAND}, directory.path());
    terminal.wait_for("nesl> ");
    terminal.type("40 + 2\n");
    terminal.wait_for("it = 42 : int");
    terminal.wait_for("nesl> ");
    terminal.type("\x1b[A\n");
    terminal.wait_for("it = 42 : int");
    terminal.wait_for("nesl> ");
    terminal.type(":quit\n");
    EXPECT_EQ(terminal.wait(), 0);
  }
  Terminal terminal({NESL_COMMAND}, directory.path());
  terminal.wait_for("nesl> ");
  terminal.type("\x1b[A\x1b[A\n");
  terminal.wait_for("it = 42 : int");
}

TEST_F(Session, EditsCharactersThatAreSeveralBytes) {
  Terminal terminal({NESL_COMMAND}, directory.path());
  terminal.wait_for("nesl> ");
  terminal.type("\"aé\x7fö\"\n");
  terminal.wait_for("it = \"aö\" : [char]");
}

TEST_F(Session, ProgramsReadFromTheTerminal) {
  std::ofstream(directory.path() / "a.vcode") << "FUNC MAIN READ INT POP 2 0 RET";
  Terminal terminal({NESL_COMMAND, "run", "a.vcode"}, directory.path());
  terminal.type("( 1 2 )\n");
  terminal.wait_for("( 1 2 )\r\n( 1 2 )");
  EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(Session, AReadThatWaitsIsInterrupted) {
  std::ofstream(directory.path() / "a.vcode") << "FUNC MAIN CONST CHAR \"ready\" WRITE CHAR READ INT POP 2 0 RET";
  Terminal terminal({NESL_COMMAND, "run", "a.vcode"}, directory.path());
  terminal.wait_for("ready");
  terminal.type("\x03");
  terminal.wait_for("interrupted");
  EXPECT_EQ(terminal.wait(), 130);
}

}  // namespace
