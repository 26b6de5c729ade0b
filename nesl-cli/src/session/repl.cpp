#include "repl.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "nesl-compiler/completeness.h"
#include "text/lookup.h"
#include "vcode-interp/interrupt.h"

namespace nesl_cli {

using nesl::Completeness;

namespace {

constexpr const char* kPrompt = "nesl> ";
constexpr const char* kContinued = "    > ";
constexpr const char* kInputName = "<stdin>";

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r;") + 1 - begin);
}

struct Command {
  const char* name;
  Outcome (*run)(TopLevel&, const std::string& argument);
};

Outcome show_documentation(TopLevel& top_level, const std::string& name) {
  return top_level.run_command("describe \"" + name + "\"");
}

constexpr Command kCommands[] = {
    {"doc", show_documentation},
    {"explain", [](TopLevel& top_level, const std::string& text) { return top_level.show_explanation(text); }},
    {"help", [](TopLevel& top_level, const std::string& name) { return top_level.run_command("help " + name); }},
    {"load", [](TopLevel& top_level, const std::string& file) { return top_level.load(file, false); }},
    {"profile", [](TopLevel& top_level, const std::string& text) { return top_level.run_profiled(text); }},
    {"quit", [](TopLevel&, const std::string&) { return Outcome::kLeave; }},
    {"set", [](TopLevel& top_level, const std::string& rest) { return top_level.run_command("set " + rest); }},
    {"show", [](TopLevel& top_level, const std::string& text) { return top_level.show_steps(text); }},
    {"time", [](TopLevel& top_level, const std::string& text) { return top_level.run_timed(text); }},
    {"type", [](TopLevel& top_level, const std::string& text) { return top_level.show_type(text); }},
    {"vcode", [](TopLevel& top_level, const std::string& text) { return top_level.show_vcode(text); }},
};

/// Runs a line that begins with a colon. The name of the command may be abbreviated.
Outcome run_colon_command(const std::string& line, TopLevel& top_level) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string name = line.substr(1, end - 1), argument = trimmed(line.substr(end));
  std::vector<const Command*> meant;
  for (const Command& command : kCommands)
    if (std::string_view(command.name).starts_with(name)) meant.push_back(&command);
  if (meant.size() == 1 || (!meant.empty() && name == meant[0]->name)) return meant[0]->run(top_level, argument);
  std::string choices;
  for (const Command& command : kCommands)
    if (meant.empty() || std::find(meant.begin(), meant.end(), &command) != meant.end())
      choices += fmt::format("{}:{}", choices.empty() ? "" : ", ", command.name);
  top_level.output().complain(meant.empty()
                                  ? fmt::format("nesl: there is no command :{}; choose from {}\n", name, choices)
                                  : fmt::format("nesl: :{} can mean {}\n", name, choices));
  return Outcome::kFailed;
}

/// Collects lines up to the end of a statement.
class StatementReader {
 public:
  explicit StatementReader(LineSource& lines) : lines_(lines) {}

  enum class Event { kText, kColonCommand, kEnd, kInterrupt };
  Event next() {
    text.clear();
    as_typed.clear();
    for (std::string line;;) {
      switch (lines_.next(text.empty() ? kPrompt : kContinued, line)) {
        case LineSource::Event::kInterrupt:
          return Event::kInterrupt;
        case LineSource::Event::kEnd:
          return finish();
        case LineSource::Event::kLine:
          break;
      }
      ++lines_read_;
      if (text.empty()) {
        first_line = lines_read_;
        if (line.starts_with(':')) {
          text = as_typed = line;
          return Event::kColonCommand;
        }
      }
      const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
      if (text.empty() && blank) continue;
      if (lines_.is_interactive() && blank && !lines_.has_more()) return finish();
      (text += line) += '\n';
      if (lines_.is_interactive()) (as_typed += line) += '\n';
      if (is_complete(line)) return Event::kText;
    }
  }

  std::string text;
  std::string as_typed;  ///< the text of an interactive source, for the history
  std::uint32_t first_line = 1;

 private:
  bool is_complete(const std::string& line) {
    const bool typed = lines_.is_interactive() && !lines_.has_more();
    // This test prevents that a long statement is scanned again at each of its lines.
    if (!typed && line.find_first_of(";$") == std::string::npos) return false;
    switch (nesl::completeness(text)) {
      case Completeness::kTerminated:
        return true;
      case Completeness::kStatement:
        return typed;
      case Completeness::kEmpty:
        text.clear();
        return false;
      case Completeness::kIncomplete:
      case Completeness::kDefinition:
        return false;
    }
    VC_CHECK(false);
    return false;
  }

  /// Ends the statement, even an incomplete one, at the end of the input or at an empty line.
  Event finish() {
    const Completeness state = nesl::completeness(text);
    if (state == Completeness::kEmpty) return Event::kEnd;
    return Event::kText;
  }

  LineSource& lines_;
  std::uint32_t lines_read_ = 0;
};

}  // namespace

int run_session(LineSource& lines, TopLevel& top_level) {
  StatementReader reader(lines);
  int status = 0;
  for (;;) {
    Outcome outcome = Outcome::kDone;
    const StatementReader::Event event = reader.next();
    if (event != StatementReader::Event::kInterrupt && !reader.as_typed.empty()) lines.remember(reader.as_typed);
    switch (event) {
      case StatementReader::Event::kEnd:
        if (lines.failure().empty()) return status;
        top_level.output().complain(fmt::format("nesl: standard input cannot be read: {}\n", lines.failure()));
        return 1;
      case StatementReader::Event::kInterrupt:
        outcome = Outcome::kInterrupted;
        break;
      case StatementReader::Event::kColonCommand:
        outcome = run_colon_command(reader.text, top_level);
        break;
      case StatementReader::Event::kText:
        outcome = top_level.run_text(kInputName, reader.text, reader.first_line);
        break;
    }
    if (outcome == Outcome::kLeave) return status;
    if (lines.is_interactive()) {
      interp::clear_interrupt();
      interp::catch_interrupts();
    } else if (outcome == Outcome::kInterrupted) {
      return 130;
    } else if (outcome == Outcome::kFailed) {
      status = 1;
    }
  }
}

const std::vector<std::string>& session_commands() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Command& command : kCommands) all.emplace_back(command.name);
    return all;
  }();
  return names;
}

}  // namespace nesl_cli
