// docs/teaching.md: every block is executed, in the order of the page.

#include <algorithm>
#include <regex>
#include <sstream>

#include "command.h"

namespace {

struct Lesson : Command {
  int commands = 0, statements = 0;
  std::string session;  ///< the statements of the page so far
  std::size_t replies = 0;

  /// Runs the lines that begin with `$ ` of a block. `$ cat FILE` shows a file, which is made of the lines behind it.
  void run_console(const std::string& block) {
    std::istringstream lines(block);
    std::string line, command, expected;
    const auto finish = [&] {
      if (command.empty()) return;
      ++commands;
      const std::string name = command.substr(command.find(' ') + 1);
      if (command.starts_with("cat ")) {
        file(name, expected);
      } else {
        shell("export PATH=$(dirname " NESL_COMMAND "):$PATH; " + command + " 2>&1");
        const bool is_cost = command.starts_with("nesl cost");
        const auto comparable = is_cost ? work_and_depth : without_times;
        EXPECT_EQ(comparable(result.output), comparable(expected)) << command;
      }
      command.clear();
      expected.clear();
    };
    while (std::getline(lines, line)) {
      if (line.starts_with("$ ")) {
        finish();
        command = line.substr(2);
      } else {
        expected += line + "\n";
      }
    }
    finish();
  }

  /// Runs the lines that begin with `> ` of a block in the one session of the page.
  void run_session(const std::string& block) {
    std::istringstream lines(block);
    std::string line, expected;
    while (std::getline(lines, line)) {
      if (!line.starts_with("> ")) {
        expected += line + "\n";
        continue;
      }
      session += line.substr(2) + "\n";
      ++statements;
    }
    shell("cat > session.nesl <<'END'\n" + session + "END\n" NESL_COMMAND " repl < session.nesl 2>&1");
    EXPECT_EQ(result.output.substr(std::min(replies, result.output.size())), expected) << block;
    replies = result.output.size();
  }

  /// The columns of a table of costs up to the ratio of work and depth; the others depend on the machine.
  static std::string work_and_depth(const std::string& table) {
    constexpr std::size_t kColumns = 52;
    std::string kept;
    std::size_t column = 0;
    for (const char c : table) {
      if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++column;
      if (c == '\n' || column <= kColumns) kept += c;
      if (c == '\n') column = 0;
    }
    return kept;
  }

  /// Durations, and the numbers of tables of measurements, as #.
  static std::string without_times(const std::string& text) {
    const std::string timeless = std::regex_replace(text, std::regex("[0-9.]+ (ms|s,|s|µs|ns)"), "# $1");
    return std::regex_replace(timeless, std::regex("( +[0-9]+) +[^ ]+ +[^ ]+ +±.*\n"), "$1 #\n");
  }
};

TEST_F(Lesson, EveryBlockIsExecuted) {
  std::istringstream page(read_text(std::string(NESL_SOURCE_DIR) + "/docs/teaching.md"));
  std::string line, kind, block;
  bool inside = false;
  while (std::getline(page, line)) {
    if (!line.starts_with("```")) {
      if (inside) block += line + "\n";
      continue;
    }
    if (!inside) {
      kind = line.substr(3);
      block.clear();
    } else if (kind == "console") {
      run_console(block);
    } else if (kind == "nesl-session") {
      run_session(block);
    } else {
      ADD_FAILURE() << "a block of the kind '" << kind << "' is not executed:\n" << block;
    }
    inside = !inside;
  }
  EXPECT_FALSE(inside);
  EXPECT_GT(commands, 10);
  EXPECT_GE(statements, 3);
}

}  // namespace
