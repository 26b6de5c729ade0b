#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "base/check.h"
#include "base/program_main.h"
#include "base/stop_request.h"
#include "commands.h"
#include "format_files.h"
#include "launch_ranks.h"
#include "lsp/serve_editor.h"
#include "nesl_command_line.h"
#include "session/repl.h"
#include "terminal/file_completion.h"
#include "terminal/line_editor.h"
#include "terminal/shared_lines.h"
#include "vcode-interp/interrupt.h"
#include "vcode-interp/ranks.h"

namespace {

using nesl_cli::CommandLine;

int run_session(const nesl_cli::Flags& flags, const std::string& history_file) {
  signal(SIGTERM, SIG_DFL);  // Ctrl-C ends the computation, SIGTERM the session
  nesl_cli::TopLevel top_level(flags, nesl_cli::standard_output());
  int status = 0;
  cvl::RankJob* const job = flags.run.job;
  if (job != nullptr && job->rank() != 0) {
    status = nesl_cli::run_session(*nesl_cli::shared_lines(*job, nullptr), top_level);
  } else if (!isatty(STDIN_FILENO)) {
    std::unique_ptr<nesl_cli::LineSource> lines = nesl_cli::plain_lines(STDIN_FILENO);
    if (job != nullptr) lines = nesl_cli::shared_lines(*job, std::move(lines));
    status = nesl_cli::run_session(*lines, top_level);
  } else {
    const interp::Polling keep_the_session;
    base::set_stop_request([] { return interp::pending_interrupt() == interp::Interrupt::kSignal; });
    fmt::print("NESL " NESL_VERSION ". Type :help for help, :quit to leave.\n");
    const bool sandbox = flags.run.sandbox;
    const auto complete = [&](std::string_view before) {
      std::optional<nesl_cli::Completion> file = sandbox ? std::nullopt : nesl_cli::complete_file(before);
      return file ? *file : nesl_cli::complete(before, top_level.session().names(), nesl_cli::session_commands());
    };
    // In the sandbox, not even the line editor opens files.
    auto lines = sandbox ? nesl_cli::line_editor("", nesl_cli::EditorFiles::kNone, complete)
                         : nesl_cli::line_editor(history_file, nesl_cli::EditorFiles::kUsers, complete);
    if (job != nullptr) lines = nesl_cli::shared_lines(*job, std::move(lines));
    status = nesl_cli::run_session(*lines, top_level);
  }
  status = std::max(status, top_level.finish());
  return status == 0 && std::ferror(stdout) != 0 ? 1 : status;
}

int run_file(CommandLine& line) {
  if (!nesl_cli::is_vcode_file(line.file) && line.flags.explain)
    return nesl_cli::explain_nesl(line.file, line.expression, line.flags);
  if (!nesl_cli::is_vcode_file(line.file)) return nesl_cli::run_nesl(line.file, line.expression, line.flags);
  if (line.expression.empty()) return interp::run_vcode_file("nesl", line.file, line.flags);
  fmt::print(stderr, "nesl: {} is {} program, in which no NESL expression has a meaning\n", line.file,
             line.file.ends_with(".fcode") ? "an FCODE" : "a VCODE");
  return 1;
}

int run(CommandLine& line, const std::string& history_file) {
  const cvl::RankJob* const job = line.flags.run.job;
  // A signal that one rank catches would lead it another way than the others.
  if (job == nullptr) interp::catch_interrupts();
  if (const std::string unwritable = interp::unwritable_profile(line.flags); !unwritable.empty()) {
    fmt::print(stderr, "nesl: {}\n", unwritable);
    return 1;
  }
  if (line.flags.timeout > 0 && line.action == CommandLine::Action::kRun && (job == nullptr || job->rank() == 0))
    interp::start_timeout(line.flags.timeout);
  switch (line.action) {
    case CommandLine::Action::kSession:
      return run_session(line.flags, history_file);
    case CommandLine::Action::kEvaluate:
      return nesl_cli::evaluate_text(line.expression, line.flags);
    case CommandLine::Action::kRun:
      return run_file(line);
    case CommandLine::Action::kCheck:
      return nesl_cli::check_nesl(line.file, line.flags);
    case CommandLine::Action::kCompile:
      line.flags.optimize = line.compile;
      return nesl_cli::compile_nesl(line.file, line.expression, line.output, line.native, line.flags);
    case CommandLine::Action::kTest:
      return nesl_cli::run_tests(line.test, line.flags);
    case CommandLine::Action::kBench:
      return nesl_cli::run_benchmarks(line.bench, line.flags);
    case CommandLine::Action::kShow:
      return nesl_cli::show_nesl(line.show, line.flags);
    case CommandLine::Action::kCost:
      return nesl_cli::run_cost(line.file, line.cost, line.flags);
    case CommandLine::Action::kFormat:
      return nesl_cli::format_files(line.formatted, line.check);
    case CommandLine::Action::kServeEditor:
      return nesl_cli::serve_editor(line.flags.run.widths.int_type == vcode::ElemType::kI64, NESL_VERSION);
    case CommandLine::Action::kDescribe:
    case CommandLine::Action::kHelp:
      return nesl_cli::describe_name(line.word);
    case CommandLine::Action::kApropos:
      return nesl_cli::find_names(line.word);
    case CommandLine::Action::kCache:
      return line.filled.empty() ? nesl_cli::show_kernel_cache(line.flags, line.clear)
                                 : nesl_cli::fill_kernel_cache(line.filled, line.flags);
  }
  VC_CHECK(false);
  return 1;
}

/// Name of the history file; empty without a home directory.
std::string history_file_name() {
  if (const char* name = std::getenv("NESL_HISTORY")) return name;
  if (const char* home = std::getenv("HOME")) return std::string(home) + "/.nesl_history";
  return "";
}

int run_in_job(CommandLine& line, cvl::RankJob* job) {
  line.flags.run.job = job;
  if (const char* allowed = std::getenv("NESL_ALLOW"); allowed != nullptr && std::string_view(allowed) == "spawn")
    line.flags.run.allow_spawn = true;
  int status = 0;
  try {
    nesl::run_with_deep_stack([&] { status = run(line, history_file_name()); });
  } catch (const std::bad_alloc&) {
    if (job != nullptr) job->fail("out of memory", 1);
    throw;
  } catch (const cvl::BackendLost& lost) {
    if (job != nullptr) job->fail(lost.what(), 1);
    throw;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return base::program_main([&] {
    interp::occupy_standard_descriptors();
    std::unique_ptr<cvl::RankJob> job;
    if (!interp::join_job("nesl", job)) return 1;
    int status = 0;
    std::optional<CommandLine> line = nesl_cli::parse_command_line(argc, argv, status);
    if (line && line->ranks > 1 && job == nullptr) return nesl_cli::launch_ranks(line->ranks, argc, argv);
    if (line) status = run_in_job(*line, job.get());
    // Programs that have run end the job themselves.
    if (job != nullptr) job->finish();
    return status;
  });
}
