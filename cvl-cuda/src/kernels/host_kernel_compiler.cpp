#include "kernels/host_kernel_compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace cvl::cuda {
namespace {

/// Nothing is contracted, as on a device. Kernels are compiled to be tested, and run once or twice.
constexpr const char* kOptions[] = {"-std=c++20", "-w", "-O0", "-ffp-contract=off", "-shared", "-fPIC"};

/// A folder that is removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "kernel-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error(fmt::format("{}: {}", path_, strerror(errno)));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What a compiler says first of all.
std::string first_line(const std::string& messages) { return messages.substr(0, messages.find('\n')); }

/// Runs a command, whose messages go to a file. Its exit status; -1 if it cannot be run, or was killed.
int run(std::vector<std::string> command, const std::string& messages) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(), O_WRONLY | O_CREAT, S_IRUSR | S_IWUSR);
  pid_t child = 0;
  const int failure = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error(fmt::format("{}: {}", command[0], strerror(failure)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class SharedLibrary final : public KernelCode {
 public:
  explicit SharedLibrary(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }
  ~SharedLibrary() override { dlclose(handle_); }
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  LaunchedFunction function(const std::string& name) const override {
    const void* const found = dlsym(handle_, name.c_str());
    if (found == nullptr) throw std::runtime_error(fmt::format("there is no function {}", name));
    return found;
  }

 private:
  void* handle_;
};

}  // namespace

std::string HostKernelCompiler::target() const {
  std::string text = command_;
  for (const char* option : kOptions) text += fmt::format(" {}", option);
  return text;
}

std::string HostKernelCompiler::compile(const std::string& text) const {
  const TemporaryFolder folder;
  const std::string source = folder.file("kernel.cpp"), object = folder.file("kernel.so"),
                    messages = folder.file("messages");
  std::ofstream(source) << text;
  std::vector<std::string> command = {command_};
  command.insert(command.end(), std::begin(kOptions), std::end(kOptions));
  command.insert(command.end(), {"-o", object, source});
  if (run(std::move(command), messages) != 0)
    throw std::runtime_error(fmt::format("{} fails: {}", command_, first_line(content_of(messages))));
  return content_of(object);
}

std::unique_ptr<KernelCode> HostKernelCompiler::load(const std::string& object) const {
  const TemporaryFolder folder;
  const std::string path = folder.file("kernel.so");
  std::ofstream(path, std::ios::binary) << object;
  return std::make_unique<SharedLibrary>(path);
}

}  // namespace cvl::cuda
