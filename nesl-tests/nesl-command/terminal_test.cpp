// The session at a terminal: editing, completion, history and Ctrl-C.

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

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
  // Several interrupts, each of which must be caught.
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

TEST_F(Session, AnInterruptStopsCompilingAndPrinting) {
  std::ofstream long_text(directory.path() / "long.nesl");
  long_text << "function g0(x) = x + 1;\n";
  for (int k = 1; k < 30000; ++k)
    long_text << "function g" << k << "(x) = {g" << k - 1 << "(y) + x : y in [x, x]}[0];\n";
  long_text.close();
  Terminal terminal({NESL_COMMAND}, directory.path());
  terminal.wait_for("nesl> ");
  terminal.type(":load long\n");
  terminal.wait_for("nesl> ");
  terminal.type("print_line(\"go\")\n");
  terminal.wait_for("nesl> ");
  terminal.type("g29999(1)\n");
  terminal.wait_for("\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  terminal.type("\x03");
  terminal.wait_for("interrupted");
  terminal.wait_for("nesl> ");
  terminal.type("x = 7\n");
  terminal.wait_for("nesl> ");
  terminal.type(":set print_length 100000000\n");
  terminal.wait_for("nesl> ");
  terminal.type("[0:30000000]\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  terminal.type("\x03");
  terminal.wait_for("interrupted");
  terminal.wait_for("nesl> ");
  terminal.type("x\n");
  terminal.wait_for("it = 7 : int");
  terminal.wait_for("nesl> ");
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

TEST_F(Session, HistoryKeepsStatementsOfSeveralLines) {
  {
    Terminal terminal({NESL_COMMAND}, directory.path());
    terminal.wait_for("nesl> ");
    terminal.type("function g(x) =   % of one %\n");
    terminal.wait_for("    > ");
    terminal.type("    x + 1;\n");
    terminal.wait_for("g = fn : int -> int");
    terminal.wait_for("nesl> ");
    terminal.type("\x1b[A\n");
    terminal.wait_for("g = fn : int -> int");
    terminal.wait_for("nesl> ");
    terminal.type("(1 +\n");
    terminal.wait_for("    > ");
    terminal.type("\x03");  // Ctrl-C leaves no statement
    terminal.wait_for("nesl> ");
    terminal.type(":quit\n");
    EXPECT_EQ(terminal.wait(), 0);
  }
  Terminal terminal({NESL_COMMAND}, directory.path());
  terminal.wait_for("nesl> ");
  terminal.type("\x1b[A\x1b[A");
  terminal.wait_for("function g(x) =   % of one % x + 1;");
  terminal.type("\n");
  terminal.wait_for("g = fn : int -> int");
}

TEST_F(Session, LinesTypedAheadAreStatements) {
  Terminal terminal({NESL_COMMAND}, directory.path());
  terminal.type("1 + 2\n(2 +\n3)\n");
  terminal.wait_for("it = 3 : int");
  terminal.wait_for("it = 5 : int");
  terminal.wait_for("nesl> ");
  terminal.type("sum({rand(10) : i in [0:3000000]}) > 0\nx = 6\nx + 1\n");
  terminal.wait_for("it = T : bool");
  terminal.wait_for("x = 6 : int");
  terminal.wait_for("it = 7 : int");
}

TEST_F(Session, PastedLinesGoOnUntilTheirTerminators) {
  Terminal terminal({NESL_COMMAND}, directory.path());
  terminal.wait_for("nesl> ");
  terminal.type("\x1b[200~a = 1;\rb = a\r\r\t+ 1;\rb + 5\r\x1b[201~");
  terminal.wait_for("a = 1 : int");
  terminal.wait_for("b = 2 : int");
  terminal.wait_for("it = 7 : int");  // the last statement ends with the text
  terminal.wait_for("nesl> ");
  terminal.type("\x1b[200~b + \x1b[201~6\n");  // pasted within a line
  terminal.wait_for("it = 8 : int");
  terminal.wait_for("nesl> ");
  terminal.type("1\n");
  terminal.wait_for("it = 1 : int");
}

TEST_F(Session, ReadingFromTheKeyboardLeavesNoBlankLine) {
  Terminal terminal({NESL_COMMAND}, directory.path());
  terminal.wait_for("nesl> ");
  terminal.type("prompt(\"na\" ++ \"me? \")\n");
  terminal.wait_for("name? ");
  terminal.type("Ann\n");
  EXPECT_EQ(terminal.wait_for("it = \"Ann\""), "Ann\r\nit = \"Ann\"");
  terminal.wait_for("nesl> ");
  terminal.type("print_string(\"mid line\")\n");
  terminal.wait_for("mid line\r\nit = T");
}

TEST_F(Session, CompletesFileNames) {
  std::ofstream(directory.path() / "numbers.nesl") << "n = 5;";
  std::ofstream(directory.path() / "notes.txt") << "a note";
  std::filesystem::create_directory(directory.path() / "folder");
  std::ofstream(directory.path() / "folder" / "inner.nesl") << "n = 6;";
  Terminal terminal({NESL_COMMAND}, directory.path());
  terminal.wait_for("nesl> ");
  terminal.type(":load nu\t\nn\n");
  terminal.wait_for("it = 5 : int");
  terminal.wait_for("nesl> ");
  terminal.type("load \"fol\tin\t;\nn\n");
  terminal.wait_for("it = 6 : int");
  terminal.wait_for("nesl> ");
  terminal.type("read_string_from_file(\"n\t");
  terminal.wait_for("notes.txt     numbers.nesl");
  terminal.type("o\t)\n");
  terminal.wait_for("it = \"a note\"");
}

TEST_F(Session, EditsCharactersThatAreSeveralBytes) {
  Terminal terminal({NESL_COMMAND}, directory.path());
  terminal.wait_for("nesl> ");
  terminal.type("\"aé\x7fö\"\n");
  terminal.wait_for("it = \"aö\" : [char]");
}

TEST_F(Session, LettersStayInLocalesWithoutThem) {
  for (const char* locale : {"C", "POSIX", "not_INSTALLED"}) {
    Terminal terminal({NESL_COMMAND}, directory.path(), locale);
    terminal.wait_for("nesl> ");
    terminal.type("\"aé\x7fö\"\n");
    EXPECT_NO_THROW(terminal.wait_for("it = \"aö\" : [char]")) << locale;
  }
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
