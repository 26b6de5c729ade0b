#include "trial_engine.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "program/executable.h"

namespace nesl_cli {

TrialEngine::TrialEngine(WholeProgram& program, const Flags& flags) : program_(program), flags_(flags) {
  no_input_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  output_ = memfd_create("nesl-output", MFD_CLOEXEC);
  flags_.run.shortest_floats = true;
  flags_.run.standard_files = {no_input_, output_, output_};
  flags_.run.message_file = output_;
  flags_.run.progress_line = interp::ProgressLine::kOff;  // its thread would disturb measurements
  flags_.run.source_line = [&program](const std::string& file, std::uint32_t line) {
    return program.source_line(file, line);
  };
}

TrialEngine::~TrialEngine() {
  values_.clear();  // before the interpreter, which owns their memory
  needed_.clear();
  interpreter_.reset();
  close(no_input_);
  close(output_);
}

std::unique_ptr<TrialEngine> TrialEngine::start(WholeProgram& program, const Flags& flags, std::string& error) {
  auto engine = std::make_unique<TrialEngine>(program, flags);
  std::string note;
  if (engine->no_input_ < 0 || engine->output_ < 0) {
    error = "no file for the output of programs can be opened";
    return nullptr;
  }
  engine->backend_ = interp::load_backend(engine->flags_, error, note);
  if (!engine->backend_) return nullptr;
  engine->interpreter_ = std::make_unique<interp::Interpreter>(*engine->backend_, engine->flags_.run);
  return engine;
}

std::unique_ptr<TrialEngine::Expression> TrialEngine::compile(const nesl::Unit& unit, const base::Source& source,
                                                              std::string& error) {
  base::Diagnostics diagnostics;
  program_.session().set_pipeline(flags_.optimize);
  const std::optional<nesl::Compiled> compiled = program_.session().compile(unit, false, diagnostics);
  if (!compiled) {
    error = base::render(source, diagnostics);
    return nullptr;
  }
  auto expression = std::make_unique<Expression>();
  expression->result = compiled->result;
  expression->inputs = compiled->inputs;
  expression->program = interpreter_->prepare(executable(compiled->program, flags_.optimize), error);
  return expression->program == nullptr ? nullptr : std::move(expression);
}

/// Compiles the statements that define the inputs of an expression, and theirs in turn.
void TrialEngine::need(const Expression& expression) {
  const std::vector<WholeProgram::Value>& values = program_.values();
  for (const nesl::Definition* input : expression.inputs)
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto& globals = values[k].globals;
      if (std::find(globals.begin(), globals.end(), input) == globals.end()) continue;
      const auto [at, added] = needed_.try_emplace(k);
      if (!added) continue;
      at->second = compile(values[k].unit, *values[k].source, problems_[k]);
      if (at->second != nullptr) need(*at->second);
    }
}

void TrialEngine::compute_inputs(const std::vector<const Expression*>& expressions) {
  for (const Expression* expression : expressions) need(*expression);
  for (const auto& [statement, compiled] : needed_)
    if (computed_.insert(statement).second) compute(statement);
}

void TrialEngine::compute(std::size_t statement) {
  const WholeProgram::Value& value = program_.values()[statement];
  const auto fail = [&](const std::string& report) {
    for (const nesl::Definition* global : value.globals) failures_[global] = report;
  };
  const Expression* const expression = needed_.at(statement).get();
  if (expression == nullptr) return fail(problems_[statement]);
  if (const std::string missing = missing_input(*expression); !missing.empty()) return fail(missing);
  interp::RunResult result = run(*expression, {});
  const std::string output = take_output();
  if (result.status != 0 || !result.ended)
    return fail(result.report.empty() ? output + "the program ended before it had computed " + value.unit.name + "\n"
                                      : output + result.report);
  auto next = std::make_move_iterator(result.stack.begin());
  for (const nesl::Definition* global : value.globals) {
    const auto end = next + static_cast<std::ptrdiff_t>(nesl::entry_count(nesl::shape_of(*global)));
    values_[global].assign(next, end);
    failures_.erase(global);
    next = end;
  }
}

std::string TrialEngine::missing_input(const Expression& expression) const {
  for (const nesl::Definition* input : expression.inputs)
    if (const auto failure = failures_.find(input); failure != failures_.end()) return failure->second;
  return "";
}

interp::RunResult TrialEngine::run(const Expression& expression, std::vector<runtime::Value> parameters) {
  std::vector<runtime::Value> initial;
  for (const nesl::Definition* input : expression.inputs) {
    const std::vector<runtime::Value>& entries = values_.at(input);
    initial.insert(initial.end(), entries.begin(), entries.end());
  }
  std::move(parameters.begin(), parameters.end(), std::back_inserter(initial));
  return interpreter_->run(*expression.program, std::move(initial));
}

std::string TrialEngine::take_output() {
  constexpr std::size_t kMost = 1 << 16;
  const off_t length = lseek(output_, 0, SEEK_END);
  if (length <= 0) return "";
  std::string text(std::min(static_cast<std::size_t>(length), kMost), '\0');
  const ssize_t read = pread(output_, text.data(), text.size(), 0);
  text.resize(read < 0 ? 0 : static_cast<std::size_t>(read));
  if (static_cast<std::size_t>(length) > text.size()) text += "...\n";
  if (!text.empty() && text.back() != '\n') text += '\n';
  if (ftruncate(output_, 0) == 0) lseek(output_, 0, SEEK_SET);
  return text;
}

const void* TrialEngine::scalar(const runtime::Value& entry) {
  VC_CHECK(entry.length() == 1);
  return evaluator().settle() ? evaluator().heap().host_data(entry) : nullptr;
}

}  // namespace nesl_cli
