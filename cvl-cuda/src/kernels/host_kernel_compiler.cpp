#include "kernels/host_kernel_compiler.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "generated/compiler_messages.h"

namespace cvl::cuda {
namespace {

/// No contraction, as on a device. Not optimized, since kernels compiled for tests run once or twice. Only the first
/// error is reported.
constexpr std::string_view kOptions = "-std=c++20 -w -O0 -ffp-contract=off -fmax-errors=1 -shared -fPIC";

/// A folder that is removed with its contents.
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
  /// Removes the folder's random path from messages.
  std::string leave_out(std::string messages) const {
    for (std::size_t at; (at = messages.find(path_ + "/")) != messages.npos;) messages.erase(at, path_.size() + 1);
    return messages;
  }

 private:
  std::string path_;
};

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
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

std::string HostKernelCompiler::target() const { return fmt::format("'{}' {}", command_, kOptions); }

std::string HostKernelCompiler::compile(const std::string& text) const {
  const TemporaryFolder folder;
  const std::string source = folder.file(kTextName), object = folder.file("kernel.so"),
                    messages = folder.file("messages");
  std::ofstream(source) << text;
  const std::string command = fmt::format("{} -o '{}' '{}' 2> '{}'", target(), object, source, messages);
  if (std::system(command.c_str()) != 0) {
    const std::string said = folder.leave_out(content_of(messages));
    throw CompileError(fmt::format("{} fails: {}", command_, first_error(said)), said);
  }
  return content_of(object);
}

std::unique_ptr<KernelCode> HostKernelCompiler::load(const std::string& object) const {
  const TemporaryFolder folder;
  const std::string path = folder.file("kernel.so");
  std::ofstream(path, std::ios::binary) << object;
  return std::make_unique<SharedLibrary>(path);
}

}  // namespace cvl::cuda
