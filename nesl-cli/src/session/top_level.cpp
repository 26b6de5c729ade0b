#include "top_level.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "base/check.h"
#include "base/files.h"
#include "base/stop_request.h"
#include "program/executable.h"
#include "program/transfer.h"
#include "text/classic_commands.h"
#include "text/command_words.h"
#include "text/idiom_text.h"
#include "text/load_command.h"
#include "text/lookup.h"
#include "vcode-interp/interrupt.h"
#include "vcode-interp/machine_code.h"
#include "vcode-interp/rank_moves.h"
#include "vcode-interp/ranks.h"
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

std::optional<std::uint64_t> number_of(const std::string& word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

/// Tells where tests and benchmarks run.
std::string trial_note(const nesl::Unit& unit) {
  const bool is_test = unit.kind == nesl::Unit::Kind::kTest;
  return fmt::format("nesl: {} of a file are run by nesl {}\n", is_test ? "tests" : "benchmarks",
                     is_test ? "test" : "bench");
}

constexpr std::string_view kSettings = "print_length, verbose, backend, seed, timeout";

/// Limits the elements shown of sequences, and the characters of strings to ten times as many.
void show_elements(ResultStyle& style, std::int64_t number) {
  constexpr std::int64_t kCharactersPerElement = 10;
  style.print_length = number;
  style.string_length = std::min(number, INT64_MAX / kCharactersPerElement) * kCharactersPerElement;
}

bool is_setting(const std::string& name) {
  const std::vector<std::string> names = words_of(std::string(kSettings));
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr const char* kHelp =
    R"(Statements end with ; or $. A line that is complete without needs none, except a definition.

  1 + 2;                                    an expression; its value is also called it
  {x * x : x in [1, 2, 3]};                 in parallel for each element
  v = [3, 1, 2];                            a variable
  function double(x) = 2 * x;               a function
  datatype point(float, float);             a datatype

  help syntax;                              the language on one page
  describe NAME;  help NAME;  or  :doc NAME what a function does
  apropos WORD;                             functions that have to do with something
  load "FILE";  or  :load FILE              the statements of a file; load "FILE", print := t shows the replies
  set NAME VALUE;  or  :set                 settings; :set alone shows them
  :type EXPRESSION                          its type
  :vcode EXPRESSION                         the code it is compiled to
  :show EXPRESSION                          how it is computed, step by step on flat vectors
  :time STATEMENT                           how long it takes
  :profile STATEMENT                        where the time goes
  :explain EXPRESSION                       which of its operations are fused into kernels, and which not and why
  exit;  or  :quit                          leaves

Ctrl-C stops a computation, an empty line ends a statement that seems to want more, Tab completes names.
)";

}  // namespace

TopLevel::TopLevel(const Flags& flags, Output output)
    : flags_(flags), output_(std::move(output)), session_(flags.checks) {
  session_.set_pipeline(flags.optimize);
  flags_.run.shortest_floats = flags.shortest_floats.value_or(true);
  style_.classic = !flags_.run.shortest_floats;
  show_elements(style_, style_.print_length);
  session_.set_wide_ints(flags.run.widths.int_type == vcode::ElemType::kI64);
  flags_.run.standard_files = {0, output_.programs, output_.programs};  // NESL programs print to their standard error
  flags_.run.message_file = output_.errors;
  profile_ = interp::start_profile(flags_);
  flags_.run.source_line = [this](const std::string& file, std::uint32_t line) { return source_line(file, line); };
}

TopLevel::~TopLevel() = default;

int TopLevel::finish() {
  if (!backend_) return 0;
  backend_->leave_process();
  return profile_ ? interp::finish_profile("nesl", flags_, *profile_, *backend_, {}) : 0;
}

std::string TopLevel::source_line(const std::string& file, std::uint32_t line) const {
  const auto [begin, end] = sources_.equal_range(file);
  std::string found;
  for (auto it = begin; it != end; ++it)
    if (const std::string_view text = it->second->line(line); !text.empty()) found = text;
  return found;
}

Outcome TopLevel::fail(const std::string& message) {
  output_.complain(fmt::format("nesl: {}\n", message));
  return Outcome::kFailed;
}

void TopLevel::explain(Reading& reading) {
  const std::vector<base::Diagnostic>& all = reading.diagnostics.all();
  for (; reading.explained < all.size(); ++reading.explained)
    output_.complain(base::render(reading.source, all[reading.explained]));
}

Outcome TopLevel::read(const base::Source& source, bool show_replies, const Use& use) {
  Reading reading{source, show_replies};
  try {
    session_.read(source, reading.diagnostics, [&](nesl::Unit& unit) {
      explain(reading);
      reading.outcome = use(unit, reading);
      return reading.outcome == Outcome::kDone;
    });
  } catch (const base::Stopped&) {
    diagnostics_ = std::move(reading.diagnostics);
    output_.complain(isatty(STDERR_FILENO) ? "\ninterrupted\n" : "interrupted\n");
    return Outcome::kInterrupted;
  }
  explain(reading);
  diagnostics_ = std::move(reading.diagnostics);
  if (reading.outcome == Outcome::kDone && diagnostics_.has_errors()) return Outcome::kFailed;
  return reading.outcome;
}

Outcome TopLevel::run_text(const std::string& name, const std::string& text, std::uint32_t line) {
  const base::Source& source = session_.add_expression(name, text, line);
  sources_.emplace(name, &source);
  return read(source, true, [this](const nesl::Unit& unit, Reading& reading) { return use(unit, reading); });
}

Outcome TopLevel::load(const std::string& file, bool show_replies) {
  if (flags_.run.sandbox) return fail(fmt::format("load of '{}' is refused: the session runs with --sandbox", file));
  std::string name = file, text, error;
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored) && std::filesystem::exists(name + ".nesl", ignored)) name += ".nesl";
  if (!interp::read_program_text(flags_.run.job, name, text, error)) return fail(error);
  if (load_depth_ == kDeepestLoad) return fail(fmt::format("{}: the files load each other without end", name));
  last_loaded_ = name;
  ++load_depth_;
  const base::Source& source = session_.add_source(name, std::move(text));
  sources_.emplace(name, &source);
  const Outcome outcome =
      read(source, show_replies, [this](const nesl::Unit& unit, Reading& reading) { return use(unit, reading); });
  --load_depth_;
  return outcome;
}

Outcome TopLevel::load_command(const std::string& text) {
  LoadCommand command = parse_load(text);
  if (!command.error.empty()) return fail(command.error);
  if (command.again()) command.name = last_loaded_;
  // A name without quotes is an expression, or else the plain name of an existing file.
  const auto is_file = [](const std::string& name) {
    std::error_code ignored;
    return std::filesystem::exists(name, ignored) || std::filesystem::exists(name + ".nesl", ignored);
  };
  const bool plain = !command.expression.empty() && !session_.describe(command.expression);
  if (plain && is_file(command.expression)) command.name = command.expression;
  if (!command.name.empty()) return load(command.name, command.print);
  if (command.again()) return fail("load needs the name of a file");
  std::string name;
  const Outcome outcome =
      read(session_.add_expression("<load>", command.expression), false, [&](const nesl::Unit& unit, Reading& reading) {
        if (unit.kind != nesl::Unit::Kind::kValue || unit.type != "[char]")
          return fail(fmt::format("load needs the name of a file: a string, not {}",
                                  unit.type.empty() ? "a command" : "a value of type " + unit.type));
        std::optional<Run> run = this->run(unit, reading);
        if (!run) return reading.outcome;
        const std::optional<std::string> found = string_left(run->stack, interpreter_->evaluator());
        if (!found) return fail(interpreter_->evaluator().failure());
        name = *found;
        return Outcome::kDone;
      });
  return outcome == Outcome::kDone ? load(name, command.print) : outcome;
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
    case nesl::Unit::Kind::kTest:
    case nesl::Unit::Kind::kBench:
      if (reading.show_replies) output_.complain(trial_note(unit));
      return Outcome::kDone;
  }
  VC_CHECK(false);
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

std::optional<TopLevel::Run> TopLevel::run(const nesl::Unit& unit, Reading& reading) {
  reading.outcome = Outcome::kFailed;
  const Clock::time_point start = Clock::now();
  std::optional<nesl::Compiled> compiled = session_.compile(unit, false, reading.diagnostics);
  explain(reading);
  if (!compiled || !start_backend()) return std::nullopt;
  const vcode::Program executable = nesl_cli::executable(compiled->program, flags_.optimize);
  Run run{std::move(*compiled), {}, seconds_since(start), 0};
  return execute(unit, executable, reading, run) ? std::optional(std::move(run)) : std::nullopt;
}

bool TopLevel::execute(const nesl::Unit& unit, const vcode::Program& executable, Reading& reading, Run& run) {
  std::vector<runtime::Value> inputs;
  for (const nesl::Definition* input : run.compiled.inputs) {
    const std::vector<runtime::Value>& entries = globals_.at(input);
    inputs.insert(inputs.end(), entries.begin(), entries.end());
  }
  const base::Source no_text("", "");
  const Clock::time_point run_start = Clock::now();
  if (flags_.timeout > 0) interp::start_timeout(flags_.timeout);
  interp::RunResult result = interpreter_->run(no_text, executable, std::move(inputs));
  if (flags_.timeout > 0) interp::start_timeout(0);
  run.run_time = seconds_since(run_start);
  if (interpreter_->is_mid_line()) output_.say("\n");
  if (result.status != 0) {
    // The terminal shows ^C without ending the line.
    if (result.status == kInterruptedStatus && isatty(STDERR_FILENO)) output_.complain("\n");
    output_.complain(result.report);
    // After a failure of the environment, ranks may differ.
    if (flags_.run.job != nullptr && result.failure.kind != interp::RunFailure::Kind::kProgram)
      interp::end_run(flags_.run.job, result.status, result.failure.kind, result.report);
    reading.outcome = result.status == 1 ? Outcome::kFailed : Outcome::kInterrupted;
    return false;
  }
  if (!result.ended) return false;  // stopped by EXIT, after the program's own message

  if (result.stack.size() != nesl::entry_count(run.compiled.result)) {
    fail(fmt::format("internal error: {} values for {} : {}", result.stack.size(), unit.name, unit.type));
    return false;
  }
  run.stack = std::move(result.stack);
  reading.outcome = Outcome::kDone;
  return true;
}

Outcome TopLevel::evaluate(const nesl::Unit& unit, Reading& reading) {
  std::optional<Run> done = run(unit, reading);
  if (!done) return reading.outcome;
  const std::optional<std::string> value =
      result_text(done->compiled.result, done->stack, interpreter_->evaluator(), style_);
  if (!value) return fail(interpreter_->evaluator().failure());
  keep(unit, std::move(done->stack));
  if (reading.show_replies) output_.say(fmt::format("{} = {} : {}\n", unit.name, *value, unit.type));
  if (verbose_)
    output_.say(
        fmt::format("compiled in {}, ran in {}\n", duration_text(done->compile_time), duration_text(done->run_time)));
  return Outcome::kDone;
}

void TopLevel::keep(const nesl::Unit& unit, std::vector<runtime::Value> stack) {
  auto next = std::make_move_iterator(stack.begin());
  for (const nesl::Definition* global : session_.commit(unit)) {
    const auto end = next + static_cast<std::ptrdiff_t>(nesl::entry_count(nesl::shape_of(*global)));
    globals_[global].assign(next, end);
    next = end;
  }
  VC_CHECK(next == std::make_move_iterator(stack.end()));
}

Outcome TopLevel::show_type(const std::string& text) {
  return read(session_.add_expression("<type>", text), true, [this](const nesl::Unit& unit, Reading&) {
    if (unit.kind == nesl::Unit::Kind::kCommand) return fail("a command has no type");
    output_.say(fmt::format("{} : {}\n", unit.name, unit.type));
    return Outcome::kDone;
  });
}

Outcome TopLevel::show_vcode(const std::string& text) {
  return read(session_.add_expression("<vcode>", text), true, [this](const nesl::Unit& unit, Reading& reading) {
    if (unit.kind != nesl::Unit::Kind::kValue) return fail("only an expression or assignment is compiled");
    const std::optional<nesl::Compiled> compiled = session_.compile(unit, false, reading.diagnostics);
    explain(reading);
    if (!compiled) return Outcome::kFailed;
    std::string inputs;
    for (const nesl::Definition* input : compiled->inputs) inputs += fmt::format(" {}", nesl::name_of(*input));
    if (!inputs.empty()) output_.say(fmt::format("{{ on the stack:{} }}\n", inputs));
    output_.say(vcode::print_vcode(executable(compiled->program, flags_.optimize)));
    return Outcome::kDone;
  });
}

Outcome TopLevel::run_timed(const std::string& text) {
  const bool before = std::exchange(verbose_, true);
  const Outcome outcome = run_text("<time>", text);
  verbose_ = before;
  return outcome;
}

Outcome TopLevel::run_profiled(const std::string& text) {
  if (!start_backend()) return Outcome::kFailed;
  interp::Profile profile(false);
  interp::Profile* const before = flags_.run.profile;
  interpreter_->options().profile = flags_.run.profile = &profile;
  const Outcome outcome = run_text("<profile>", text);
  interpreter_->options().profile = flags_.run.profile = before;
  if (!profile.instructions().empty())
    output_.say(interp::profile_table(profile, interp::profile_context(profile, *backend_, flags_.run)));
  return outcome;
}

Outcome TopLevel::show_explanation(const std::string& text) {
  return read(session_.add_expression("<explain>", text), true, [this](const nesl::Unit& unit, Reading& reading) {
    if (unit.kind != nesl::Unit::Kind::kValue) return fail("only an expression or assignment is compiled");
    session_.set_pipeline({.level = 2});  // which is explained
    std::optional<nesl::Compiled> compiled = session_.compile(unit, false, reading.diagnostics);
    session_.set_pipeline(flags_.optimize);
    explain(reading);
    if (!compiled) return Outcome::kFailed;
    for (const std::string& line : compiled->remarks) output_.say(line + "\n");
    for (const nesl::SlowIdiom& idiom : compiled->slow_idioms) output_.say(idiom_line(idiom) + "\n");
    const FusionExplained explained = explain_fusion(std::move(compiled->program));
    for (const std::string& line : explained.remarks) output_.say(line + "\n");
    output_.say(explained.text.empty() ? "nothing to fuse: no operation over vectors\n" : explained.text);
    if (const std::string moves = flags_.run.job != nullptr ? interp::describe_moves(explained.program) : "";
        !moves.empty())
      output_.say("between ranks, of vectors that are divided:\n" + moves);
    if (explained.program.kernels.empty()) return Outcome::kDone;
    if (!start_backend()) return Outcome::kFailed;
    output_.say(interp::describe_machine_code(explained.program, *backend_, flags_.run.widths));
    return Outcome::kDone;
  });
}

// --- commands ---------------------------------------------------------------------------------------------------

Outcome TopLevel::run_command(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  const std::string argument = words.size() > 1 ? words[1] : "";
  const bool helps = !words.empty() && (words[0] == "help" || words[0] == "?");
  const std::string command = words.empty() ? "" : helps && !argument.empty() ? "describe" : words[0];
  if (command == "exit") return Outcome::kLeave;
  if (helps && argument.empty()) {
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
  if (command == "load") return load_command(text);
  if (command == "set" && (words.size() == 1 || is_setting(argument)) && words.size() <= 3)
    return set(argument, words.size() > 2 ? words[2] : "");
  if (command == "show" && argument == "status") return set("", "");
  if (command == "dump" && argument == "vcode" && words.size() > 3) return dump_vcode(text, words[2]);
  const std::optional<ClassicAnswer> answer = answer_classic_command(words);
  if (!answer)
    return fail(command == "set"
                    ? fmt::format("there is no setting {}; choose from {}", argument, kSettings)
                    : fmt::format("there is no command '{}' here: help lists the commands there are", text));
  if (!answer->accepted) return fail(fmt::format("there is no command '{}' here: {}", text, answer->text));
  if (!answer->text.empty()) output_.complain(fmt::format("nesl: {}: {}\n", text, answer->text));
  return Outcome::kDone;
}

Outcome TopLevel::dump_vcode(const std::string& text, const std::string& file) {
  if (flags_.run.sandbox) return fail("dump vcode is refused: the session runs with --sandbox");
  // The expression follows the name of the file.
  const std::size_t quoted = text.find('"');
  if (quoted == text.npos) return fail("dump vcode needs the name of a file, in quotes, and an expression");
  const std::string expression = text.substr(text.find(file, quoted) + file.size() + 1);
  return read(session_.add_expression("<dump>", expression), true, [&](const nesl::Unit& unit, Reading& reading) {
    if (unit.kind != nesl::Unit::Kind::kValue) return fail("only an expression or assignment is compiled");
    session_.set_pipeline(for_any_interpreter(kCompileOptions));
    std::optional<nesl::Compiled> compiled = session_.compile(unit, true, reading.diagnostics);
    session_.set_pipeline(flags_.optimize);
    explain(reading);
    if (!compiled) return Outcome::kFailed;
    std::string error;
    const std::string code = vcode::print_vcode(executable(compiled->program, for_any_interpreter(kCompileOptions)));
    return base::write_file(file, code, error) ? Outcome::kDone : fail(error);
  });
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
    show_elements(style_, static_cast<std::int64_t>(*number));
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
  }
  return Outcome::kDone;
}

bool TopLevel::change_backend(const std::string& name) {
  if (flags_.run.sandbox) {
    fail("set backend is refused: the session runs with --sandbox");
    return false;
  }
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
  std::map<const nesl::Definition*, std::vector<runtime::Value>> globals;
  for (const auto& [global, entries] : globals_) {
    globals[global] = {};
    for (const runtime::Value& entry : entries) {
      runtime::Value moved = transfer(entry, interpreter_->evaluator(), interpreter->evaluator());
      if (moved.tag() == runtime::Value::Tag::kNone) {
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
  flags_.run.other_devices = flags.run.other_devices;
  return true;
}

}  // namespace nesl_cli
