#include "io/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <vector>

namespace interp {

std::string spawn_process(const std::string& command, std::array<int, 3>& descriptors) {
  std::istringstream text(command);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  if (words.empty()) return "SPAWN: the command is empty";
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  std::array<int, 3> child{}, parent{-1, -1, -1};
  auto close_pipes = [&](int upto) {
    for (int k = 0; k < upto; ++k)
      if (parent[k] >= 0) {
        ::close(parent[k]);
        ::close(child[k]);
      }
  };
  for (int k = 0; k < 3; ++k) {
    child[k] = descriptors[k];
    if (descriptors[k] >= 0) continue;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      close_pipes(k);
      return "SPAWN: error opening pipe";
    }
    child[k] = k == 0 ? ends[0] : ends[1];
    parent[k] = k == 0 ? ends[1] : ends[0];
  }

  const pid_t pid = fork();
  if (pid < 0) {
    std::string why = strerror(errno);
    close_pipes(3);
    return "SPAWN: error performing fork:" + why;
  }
  if (pid == 0) {
    // The descriptors may be among 0 to 2, so they are first duplicated above.
    for (int k = 0; k < 3; ++k) child[k] = fcntl(child[k], F_DUPFD, 3);
    for (int k = 0; k < 3; ++k) dup2(child[k], k);
    for (int k = 0; k < 3; ++k) ::close(child[k]);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    execvp(argv[0], argv.data());
    dprintf(2, "SPAWN: cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(127);
  }
  for (int k = 0; k < 3; ++k)
    if (parent[k] >= 0) {
      ::close(child[k]);
      descriptors[k] = parent[k];
    }
  return "";
}

}  // namespace interp
