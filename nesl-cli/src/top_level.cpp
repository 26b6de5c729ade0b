#include "top_level.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "command_words.h"
#include "executable.h"
#include "lookup.h"
#include "transfer.h"
#include "vcode-interp/interrupt.h"
#include "vcode/files.h"
#include "vcode/printer.h"

namespace nesl_cli {

namespace {

constexpr int kInterruptedStatus = 130;

using Clock = std::chrono::steady_clock;

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::optional<bool> truth_of(const std::string& word) {
  if (word == "on" || word == "t" || word == "T") return true;
  if (word == "off" || word == "f" || word == "F") return false;
  return std::nullopt;
}

std::optional<std::uint64_t> number_of(const std::string& word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

constexpr const char* kHelp =
    R"(Statements end with ; or $. A line that is complete without needs none, except a definition.

  1 + 2;                                    an expression; its value is also called it
  {x * x : x in [1, 2, 3]};                 in parallel for each element
  v = [3, 1, 2];                            a variable
  function double(x) = 2 * x;               a function
  datatype point(float, float);             a datatype

  describe NAME;  or  :doc NAME             what a function does
  apropos WORD;                             functions that have to do with something
  load "FILE";  or  :load FILE              the statements of a file
  set NAME VALUE;  or  :set                 settings; :set alone shows them
  :type EXPRESSION                          its type
  :vcode EXPRESSION                         the code it is compiled to
  :time STATEMENT                           how long it takes
  exit;  or  :quit                          leaves

Ctrl-C stops a computation, an empty line ends a statement that seems to want more, Tab completes names.
)";

}  // namespace

TopLevel::TopLevel(const Flags& flags, Output output) : flags_(flags), output_(std::move(output)) {
  session_.set_print_checks(false);
  flags_.run.standard_files = {0, 1, 1};  // WRITE goes to the standard error of a program
  flags_.run.source_line = [this](const std::string& file, std::uint32_t line) { return source_line(file, line); };
}

TopLevel::~TopLevel() = default;

std::string TopLevel::source_line(const std::string& file, std::uint32_t line) const {
  const auto [begin, end] = sources_.equal_range(file);
  std::string found;
  for (auto it = begin; it != end; ++it)
    if (const std::string_view text = it->second->line(line); !text.empty()) found = text;
  return found;
}

const vcode::Source& TopLevel::add_source(const std::string& name, std::string text, std::uint32_t line) {
  const vcode::Source& source = session_.add_source(name, std::move(text), line);
  sources_.emplace(name, &source);
  return source;
}

Outcome TopLevel::fail(const std::string& message) {
  output_.complain(fmt::format("nesl: {}\n", message));
  return Outcome::kFailed;
}

void TopLevel::explain(Reading& reading) {
  const std::vector<vcode::Diagnostic>& all = reading.diagnostics.all();
  for (; reading.explained < all.size(); ++reading.explained)
    output_.complain(vcode::render(reading.source, all[reading.explained]));
}

Outcome TopLevel::read(const vcode::Source& source, bool show_replies, const Use& use) {
  Reading reading{source, show_replies};
  session_.read(source, false, reading.diagnostics, [&](nesl::Unit& unit) {
    explain(reading);
    reading.outcome = use(unit, reading);
    return reading.outcome == Outcome::kDone;
  });
  explain(reading);
  if (reading.outcome == Outcome::kDone && reading.diagnostics.has_errors()) return Outcome::kFailed;
  return reading.outcome;
}

Outcome TopLevel::run_text(const std::string& name, const std::string& text, std::uint32_t line) {
  return read(add_source(name, text, line), true,
              [this](const nesl::Unit& unit, Reading& reading) { return use(unit, reading); });
}

Outcome TopLevel::load(const std::string& file, bool show_replies) {
  std::string name = file, text, error;
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored) && std::filesystem::exists(name + ".nesl", ignored)) name += ".nesl";
  if (!vcode::read_file(name, text, error)) return fail(error);
  last_loaded_ = name;
  return read(add_source(name, std::move(text), 1), show_replies,
              [this](const nesl::Unit& unit, Reading& reading) { return use(unit, reading); });
}

Outcome TopLevel::use(const nesl::Unit& unit, Reading& reading) {
  switch (unit.kind) {
    case nesl::Unit::Kind::kCommand:
      return run_command(unit.text);
    case nesl::Unit::Kind::kDefinition:
      if (reading.show_replies) output_.say(fmt::format("{} = fn : {}\n", unit.name, unit.type));
      return Outcome::kDone;
    case nesl::Unit::Kind::kValue:
      return evaluate(unit, reading);
  }
  return Outcome::kDone;
}

bool TopLevel::start_backend() {
  if (interpreter_) return true;
  std::string error, note;
  backend_ = interp::load_backend(flags_, error, note);
  if (!note.empty()) output_.complain(fmt::format("nesl: {}\n", note));
  if (!backend_) {
    fail(error);
    return false;
  }
  interpreter_ = std::make_unique<interp::Interpreter>(*backend_, flags_.run);
  return true;
}

Outcome TopLevel::evaluate(const nesl::Unit& unit, Reading& reading) {
  const Clock::time_point start = Clock::now();
  const std::optional<nesl::Compiled> compiled = session_.compile(unit, false, reading.diagnostics);
  explain(reading);
  if (!compiled || !start_backend()) return Outcome::kFailed;
  const vcode::Program executable = nesl_cli::executable(compiled->program, flags_.optimization);
  const double compile_time = seconds_since(start);

  std::vector<cvl::Value> inputs;
  for (const nesl::Definition* input : compiled->inputs) {
    const std::vector<cvl::Value>& entries = globals_.at(input);
    inputs.insert(inputs.end(), entries.begin(), entries.end());
  }
  const vcode::Source no_text("", "");
  const Clock::time_point run_start = Clock::now();
  if (flags_.timeout > 0) interp::start_timeout(flags_.timeout);
  interp::RunResult result = interpreter_->run(no_text, executable, std::move(inputs));
  if (flags_.timeout > 0) interp::start_timeout(0);
  const double run_time = seconds_since(run_start);
  if (interpreter_->is_mid_line()) output_.say("\n");
  if (result.status != 0) {
    // The terminal shows ^C and stays in that line.
    if (result.status == kInterruptedStatus && isatty(STDERR_FILENO)) output_.complain("\n");
    output_.complain(result.report);
    return result.status == 1 ? Outcome::kFailed : Outcome::kInterrupted;
  }
  if (!result.ended) return Outcome::kFailed;  // it has said itself what is wrong

  if (result.stack.size() != nesl_cli::entry_count(compiled->result))
    return fail(fmt::format("internal error: {} values for {} : {}", result.stack.size(), unit.name, unit.type));
  const std::optional<std::string> value =
      result_text(compiled->result, result.stack, interpreter_->evaluator(), style_);
  if (!value) return fail(interpreter_->evaluator().failure());
  keep(unit, std::move(result.stack));
  if (reading.show_replies) output_.say(fmt::format("{} = {} : {}\n", unit.name, *value, unit.type));
  if (verbose_)
    output_.say(fmt::format("compiled in {}, ran in {}\n", duration_text(compile_time), duration_text(run_time)));
  return Outcome::kDone;
}

void TopLevel::keep(const nesl::Unit& unit, std::vector<cvl::Value> stack) {
  auto next = std::make_move_iterator(stack.begin());
  for (const nesl::Definition* global : session_.commit(unit)) {
    const auto end = next + static_cast<std::ptrdiff_t>(entry_count(nesl::shape_of(*global)));
    globals_[global].assign(next, end);
    next = end;
  }
}

Outcome TopLevel::show_type(const std::string& text) {
  return read(session_.add_source("<type>", text), true, [this](const nesl::Unit& unit, Reading&) {
    if (unit.kind == nesl::Unit::Kind::kCommand) return fail("a command has no type");
    output_.say(fmt::format("{} : {}\n", unit.name, unit.type));
    return Outcome::kDone;
  });
}

Outcome TopLevel::show_vcode(const std::string& text) {
  return read(session_.add_source("<vcode>", text), true, [this](const nesl::Unit& unit, Reading& reading) {
    if (unit.kind != nesl::Unit::Kind::kValue) return fail("only an expression or assignment is compiled");
    const std::optional<nesl::Compiled> compiled = session_.compile(unit, false, reading.diagnostics);
    explain(reading);
    if (!compiled) return Outcome::kFailed;
    std::string inputs;
    for (const nesl::Definition* input : compiled->inputs) inputs += fmt::format(" {}", nesl::name_of(*input));
    if (!inputs.empty()) output_.say(fmt::format("{{ on the stack:{} }}\n", inputs));
    output_.say(vcode::print_vcode(vcode::letform::to_stack_code(compiled->program)));
    return Outcome::kDone;
  });
}

Outcome TopLevel::run_timed(const std::string& text) {
  const bool before = std::exchange(verbose_, true);
  const Outcome outcome = run_text("<time>", text);
  verbose_ = before;
  return outcome;
}

// --- commands ---------------------------------------------------------------------------------------------------

Outcome TopLevel::run_command(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  const std::string command = words.empty() ? "" : words[0];
  const std::string argument = words.size() > 1 ? words[1] : "";
  if (command == "exit") return Outcome::kLeave;
  if (command == "help" || command == "?") {
    output_.say(kHelp);
    return Outcome::kDone;
  }
  if (command == "describe" || command == "apropos") {
    if (argument.empty()) return fail(fmt::format("{} needs a name", command));
    const std::string found =
        command == "describe" ? description_text(session_, argument) : apropos_text(session_, argument);
    if (found.empty())
      return fail(command == "describe" ? unknown_name_text(session_, argument)
                                        : fmt::format("nothing has to do with {}", argument));
    output_.say(found);
    return Outcome::kDone;
  }
  if (command == "load") {
    bool show = false;
    for (std::size_t k = 2; k + 2 < words.size(); ++k)
      if (words[k] == "print" && words[k + 1] == ":=") show = truth_of(words[k + 2]).value_or(false);
    const std::string file = argument.empty() ? last_loaded_ : argument;
    if (file.empty()) return fail("load needs the name of a file");
    return load(file, show);
  }
  if (command == "set" && words.size() <= 3) return set(argument, words.size() > 2 ? words[2] : "");
  if (command == "show" && argument == "status") return set("", "");
  return fail(fmt::format("the command '{}' of the classic system is not available", text));
}

Outcome TopLevel::set(const std::string& name, const std::string& value) {
  if (name.empty()) {
    output_.say(fmt::format("print_length {}\nverbose {}\nbackend {}\nseed {}\ntimeout {}\n", style_.print_length,
                            verbose_ ? "on" : "off", flags_.backend, flags_.run.seed, flags_.timeout));
    return Outcome::kDone;
  }
  const std::optional<std::uint64_t> number = number_of(value);
  const std::optional<bool> truth = truth_of(value);
  if (name == "print_length") {
    if (!number || *number > INT64_MAX) return fail("set print_length needs a number of elements");
    style_.print_length = static_cast<std::int64_t>(*number);
  } else if (name == "verbose") {
    if (!truth) return fail("set verbose needs on or off");
    verbose_ = *truth;
  } else if (name == "seed") {
    if (!number) return fail("set seed needs a number");
    flags_.run.seed = *number;
    if (interpreter_) interpreter_->options().seed = *number;
  } else if (name == "timeout") {
    if (!number) return fail("set timeout needs a number of seconds, or 0");
    flags_.timeout = static_cast<double>(*number);
  } else if (name == "backend") {
    return change_backend(value) ? Outcome::kDone : Outcome::kFailed;
  } else if (name == "arg_check" && truth == std::optional(true)) {
    return Outcome::kDone;
  } else if (name == "arg_check") {
    return fail("arguments are always checked");
  } else {
    return fail(fmt::format("there is no setting {}; choose from print_length, verbose, backend, seed, timeout", name));
  }
  return Outcome::kDone;
}

bool TopLevel::change_backend(const std::string& name) {
  Flags flags = flags_;
  flags.backend = name;
  std::string error, note;
  cvl::BackendPtr backend = interp::load_backend(flags, error, note);
  if (!note.empty()) output_.complain(fmt::format("nesl: {}\n", note));
  if (!backend) {
    fail(error);
    return false;
  }
  auto interpreter = std::make_unique<interp::Interpreter>(*backend, flags.run);
  std::map<const nesl::Definition*, std::vector<cvl::Value>> globals;
  for (const auto& [global, entries] : globals_) {
    globals[global] = {};
    for (const cvl::Value& entry : entries) {
      cvl::Value moved = transfer(entry, interpreter_->evaluator(), interpreter->evaluator());
      if (moved.tag() == cvl::Value::Tag::kNone) {
        globals.clear();
        fail(fmt::format("the backend {} has no memory for the values of this session", name));
        return false;
      }
      globals[global].push_back(std::move(moved));
    }
  }
  globals_ = std::move(globals);
  interpreter_ = std::move(interpreter);
  backend_ = std::move(backend);
  flags_.backend = name;
  return true;
}

}  // namespace nesl_cli
