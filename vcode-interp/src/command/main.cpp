#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "base/program_main.h"
#include "command/vinterp_command_line.h"
#include "vcode-interp/interrupt.h"

namespace {

int run(int argc, char** argv) {
  interp::occupy_standard_descriptors();
  int status = 0;
  std::optional<interp::CommandLine> line = interp::parse_command_line(argc, argv, status);
  if (!line) return status;
  if (const char* allowed = std::getenv("NESL_ALLOW"); allowed != nullptr && std::string_view(allowed) == "spawn")
    line->flags.run.allow_spawn = true;
  interp::catch_interrupts();
  if (line->flags.timeout > 0) interp::start_timeout(line->flags.timeout);
  try {
    return interp::run_vcode_file("vinterp", line->file, line->flags);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "vinterp: {}: out of memory: the program does not fit\n", line->file);
    return 1;
  } catch (const cvl::BackendLost& lost) {
    fmt::print(stderr, "vinterp: {}: {}\n", line->file, lost.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  return base::program_main([&] { return run(argc, argv); });
}
