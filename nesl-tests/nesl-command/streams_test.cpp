// Closed, full and broken standard streams, and Ctrl-C, for each program.

#include "command.h"

namespace {

struct Streams : Command {
  const std::vector<std::string> programs = {NESL_COMMAND, NESL_NESL2VCODE, NESL_VINTERP, NESL_FCODE_OPT};
  std::string name_of(const std::string& program) { return std::filesystem::path(program).filename(); }
  /// Interrupts a command while it is at work; on a busy machine it may take longer to start.
  void interrupt(const std::string& command) {
    for (const char* seconds : {"0.3 ", "1 ", "5 "}) {
      shell(std::string("timeout --foreground --preserve-status -s INT ") + seconds + command);
      if (result.errors.find("interrupted\n") != std::string::npos) break;
    }
  }
};

TEST_F(Streams, OutputThatCannotBeWritten) {
  file("a.nesl", "1;\n");
  file("a.vcode", "FUNC MAIN CONST INT 3 RET");
  std::vector<std::string> lines = {NESL_COMMAND " run a.nesl",
                                    NESL_COMMAND " -e 'x = 1; 2'",
                                    "echo '1; 2;' | " NESL_COMMAND,
                                    "echo '1; 2;' | " NESL_COMMAND " repl",
                                    NESL_COMMAND " describe sum",
                                    NESL_COMMAND " compile a.nesl",
                                    NESL_COMMAND " run a.vcode",
                                    NESL_NESL2VCODE " a.nesl",
                                    NESL_VINTERP " a.vcode",
                                    NESL_FCODE_OPT " a.vcode",
                                    NESL_FCODE_OPT " --list-passes",
                                    NESL_VINTERP " -d lex a.vcode",
                                    NESL_COMMAND " -e 'print_line(\"x\")'"};
  for (const std::string& program : programs)
    for (const char* option : {" --help", " --version"}) lines.push_back(program + option);
  for (const std::string& line : lines) {
    shell(line + " > /dev/full");
    EXPECT_EQ(result.exit_status, 1) << line;
    const std::string why = "standard output could not be written";
    const std::size_t first = result.errors.find("No space left on device");
    EXPECT_NE(first, std::string::npos) << line << ": " << result.errors;
    EXPECT_EQ(result.errors.find("No space left on device", first + 1), std::string::npos)
        << line << " says it twice: " << result.errors;
  }
}

TEST_F(Streams, NothingIsSaidWhenTheReaderHasGone) {
  file("a.vcode", "FUNC MAIN CONST INT 3 CONST SEGDES 1000000 DIST INT RET");
  file("a.nesl", "1;\n");
  for (const std::string& line : {std::string(NESL_VINTERP " a.vcode"), std::string(NESL_COMMAND " run a.vcode"),
                                  std::string(NESL_COMMAND " -e 'set print_length 1000000; [0:1000000]'"),
                                  std::string(NESL_COMMAND " -e '{print_line(\"some text\") : i in [0:100000]}'"),
                                  std::string(NESL_COMMAND " --help"), std::string(NESL_FCODE_OPT " --help"),
                                  std::string(NESL_NESL2VCODE " a.nesl")}) {
    // A pipe whose reading end is closed as soon as its writing end is open.
    shell("rm -f pipe; mkfifo pipe; exec 3<>pipe; exec 4>pipe; exec 3<&-; " + line + " >&4; echo $? > status");
    EXPECT_EQ(result.errors, "") << line;
    EXPECT_EQ(text_of("status"), "141\n") << line;  // 128 + SIGPIPE
  }
}

/// Streams read 64 KiB at a time: delimiters and limits lie on both sides of that.
TEST_F(Streams, TextIsReadAcrossBuffers) {
  file("a.vcode", R"(FUNC MAIN
CONST CHAR ",;" CONST INT -1 CONST INT 0 FREAD_CHAR POP 2 0 CPOP 1 1 LENGTH INT
CONST CHAR ",;" CONST INT -1 CONST INT 0 FREAD_CHAR POP 2 0 CPOP 1 1 LENGTH INT
CONST CHAR ";" CONST INT 65537 CONST INT 0 FREAD_CHAR POP 2 0 CPOP 1 1 LENGTH INT
CONST CHAR "" CONST INT -1 CONST INT 0 FREAD_CHAR POP 2 0 CPOP 1 1 LENGTH INT
RET)");
  for (const std::size_t first : {65535u, 65536u, 131071u, 131072u, 131073u}) {
    const std::string a(first, 'a'), b(65536, 'b'), c(65538, 'c');
    nesl({"run", "a.vcode"}, a + ',' + b + ';' + c);
    const std::string length = std::to_string(first);
    expect(0, "( 44 )\n( " + length + " )\n( 59 )\n( 65536 )\n( -2 )\n( 65537 )\n( -1 )\n( 1 )\n", "");
  }
}

/// Streams write 64 KiB at a time.
TEST_F(Streams, TextIsWrittenInParts) {
  for (const int length : {65535, 65536, 65537, 200000}) {
    file("a.nesl", "ok = print_string({code_char(97 + rem(i, 26)) : i in [0:" + std::to_string(length) + "]});\n");
    nesl({"run", "a.nesl"});
    std::string expected;
    for (int k = 0; k < length; ++k) expected += static_cast<char>('a' + k % 26);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.output.substr(0, expected.size()), expected);
  }
}

TEST_F(Streams, WhatAProcessDoesNotReadIsNoEnd) {
  file("close.sh", "exec <&-\necho closed\n");
  nesl({"--allow-spawn", "-e",
        "let ((to, from, r), ok, m) = spawn(\"sh close.sh\", nullstr, nullstr, stderr); line = read_line(from) in "
        "write_string(\"text\", to)"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output, "it = (F, \"cannot write to the stream\") : bool, [char]\n") << result.errors;
}

TEST_F(Streams, ClosedInput) {
  file("a.vcode", "FUNC MAIN READ INT CPOP 1 2 POP 1 0 POP 1 1 RET");
  shell(NESL_COMMAND " -e 'read_line(stdin)' <&-");
  EXPECT_NE((result.output + result.errors).find("standard input is closed"), std::string::npos)
      << result.output << result.errors;
  shell(NESL_COMMAND " -e 'read_int_seq(stdin)' <&-");
  EXPECT_NE((result.output + result.errors).find("standard input is closed"), std::string::npos)
      << result.output << result.errors;
  file("b.vcode", "FUNC MAIN READ INT POP 1 0 CONST INT STDERR FWRITE CHAR POP 3 0 RET");
  shell(NESL_VINTERP " b.vcode <&-");
  expect(0, "", "input error: standard input is closed");
  for (const char* line : {NESL_COMMAND " run -", NESL_COMMAND " repl", NESL_VINTERP " -", NESL_NESL2VCODE " -"}) {
    shell(std::string(line) + " <&-");
    EXPECT_EQ(result.exit_status, 1) << line;
    EXPECT_NE(result.errors.find("standard input"), std::string::npos) << line << ": " << result.errors;
  }
}

TEST_F(Streams, ObjectsThatCannotBeRead) {
  struct Input {
    const char *text, *reply;
  };
  for (const Input& input :
       std::initializer_list<Input>{{"( 3 ) ( 4 )", "((3, 4), T, \"\")"},
                                    {"(x ) ( 4 )", "((1, 2), F, \"input error: vector must end with )\")"},
                                    {"( 3 ) (x )", "((1, 2), F, \"input error: vector must end with )\")"},
                                    {"", "((1, 2), F, \"vinterp: input error: vector must start with (\")"},
                                    {"( 3 5 ) ( 4 )", "((1, 2), F, \"input error: this is a value of another type\")"},
                                    {"( ) ( 4 )", "((1, 2), F, \"input error: this is a value of another type\")"}}) {
    nesl({"-e", "read_object((1, 2), stdin)"}, input.text);
    expect(0, std::string("it = ") + input.reply + " : (int, int), bool, [char]\n", "");
    nesl({"-e", "let ((a, b), ok, m) = read_object((1, 2), stdin) in #{x + a + b : x in [1, 2]}"}, input.text);
    expect(0, "it = 2 : int\n", "");
  }
  for (const Input& input : std::initializer_list<Input>{{"[ 2 ] [ 1 2 ] ( 7 8 9 ) ( T )", "([[7], [8, 9]], T)"},
                                                         {"[ 2 ] [ 1 2 ] ( 7 8 ) ( T )", "([[5]], F)"},
                                                         {"[ 3 ] [ 1 2 ] ( 7 8 9 ) ( T )", "([[5]], F)"},
                                                         {"[ 2 2 ] [ 1 2 1 1 ] ( 7 8 9 1 2 ) ( T )", "([[5]], F)"},
                                                         {"[ 2 ] ( 1 2 ) ( 7 8 9 ) ( T )", "([[5]], F)"}}) {
    nesl({"-e", "let (v, ok, m) = read_object(([[5]], f), stdin) in v"}, input.text);
    expect(0, std::string("it = ") + input.reply + " : [[int]], bool\n", "");
  }
}

/// A second evaluation would find no input.
TEST_F(Streams, GlobalsAreReadOnce) {
  for (const std::string work :
       {"x => x + p[1]", "add", "plus_p", "(f => x => f(x))(plus_p)", "x => sum({x + p[1] : i in [0:1]})"}) {
    file("a.nesl",
         "p = let (numbers, ok, message) = read_int_seq(stdin) in numbers;\n"
         "add = x => x + p[1];\n"
         "function plus_p(x) = x + p[1];\n"
         "function rounds(work, k) = if k == 0 then work(0) else rounds(work, k - 1);\n"
         "rounds(" +
             work + ", p[0]), {rounds(" + work + ", k) : k in [0, p[0]]};\n");
    nesl({"run", "a.nesl"}, "( 3 10 )");
    expect(0, "it = (10, [10, 10]) : int, [int]\n", "");
  }
}

TEST_F(Streams, UsageOfNesl2vcode) {
  result = run_process({NESL_NESL2VCODE}, directory.path(), "", {});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors.find("nesl2vcode: FILE is required\n"), 0u) << result.errors;
  EXPECT_NE(result.errors.find("Usage: nesl2vcode"), std::string::npos) << result.errors;
  result = run_process({NESL_NESL2VCODE, "--nonsense", "a"}, directory.path(), "", {});
  EXPECT_EQ(result.exit_status, 2);
}

TEST_F(Streams, SizesThatAreNone) {
  file("a.vcode", "FUNC MAIN CONST INT 3 RET");
  for (const char* option : {"--memory=", "--stack="}) {
    for (const char* size :
         {"0", "-1", "-5M", "5X", "M", "abc", "", "0.0", "1e9", "99999999999999999999", "5M5", "nan", "5 M", "0.1"}) {
      result = run_process({NESL_VINTERP, std::string(option) + size, "a.vcode"}, directory.path(), "", {});
      EXPECT_EQ(result.exit_status, 1) << option << size;
      EXPECT_EQ(result.output, "") << option << size;
      EXPECT_EQ(result.errors.find("vinterp: --"), 0u) << option << size << result.errors;
    }
    for (const char* size : {"5M", "5m", "5MB", "5MiB", "0.5G", "5000000", "5000k", "1T"}) {
      result = run_process({NESL_VINTERP, std::string(option) + size, "a.vcode"}, directory.path(), "", {});
      EXPECT_EQ(result.output, "( 3 )\n") << option << size << result.errors;
    }
  }
}

// --- Ctrl-C ---

TEST_F(Streams, AnInterruptStopsCompiling) {
  // Takes the compiler much longer than a second.
  std::string text = "function f0(x) = x + 1;\n";
  for (int k = 1; k < 100000; ++k)
    text += "function f" + std::to_string(k) + "(x) = {f" + std::to_string(k - 1) + "(y) + x : y in [x, x]}[0];\n";
  file("long.nesl", text + "f99999(1);\n");
  std::string vcode;
  for (int k = 0; k < 300000; ++k)
    vcode += "FUNC F" + std::to_string(k) + " CONST INT 1 + INT COPY 1 0 CALL F" + std::to_string(k + 1) + " RET\n";
  file("long.vcode", vcode + "FUNC F300000 + INT RET FUNC MAIN CONST INT 1 CONST INT 2 CALL F0 RET");
  for (const char* line : {NESL_COMMAND " check long.nesl", NESL_COMMAND " run long.nesl", NESL_NESL2VCODE " long.nesl",
                           NESL_FCODE_OPT " long.vcode"}) {
    interrupt(line);
    EXPECT_EQ(result.exit_status, 130) << line << ": " << result.errors.substr(0, 500);
    EXPECT_EQ(result.output, "") << line;
    EXPECT_NE(result.errors.find(": interrupted\n"), std::string::npos) << line;
  }
}

TEST_F(Streams, AnInterruptStopsPrinting) {
  file("a.vcode", "FUNC MAIN CONST INT 3 CONST SEGDES 1000000 DIST INT RET");
  for (const char* line : {NESL_VINTERP " a.vcode", NESL_COMMAND " run a.vcode",
                           NESL_COMMAND " -e 'set print_length 1000000; [0:1000000]'"}) {
    // The reader stops when output has begun, and stays until the program has ended.
    file("print.sh", std::string("echo $$ > process\nexec ") + line + "\n");
    shell(
        "rm -f status; (sh print.sh; echo $? > status) | "
        "(head -c 1 > /dev/null; kill -INT $(cat process); while [ ! -s status ]; do sleep 0.01; done)");
    EXPECT_EQ(text_of("status"), "130\n") << line;
    EXPECT_NE(result.errors.find(": interrupted\n"), std::string::npos) << line << ": " << result.errors;
  }
}

TEST_F(Streams, AnInterruptStopsARunAndNamesItsPlace) {
  file("a.nesl", "function loop(n) = if n == 0 then 0 else loop(n + 1);\nloop(1);\n");
  interrupt(NESL_COMMAND " run a.nesl");
  EXPECT_EQ(result.exit_status, 130);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors.find("a.nesl:1:42: run-time error in loop: interrupted\n"
                               "  function loop(n) = if n == 0 then 0 else loop(n + 1);\n"
                               "                                           ^\n"
                               "  called from loop (a.nesl:1:42), "),
            0u)
      << result.errors;
  EXPECT_NE(result.errors.find(" times in a row\n  called from (a.nesl:2:1)\n"), std::string::npos) << result.errors;
}

}  // namespace
