#include "classic_commands.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace nesl_cli {

namespace {

struct Entry {
  std::string_view command;  ///< first words of the command
  bool accepted;
  std::string_view text;
};

// The answers: the first entry whose words begin the command applies.
constexpr std::array kEntries = {
    Entry{"set trace off", true, ""},
    Entry{"set profile off", true, ""},
    Entry{"set arg_check on", true, ""},
    Entry{"set arg_check off", true, "arguments are always checked"},
    Entry{"set memory_size", true, "vector memory grows as needed; the option --memory limits it"},
    Entry{"set config", true, "there are no configurations; set backend and the options of nesl say how programs run"},
    Entry{"set rsh_command", true, "programs run on this machine"},
    Entry{"set editor", true, "edit files in any editor and load them"},
    Entry{"set redefine", true, "names of the library can always be defined anew"},
    Entry{"set debug", true, "it has no effect here"},
    Entry{"set lnesl", true, "it has no effect here"},
    Entry{"set trace", false,
          "print_debug in the function prints what it is called with; --trace=runtime prints all calls"},
    Entry{"set profile", false, ":profile STATEMENT, or the option --profile, tells where the time goes"},
    Entry{"defconfig", true, "there are no configurations; set backend and the options of nesl say how programs run"},
    Entry{"show bugs", false, "docs/coming-from-nesl-3.1.md says what differs and what is missing"},
    Entry{"show config", false, "show status shows the backend, nesl --version the backends there are"},
    Entry{"show configs", false, "show status shows the backend, nesl --version the backends there are"},
    Entry{"show code", false, ":vcode EXPRESSION shows the code that an expression is compiled to"},
    Entry{"show compiled", false, ":vcode EXPRESSION shows the code that an expression is compiled to"},
    Entry{"show", false, "there is show status"},
    Entry{"dump vcode", false, "in a file: nesl compile FILE --main EXPRESSION -o OUT does that"},
    Entry{"dump world", false, "keep definitions in a file and load it; write_object_to_file keeps a value"},
    Entry{"dump info", false, "nesl --version and show status say what a report needs"},
    Entry{"dump", false, "there is dump vcode \"FILE\" EXPRESSION"},
    Entry{"edit", false, "edit the file in any editor and load it"},
    Entry{"shell", false, "use another terminal, or the function shell_command"},
    Entry{"get", false, "there are no background jobs; a value is there when its statement is answered"},
    Entry{"lisp", false, "there is no Lisp underneath; exit leaves"},
};

}  // namespace

std::optional<ClassicAnswer> answer_classic_command(const std::vector<std::string>& words) {
  const std::string command = fmt::format("{} ", fmt::join(words, " "));
  for (const Entry& entry : kEntries)
    if (command.starts_with(fmt::format("{} ", entry.command)))
      return ClassicAnswer{entry.accepted, std::string(entry.text)};
  return std::nullopt;
}

bool changes_no_program(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "set" && (words[1] == "print_length" || words[1] == "verbose")) return true;
  const std::optional<ClassicAnswer> answer = answer_classic_command(words);
  return answer && answer->accepted;
}

}  // namespace nesl_cli
