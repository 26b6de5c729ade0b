#include "show_command.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/files.h"
#include "program/executable.h"
#include "program/whole_program.h"
#include "show/watched_statement.h"
#include "text/result_text.h"
#include "vcode-interp/interrupt.h"
#include "vcode-interp/run.h"

namespace nesl_cli {

namespace {

int complain(const std::string& message) {
  fmt::print(stderr, "nesl: {}\n", message);
  return 1;
}

bool is_file(const std::string& what) { return what == "-" || what.ends_with(".nesl"); }

/// Reads the program and makes the expression its result. False after errors, whose messages are on standard error.
bool read_program(WholeProgram& program, const ShowFlags& flags) {
  if (!is_file(flags.what)) {
    if (flags.expression.empty()) return program.set_result(flags.what);
    complain(fmt::format("{} is no .nesl file, whose expression -e could choose", base::printable(flags.what)));
    return false;
  }
  return program.read(flags.what) && (flags.expression.empty() || program.set_result(flags.expression));
}

}  // namespace

bool has_colours() {
  const char* const none = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (none == nullptr || *none == '\0');
}

std::string deliver(const Showing& showing, const ShowFlags& flags, bool colours,
                    const std::function<void(std::string_view)>& say) {
  std::string error;
  if (!flags.html.empty() && !base::write_file(flags.html, show_page(showing), error)) return error;
  if (flags.html.empty() || flags.text) say(show_text(showing, colours));
  return "";
}

int show_nesl(const ShowFlags& given_show, const Flags& given) {
  if (given.run.job != nullptr) return complain("nesl show runs on one process, not on several ranks");
  ShowFlags flags = given_show;
  if (flags.what.empty()) std::swap(flags.what, flags.expression);
  if (flags.what.empty()) return complain("nesl show needs an expression or a .nesl file");
  Flags run_flags = given;
  run_flags.optimize = kShowOptions;
  WholeProgram program(WholeProgram::For::kResult, run_flags);
  if (!read_program(program, flags)) return 1;
  if (program.result() == nullptr)
    return complain(fmt::format("{} has no expression to show: let the last statement be one, or give one with -e",
                                base::printable(flags.what)));
  const WatchedStatement statement(program.session(), kShowOptions, [&] { return program.compile(); });
  const std::optional<nesl::Compiled> compiled = statement.watched();
  if (!compiled) return 1;
  Showing showing;
  const nesl::Unit unit = *program.result();
  showing.title = !flags.expression.empty() ? flags.expression : flags.what;
  showing.loops = statement.loops();
  const vcode::Program watched = executable(compiled->program, kShowOptions);

  std::string error, note;
  const cvl::BackendPtr backend = interp::load_backend(run_flags, error, note);
  if (!note.empty()) complain(note);
  if (!backend) return complain(error);
  run_flags.run.shortest_floats = true;
  // The output of programs does not mix with a page on standard output.
  const int output = flags.html == "-" ? STDERR_FILENO : STDOUT_FILENO;
  run_flags.run.standard_files = {STDIN_FILENO, output, output};
  run_flags.run.message_file = STDERR_FILENO;
  run_flags.run.source_line = [&](const std::string& name, std::uint32_t line) {
    return program.source_line(name, line);
  };
  interp::Interpreter interpreter(*backend, run_flags.run);
  Recorder recorder(compiled->watch_points, watched, interpreter.evaluator(), flags.limits);
  interpreter.options().watch_calls = [&](std::uint32_t function, const runtime::Value* top) {
    recorder.note(function, top);
  };
  if (run_flags.timeout > 0) interp::start_timeout(run_flags.timeout);
  const interp::RunResult result = interpreter.run(base::Source("", ""), watched);
  if (run_flags.timeout > 0) interp::start_timeout(0);
  if (interpreter.is_mid_line()) fmt::print(output == STDERR_FILENO ? stderr : stdout, "\n");

  showing.steps = recorder.steps();
  showing.omitted = recorder.omitted();
  showing.failure = result.report;
  int status = result.status;
  if (result.status == 0 && result.ended) {
    const std::optional<std::string> value = result_text(compiled->result, result.stack, interpreter.evaluator());
    if (value)
      showing.result = fmt::format("{} = {} : {}", unit.name, *value, unit.type);
    else
      status = complain(interpreter.evaluator().failure());
  }
  const auto say = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  if (const std::string failure = deliver(showing, flags, has_colours(), say); !failure.empty())
    status = complain(failure);
  if (!showing.result.empty() && (flags.html != "-")) fmt::print("{}\n", showing.result);
  std::fflush(stdout);
  fmt::print(stderr, "{}", result.report);
  backend->leave_process();
  return status == 0 && std::ferror(stdout) != 0 ? complain("standard output could not be written") : status;
}

}  // namespace nesl_cli
