// measure_peak FILE COMMAND...: runs a command and writes the most memory that its process had, in bytes, to a file.
//
// Linux counts the memory of the process that starts another one as memory of the new process (setmax_mm_hiwater_rss in
// exec_mmap). A command that Python starts has at least the 20 to 30 MB of Python; this program has two.

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: measure_peak FILE COMMAND...\n", stderr);
    return 2;
  }
  const pid_t child = fork();
  if (child < 0) {
    std::perror("measure_peak");
    return 1;
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Python kills this program only
    execv(argv[2], argv + 2);
    std::perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  std::FILE* const file = std::fopen(argv[1], "w");
  if (file == nullptr || std::fprintf(file, "%ld\n", usage.ru_maxrss * 1024) < 0 || std::fclose(file) != 0) {
    std::perror(argv[1]);
    return 1;
  }
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  std::signal(WTERMSIG(status), SIG_DFL);
  std::raise(WTERMSIG(status));
  return 1;
}
