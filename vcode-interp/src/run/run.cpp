#include "vcode-interp/run.h"

#include <string.h>
#include <unistd.h>

#include <new>
#include <optional>

#include <fmt/format.h>

#include "base/address_space.h"
#include "base/stop_request.h"
#include "cvl/rank_job.h"
#include "io/progress.h"
#include "io/value_text.h"
#include "machine/machine.h"
#include "machine/source_location.h"
#include "report/error_report.h"
#include "report/nest_path.h"
#include "vcode-interp/interrupt.h"
#include "vcode-interp/profile.h"

namespace interp {

namespace {

RunResult failed(ErrorReport report, int status = 1) {
  RunResult result;
  result.status = status;
  result.ended = false;
  result.report = std::move(report.text);
  result.failure = std::move(report.failure);
  return result;
}

/// The result of a run that failed without a location.
RunResult failed(RunFailure::Kind kind, std::string message, int status = 1) {
  ErrorReport report{message + "\n", {}};
  report.failure.kind = kind;
  report.failure.message = std::move(message);
  return failed(std::move(report), status);
}

RunResult interrupted() { return failed(RunFailure::Kind::kStopped, "interrupted", 130); }

/// The result of a run that was interrupted while it waited for the device. The location is unknown, as the device may
/// be many operations behind.
RunResult stopped_waiting(const RunOptions& options) {
  if (options.interrupt->load(std::memory_order_relaxed) == Interrupt::kTimeout)
    return failed(RunFailure::Kind::kSurroundings, "the time given by --timeout is over");
  return interrupted();
}

/// Flushes all streams. Returns an error message, or an empty string.
std::string flush(StreamTable& streams) {
  const std::optional<std::int64_t> number = streams.flush_all();
  if (!number) return "";
  const std::string name = *number == 1 ? "standard output" : fmt::format("stream {}", *number);
  return fmt::format("{} could not be written: {}", name, strerror(streams.find(*number)->error()));
}

/// Prints the stack that a program leaves, bottom first. False, with evaluator.failure(), if memory runs out.
bool print_stack(const std::vector<runtime::Value>& stack, runtime::Evaluator& evaluator, Stream& output,
                 bool shortest_floats) {
  // Allocates before the first character is printed, so that a failure leaves no partial result.
  for (const runtime::Value& value : stack)
    if (value.tag() == runtime::Value::Tag::kSegdes && evaluator.lengths_of(value).tag() == runtime::Value::Tag::kNone)
      return false;
  for (const runtime::Value& value : stack)
    if (!print_value(evaluator, value, output, {shortest_floats})) return false;
  return true;
}

std::string endless_recursion(std::int64_t elements) {
  return "the recursion seems to be endless: call after call has the same arguments" +
         (elements > 1 ? fmt::format(", of which the largest has {} elements", elements) : "");
}

/// Whether this process shows the progress of its runs.
bool shows_progress(const RunOptions& options) {
  if (options.job != nullptr && options.job->rank() != 0) return false;
  return options.progress_line == ProgressLine::kAlways ||
         (options.progress_line == ProgressLine::kOnTerminal && isatty(STDERR_FILENO) == 1);
}

/// The progress line of a run, known to its options and streams for as long as it exists.
class ProgressOfRun {
 public:
  ProgressOfRun(RunOptions& options, StreamTable& streams) : options_(options), streams_(streams) {
    if (shows_progress(options)) set(&progress_.emplace(STDERR_FILENO));
  }
  ~ProgressOfRun() {
    if (progress_) set(nullptr);
  }
  ProgressOfRun(const ProgressOfRun&) = delete;

 private:
  void set(Progress* progress) {
    options_.progress = progress;
    streams_.share_terminal(progress);
  }

  RunOptions& options_;
  StreamTable& streams_;
  std::optional<Progress> progress_;
};

/// The errors of linking a program as text; without locations if the program has no text.
std::string link_report(const base::Source& source, const base::Diagnostics& diagnostics) {
  if (!source.text().empty()) return base::render(source, diagnostics);
  std::string report;
  for (const base::Diagnostic& diagnostic : diagnostics.all())
    report += fmt::format("run-time error: {}\n", diagnostic.message);
  return report;
}

}  // namespace

Interpreter::Interpreter(cvl::Backend& backend, const RunOptions& options)
    : options_(options),
      evaluator_(backend, options.widths, options.host_limit),
      streams_(std::make_unique<StreamTable>(options.standard_files, options.message_file)) {}

Interpreter::~Interpreter() = default;

bool Interpreter::is_mid_line() const {
  const Stream* output = streams_->find(1);
  return output != nullptr && output->is_mid_line();
}

struct PreparedProgram::Parts {
  vcode::Program program;
  LinkedProgram linked;  ///< refers to the program
};

PreparedProgram::PreparedProgram(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
PreparedProgram::~PreparedProgram() = default;

std::unique_ptr<PreparedProgram> Interpreter::prepare(vcode::Program program, std::string& error) {
  auto parts = std::make_unique<PreparedProgram::Parts>();
  parts->program = std::move(program);
  base::Diagnostics diagnostics;
  std::optional<LinkedProgram> linked = link_program(parts->program, evaluator_, diagnostics);
  if (!linked) {
    error = link_report(base::Source("", ""), diagnostics);
    return nullptr;
  }
  parts->linked = std::move(*linked);
  return std::unique_ptr<PreparedProgram>(new PreparedProgram(std::move(parts)));
}

RunResult Interpreter::run(const PreparedProgram& program, std::vector<runtime::Value> initial) {
  return run_linked(base::Source("", ""), program.parts_->program, program.parts_->linked, std::move(initial));
}

RunResult Interpreter::run(const base::Source& source, const vcode::Program& program,
                           std::vector<runtime::Value> initial) {
  base::Diagnostics diagnostics;
  const std::optional<LinkedProgram> linked = link_program(program, evaluator_, diagnostics);
  if (!linked) return failed({link_report(source, diagnostics), {}});
  return run_linked(source, program, *linked, std::move(initial));
}

RunResult Interpreter::run_linked(const base::Source& source, const vcode::Program& program,
                                  const LinkedProgram& linked, std::vector<runtime::Value> initial) {
  const ProgressOfRun progress(options_, *streams_);
  try {
    RunResult result = run_and_report(source, program, linked, std::move(initial));
    if (result.status != 0 && options_.keep_errors) result.failure.said = streams_->messages().take_pending();
    if (std::string lost = flush(*streams_); !lost.empty() && result.status == 0)
      return failed(RunFailure::Kind::kSurroundings, std::move(lost));
    return result;
  } catch (const base::Stopped&) {
    flush(*streams_);
    return stopped_waiting(options_);
  }
}

RunResult Interpreter::run_and_report(const base::Source& source, const vcode::Program& program,
                                      const LinkedProgram& linked, std::vector<runtime::Value> initial) {
  evaluator_.seed(options_.seed);
  SystemOps system(evaluator_, *streams_, options_);
  if (options_.profile != nullptr) {
    const bool is_source = !source.text().empty() && !has_locations(program);
    options_.profile->begin_run(linked.code.size(), program.functions.size(), is_source ? &source : nullptr);
  }
  Machine machine(program, linked, evaluator_, system, options_, std::move(initial));
  const auto here = [&] { return FailedRun{source, program, machine.innermost(), options_}; };
  if (options_.job == nullptr)
    machine.on_endless_recursion([&](std::int64_t elements) {
      streams_->messages().put(report_warning(here(), endless_recursion(elements)));
      streams_->messages().flush();
    });
  RunResult result;
  try {
    evaluator_.forget_fault();
    const Polling polling;
    result.ended = machine.run();
    if (result.ended)
      result.stack = machine.take_stack();
    else if (present_site(program, machine) != nullptr)
      result = failed(report_exit(here()));
  } catch (const RunError& error) {
    const vcode::InstructionSite* site = present_site(program, machine.innermost());
    if (error.fault().kind != cvl::FaultKind::kFalse || site == nullptr || site->site.said.empty()) {
      result = failed(report_error(here(), error), error.exit_status());
    } else {
      streams_->messages().put(site->site.said);
      result.ended = false;
      if (!site->site.is_nowhere()) result = failed(report_check(here(), error.fault().position));
    }
  } catch (const cvl::BackendLost& lost) {
    ErrorReport report = report_error(here(), RunError(lost.what(), RunError::Blame::kSurroundings));
    if (options_.job != nullptr) {
      // The other ranks wait for messages of this one.
      flush(*streams_);
      options_.job->fail(report.text, 1);
    }
    result = failed(std::move(report));
  } catch (const std::bad_alloc&) {
    result = failed(
        report_error(here(), RunError(fmt::format("out of memory: the system has no more ({})", base::memory_advice()),
                                      RunError::Blame::kSurroundings)));
  }
  const bool stopped = options_.interrupt->load(std::memory_order_relaxed) == Interrupt::kSignal;
  return result.status == 0 && stopped ? interrupted() : std::move(result);
}

int run_program(const base::Source& source, const vcode::Program& program, cvl::Backend& backend,
                const RunOptions& options, RunResult* outcome) {
  Interpreter interpreter(backend, options);
  RunResult result = interpreter.run(source, program);
  StreamTable& streams = *interpreter.streams_;
  try {
    if (result.status == 0 && result.ended) {
      if (!print_stack(result.stack, interpreter.evaluator_, streams.output(), options.shortest_floats))
        result.report = interpreter.evaluator_.failure() + "\n";
      else if (const std::string lost = flush(streams); !lost.empty())
        result.report = lost + "\n";
      if (!result.report.empty()) {
        result.status = 1;
        result.failure = {.kind = RunFailure::Kind::kSurroundings, .message = result.report};
      }
    }
  } catch (const base::Stopped&) {
    result = stopped_waiting(options);
  }
  if (result.status != 0) {
    streams.errors().put(result.report);
    streams.errors().flush();
  }
  result.stack.clear();
  const int status = result.status;
  if (outcome != nullptr) *outcome = std::move(result);
  return status;
}

}  // namespace interp
