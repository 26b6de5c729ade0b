#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "command_line.h"
#include "cvl/loader.h"
#include "vcode-interp/interrupt.h"
#include "vcode-interp/profile.h"
#include "vcode-interp/run.h"
#include "vcode/printer.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

namespace {

int complain(const std::string& message) {
  fmt::print(stderr, "vinterp: {}\n", message);
  return 1;
}

// A closed standard stream must not be reused for the next file that is opened.
void occupy_standard_descriptors() {
  for (int fd = 0; fd < 3; ++fd)
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

bool read_file(const std::string& name, std::string& text, std::string& error) {
  const int fd = name == "-" ? 0 : open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    error = fmt::format("cannot open {}: {}", name, strerror(errno));
    return false;
  }
  char buffer[1 << 16];
  ssize_t n;
  while ((n = read(fd, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(n));
  if (n < 0)
    error = fmt::format("cannot read {}: {}", name, strerror(errno));
  else if (text.size() >= UINT32_MAX)
    error = fmt::format("{} is too large: a program may have 4 GiB", name);
  if (fd != 0) close(fd);
  return error.empty();
}

void print_token(void*, std::string_view token_class, std::string_view text) {
  fmt::print("{} {}\n", token_class, text);
}

cvl::BackendPtr choose_backend(const interp::CommandLine& line, std::string& error) {
  cvl::BackendOptions options = line.backend_options;
  options.simd = line.simd.c_str();
  const auto directories = cvl::default_backend_directories();
  if (line.backend != "auto") return cvl::load_backend(line.backend, directories, options, error);
  if (cvl::BackendPtr cuda = cvl::load_backend("cuda", directories, options, error)) return cuda;
  fmt::print(stderr, "vinterp: running on the CPU: {}\n", error);
  return cvl::load_backend("cpu", directories, options, error);
}

int finish_profile(const interp::CommandLine& line, const interp::Profile& profile, const cvl::Backend& backend) {
  const cvl::MemoryUse use = backend.memory_use();
  fmt::print(stderr, "{}\npeak memory: {:.1f} MiB of vectors, {:.1f} MiB held\n", profile.table(),
             static_cast<double>(use.peak) / (1 << 20), static_cast<double>(use.held) / (1 << 20));
  if (line.profile_file.empty()) return 0;
  std::FILE* file = std::fopen(line.profile_file.c_str(), "w");
  const std::string trace = profile.chrome_trace();
  const bool written = file != nullptr && std::fwrite(trace.data(), 1, trace.size(), file) == trace.size();
  if (file == nullptr || std::fclose(file) != 0 || !written)
    return complain(fmt::format("cannot write {}: {}", line.profile_file, strerror(errno)));
  return 0;
}

int run_file(interp::CommandLine& line) {
  std::string text, error;
  if (!read_file(line.file, text, error)) return complain(error);
  const vcode::Source source(line.file == "-" ? "<stdin>" : line.file, std::move(text));
  if (line.show_tokens) vcode::scan_vcode(source, print_token, nullptr);
  std::fflush(stdout);

  vcode::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (program) vcode::validate(*program, line.run.widths, line.run.strict, diagnostics);
  const std::string problems = vcode::render(source, diagnostics);
  std::fwrite(problems.data(), 1, problems.size(), stderr);
  if (!program || diagnostics.has_errors()) return 1;
  if (line.show_program) fmt::print(stderr, "{}", vcode::print_vcode(*program));
  if (line.show_link)
    for (std::size_t f = 0; f < program->functions.size(); ++f)
      fmt::print(stderr, "function {}: {}, {} instructions{}\n", f, program->functions[f].name,
                 program->functions[f].body.size(), f == program->entry ? " (entry)" : "");

  cvl::BackendPtr backend = choose_backend(line, error);
  if (!backend) return complain(error);
  interp::Profile profile(!line.profile_file.empty());
  if (line.profile) line.run.profile = &profile;
  const auto start = std::chrono::steady_clock::now();
  int status = interp::run_program(source, *program, *backend, line.run);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (line.show_time) fmt::print(stderr, "elapsed time = {:.6f} seconds\n", elapsed.count());
  if (line.profile && finish_profile(line, profile, *backend) != 0) status = 1;
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error like any other
  int status = 0;
  std::optional<interp::CommandLine> line = interp::parse_command_line(argc, argv, status);
  if (!line) return status;
  if (const char* allowed = std::getenv("NESL_ALLOW"); allowed != nullptr && std::string_view(allowed) == "spawn")
    line->run.allow_spawn = true;
  interp::catch_interrupts();
  if (line->timeout > 0) interp::start_timeout(line->timeout);
  try {
    return run_file(*line);
  } catch (const std::bad_alloc&) {
    return complain(fmt::format("{}: out of memory: the program does not fit", line->file));
  }
}
