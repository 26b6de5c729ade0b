#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "base/program_main.h"
#include "command/vinterp_command_line.h"
#include "vcode-interp/interrupt.h"
#include "vcode-interp/ranks.h"

namespace {

int run(int argc, char** argv, cvl::RankJob* job) {
  int status = 0;
  std::optional<interp::CommandLine> line = interp::parse_command_line(argc, argv, status);
  if (!line) return status;
  line->flags.run.job = job;
  if (const char* allowed = std::getenv("NESL_ALLOW"); allowed != nullptr && std::string_view(allowed) == "spawn")
    line->flags.run.allow_spawn = true;
  // A signal that one rank catches would lead it another way than the others.
  if (job == nullptr) interp::catch_interrupts();
  if (line->flags.timeout > 0 && (job == nullptr || job->rank() == 0)) interp::start_timeout(line->flags.timeout);
  const auto complain = [&](const char* message) {
    fmt::print(stderr, "vinterp: {}: {}\n", line->file, message);
    if (job != nullptr) job->fail(message, 1);
    return 1;
  };
  try {
    return interp::run_vcode_file("vinterp", line->file, line->flags);
  } catch (const std::bad_alloc&) {
    return complain("out of memory: the program does not fit");
  } catch (const cvl::BackendLost& lost) {
    return complain(lost.what());
  }
}

int join_and_run(int argc, char** argv) {
  interp::occupy_standard_descriptors();
  std::unique_ptr<cvl::RankJob> job;
  if (!interp::join_job("vinterp", job)) return 1;
  const int status = run(argc, argv, job.get());
  if (job != nullptr) job->finish();  // programs that have run end the job themselves
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return base::program_main([&] { return join_and_run(argc, argv); });
}
