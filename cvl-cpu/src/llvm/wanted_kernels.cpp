#include "llvm/wanted_kernels.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace cvl::cpu {
namespace {

/// A file in memory with each key after its length; negative if there is none.
int keys_in_memory(const std::set<std::string>& keys) {
  std::string content;
  for (const std::string& key : keys) {
    const std::uint64_t length = key.size();
    content.append(reinterpret_cast<const char*>(&length), sizeof length).append(key);
  }
  const int file = memfd_create("kernels", MFD_CLOEXEC);
  if (file < 0) return file;
  if (write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()) &&
      lseek(file, 0, SEEK_SET) == 0)
    return file;
  close(file);
  return -1;
}

}  // namespace

WantedKernels::WantedKernels(const ObjectCache& cache, std::string program, std::string library)
    : cache_(cache), program_(std::move(program)), library_(std::move(library)) {}

void WantedKernels::add(std::string key) {
  const std::lock_guard lock(mutex_);
  keys_.insert(std::move(key));
}

void WantedKernels::remove(const std::string& key) {
  const std::lock_guard lock(mutex_);
  keys_.erase(key);
}

/// Failures are silent: the next run compiles the kernels itself.
void WantedKernels::compile_elsewhere() {
  const std::lock_guard lock(mutex_);
  const std::set<std::string> wanted = std::exchange(keys_, {});
  if (wanted.empty() || std::chrono::steady_clock::now() - begin_ < kShortRun || !cache_.use().problem.empty()) return;
  const int keys = keys_in_memory(wanted);
  if (keys < 0) return;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, keys, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = program_, library = library_, folder = cache_.folder();
  char* arguments[] = {program.data(), library.data(), folder.data(), nullptr};
  pid_t child = 0;
  // The process leaves its work to a child of its own, and ends.
  if (posix_spawn(&child, program.c_str(), &files, nullptr, arguments, environ) == 0)
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  posix_spawn_file_actions_destroy(&files);
  close(keys);
}

}  // namespace cvl::cpu
