#include "kernels/nvrtc.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generated/compiler_messages.h"
#include "generated/prelude_text.h"
#include "kernels/kernel_compiler.h"

namespace cvl::cuda {
namespace {

// Of nvrtc.h, which is not needed to build this.
using Program = struct OpaqueProgram*;
using Status = int;  // 0: it worked
struct Functions {
  Status (*nvrtcCreateProgram)(Program*, const char* text, const char* name, int headers, const char* const* texts,
                               const char* const* names) = nullptr;
  Status (*nvrtcDestroyProgram)(Program*) = nullptr;
  Status (*nvrtcCompileProgram)(Program, int options, const char* const*) = nullptr;
  Status (*nvrtcGetCUBINSize)(Program, std::size_t*) = nullptr;
  Status (*nvrtcGetCUBIN)(Program, char*) = nullptr;
  Status (*nvrtcGetProgramLogSize)(Program, std::size_t*) = nullptr;
  Status (*nvrtcGetProgramLog)(Program, char*) = nullptr;
  const char* (*nvrtcGetErrorString)(Status) = nullptr;
  Status (*nvrtcVersion)(int* major, int* minor) = nullptr;
};

Functions open_library(const std::vector<std::string>& positions) {
  void* handle = nullptr;
  std::string error;
  for (const std::string& position : positions) {
    handle = dlopen(position.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) break;
    error = dlerror();
  }
  if (handle == nullptr) throw std::runtime_error(fmt::format("NVRTC cannot be opened: {}", error));
  Functions functions;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr) throw std::runtime_error(fmt::format("NVRTC has no {}", name));
  };
  find(functions.nvrtcCreateProgram, "nvrtcCreateProgram");
  find(functions.nvrtcDestroyProgram, "nvrtcDestroyProgram");
  find(functions.nvrtcCompileProgram, "nvrtcCompileProgram");
  find(functions.nvrtcGetCUBINSize, "nvrtcGetCUBINSize");
  find(functions.nvrtcGetCUBIN, "nvrtcGetCUBIN");
  find(functions.nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize");
  find(functions.nvrtcGetProgramLog, "nvrtcGetProgramLog");
  find(functions.nvrtcGetErrorString, "nvrtcGetErrorString");
  find(functions.nvrtcVersion, "nvrtcVersion");
  return functions;
}

/// The compiler's options. Functions without an execution space are device functions, and the declarations of textures
/// and the like are omitted.
std::vector<std::string> option_words(const DeviceTarget& target) {
  return {"--gpu-architecture=" + target.architecture, "--std=c++20", target.contracts ? "--fmad=true" : "--fmad=false",
          "--device-as-default-execution-space", "--minimal"};
}

/// A text that is being compiled.
class Compilation {
 public:
  Compilation(const Functions& functions, const std::string& text) : functions_(functions) {
    static constexpr const char* kNames[] = {"cmath", "cstdint", "cstring", "limits", "type_traits"};
    const std::string standard(standard_text());
    const std::array<const char*, std::size(kNames)> texts = [&] {
      std::array<const char*, std::size(kNames)> all;
      all.fill(standard.c_str());
      return all;
    }();
    check(functions.nvrtcCreateProgram(&program_, text.c_str(), kTextName, std::size(kNames), texts.data(), kNames));
  }
  ~Compilation() { functions_.nvrtcDestroyProgram(&program_); }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  void run(const std::vector<std::string>& words) const {
    std::vector<const char*> options;
    for (const std::string& word : words) options.push_back(word.c_str());
    if (functions_.nvrtcCompileProgram(program_, static_cast<int>(options.size()), options.data()) != 0)
      throw CompileError("NVRTC says: " + first_error(log()), log());
  }
  std::string cubin() const { return text_of(functions_.nvrtcGetCUBINSize, functions_.nvrtcGetCUBIN); }
  std::string log() const {
    const std::string text = text_of(functions_.nvrtcGetProgramLogSize, functions_.nvrtcGetProgramLog);
    return text.c_str();  // without the zero at its end
  }

 private:
  void check(Status status) const {
    if (status != 0) throw std::runtime_error(fmt::format("NVRTC says: {}", functions_.nvrtcGetErrorString(status)));
  }
  std::string text_of(Status (*size)(Program, std::size_t*), Status (*get)(Program, char*)) const {
    std::size_t bytes = 0;
    check(size(program_, &bytes));
    std::string text(bytes, '\0');
    check(get(program_, text.data()));
    return text;
  }

  const Functions& functions_;
  Program program_ = nullptr;
};

}  // namespace

std::string Nvrtc::target(const DeviceTarget& target) {
  return fmt::format("cvl-cuda {}, NVRTC {}", NESL_VERSION, fmt::join(option_words(target), " "));
}

std::string Nvrtc::compile(const std::string& text, const DeviceTarget& target) const {
  const Functions functions = open_library(positions_);
  const Compilation compilation(functions, text);
  compilation.run(option_words(target));
  return compilation.cubin();
}

std::string Nvrtc::resources(const std::string& text, const DeviceTarget& target) const {
  const Functions functions = open_library(positions_);
  const Compilation compilation(functions, text);
  std::vector<std::string> words = option_words(target);
  words.push_back("--ptxas-options=-v");
  compilation.run(words);
  return compilation.log();
}

std::string Nvrtc::version() const {
  int major = 0, minor = 0;
  open_library(positions_).nvrtcVersion(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

}  // namespace cvl::cuda
