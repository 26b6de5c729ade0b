#include "launch_ranks.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace nesl_cli {

namespace {

// Global variables, since a signal handler accesses them.
volatile sig_atomic_t g_signal = 0;  ///< the last signal
pid_t g_mpiexec = 0;

/// The path of a program in the folders of PATH; empty if there is none.
std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string candidate = fmt::format("{}/{}", rest.substr(0, end), name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

/// Whether mpiexec is that of Open MPI, a link to its orterun or prterun.
bool is_of_open_mpi(const std::string& mpiexec) {
  std::error_code ignored;
  const std::string name = std::filesystem::canonical(mpiexec, ignored).filename().string();
  return name.find("orterun") != name.npos || name.find("prterun") != name.npos || name.find("openmpi") != name.npos;
}

}  // namespace

int launch_ranks(int ranks, int argc, char** argv) {
  const std::string mpiexec = find_program("mpiexec");
  if (mpiexec.empty()) {
    fmt::print(stderr,
               "nesl: --ranks needs mpiexec, which is not in PATH; install Open MPI (on Debian: apt install "
               "openmpi-bin) or MPICH (apt install mpich), or start nesl run by the launcher of your cluster\n");
    return 1;
  }
  std::vector<std::string> words{mpiexec, "-n", std::to_string(ranks)};
  if (is_of_open_mpi(mpiexec)) {
    words.insert(words.end(), {"--quiet"});  // no report of its own about an exit status
    if (static_cast<unsigned>(ranks) > std::thread::hardware_concurrency())
      words.insert(words.end(), {"--oversubscribe"});
  }
  std::error_code ignored;
  words.push_back(std::filesystem::read_symlink("/proc/self/exe", ignored).string());
  bool is_behind = false;  // behind --, words are for the program
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    is_behind = is_behind || word == "--";
    if (!is_behind && word == "--ranks")
      ++k;
    else if (is_behind || !word.starts_with("--ranks="))
      words.emplace_back(word);
  }
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  // The terminal sends Ctrl-C to mpiexec, too, which ends all ranks; other signals are passed on.
  struct sigaction action = {};
  action.sa_handler = [](int signal) {
    g_signal = signal;
    if (signal != SIGINT) kill(g_mpiexec, signal);
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  g_mpiexec = 0;
  if (const int error = posix_spawn(&g_mpiexec, mpiexec.c_str(), nullptr, nullptr, pointers.data(), environ)) {
    fmt::print(stderr, "nesl: {} cannot be started: {}\n", mpiexec, strerror(error));
    return 1;
  }
  int status = 0;
  while (waitpid(g_mpiexec, &status, 0) < 0 && errno == EINTR) {
  }
  if (g_signal != 0) return 128 + g_signal;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace nesl_cli
