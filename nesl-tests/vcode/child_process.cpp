#include "child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "../support/read_text.h"

namespace {

void check(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> extended_environment(const std::vector<std::string>& additions) {
  std::vector<std::string> result = additions;
  for (char** entry = environ; *entry != nullptr; ++entry) result.emplace_back(*entry);
  return result;
}

/// Actions of posix_spawn in the child before it runs the program.
class FileActions {
 public:
  FileActions() { check(posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init"); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void open(int fd, const std::filesystem::path& path, int flags) {
    check(posix_spawn_file_actions_addopen(&actions_, fd, path.c_str(), flags, 0600), path.string());
  }
  void change_directory(const std::filesystem::path& path) {
    check(posix_spawn_file_actions_addchdir_np(&actions_, path.c_str()), path.string());
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) check(errno, "waitpid");
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ScratchDirectory::ScratchDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "nesl-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) check(errno, name);
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ProcessResult run_process(const std::vector<std::string>& command, const std::filesystem::path& directory,
                          const std::string& input, const std::vector<std::string>& environment) {
  // Files, not pipes: nothing can block, however much the child writes or leaves unread.
  const ScratchDirectory streams;
  std::ofstream(streams.path() / "in", std::ios::binary) << input;
  FileActions actions;
  actions.open(STDIN_FILENO, streams.path() / "in", O_RDONLY);
  actions.open(STDOUT_FILENO, streams.path() / "out", O_WRONLY | O_CREAT);
  actions.open(STDERR_FILENO, streams.path() / "err", O_WRONLY | O_CREAT);
  actions.change_directory(directory);

  const std::vector<std::string> variables = extended_environment(environment);
  pid_t child = 0;
  check(posix_spawn(&child, command[0].c_str(), actions.get(), nullptr, pointers(command).data(),
                    pointers(variables).data()),
        command[0]);
  const int status = wait_for(child);
  return {status, read_text(streams.path() / "out"), read_text(streams.path() / "err")};
}
