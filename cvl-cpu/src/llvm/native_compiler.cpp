#include "llvm/native_compiler.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "kernels/kernels.h"

namespace cvl::cpu {
namespace {

/// The library, which stays open.
struct Library {
  NativeLibrary* functions = nullptr;  ///< null: there is an error
  std::string error;
};

/// The path of the library, which is beside this one.
std::string library_path() {
  static const char kMark = 0;
  Dl_info here = {};
  if (dladdr(&kMark, &here) == 0 || here.dli_fname == nullptr) return "libnative-kernels.so";
  return (std::filesystem::path(here.dli_fname).parent_path() / "libnative-kernels.so").string();
}

Library open_library() {
  Library library;
  const std::string file = library_path();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    library.error = fmt::format("kernels cannot be compiled: {}", dlerror());
    return library;
  }
  auto* const get = reinterpret_cast<NativeLibraryFn*>(dlsym(handle, "native_kernels_library"));
  std::string error = "it is something else";
  if (get != nullptr) library.functions = get(vector_functions(), error);
  if (library.functions == nullptr) library.error = fmt::format("kernels cannot be compiled by {}: {}", file, error);
  return library;
}

const Library& library() {
  static const Library opened = open_library();
  return opened;
}

/// The same; throws if it cannot be opened.
NativeLibrary& open_functions() {
  if (library().functions == nullptr) throw std::runtime_error(library().error);
  return *library().functions;
}

}  // namespace

std::string NativeCompiler::version() {
#if defined(NESL_LLVM_VERSION)
  if (access(library_path().c_str(), R_OK) == 0) return "LLVM " NESL_LLVM_VERSION;
#endif
  return "";
}

bool NativeCompiler::open(std::string& error) {
  error = library().error;
  return error.empty();
}

std::string NativeCompiler::cache_key(const std::string& assembly) {
  return open_functions().version() + "\n" + assembly;
}

std::unique_ptr<NativeCode> NativeCompiler::compile(const std::string& assembly, bool* was_cached) const {
  NativeLibrary& functions = open_functions();
  const std::string key = cache_key(assembly);
  std::string error;
  std::unique_ptr<NativeCode> code;
  if (const std::optional<std::string> cached = cache_.find(key))
    code = functions.load(*cached, keeps_symbols(), error);
  if (was_cached != nullptr) *was_cached = code != nullptr;
  if (code == nullptr) {
    const std::string object = functions.compile(assembly, error);
    if (!object.empty()) code = functions.load(object, keeps_symbols(), error);
    if (code == nullptr) throw std::runtime_error("a kernel cannot be compiled: " + error);
    cache_.keep(key, object);
  }
  if (keeps_symbols())
    for (const NativeSymbol& symbol : code->symbols()) symbols_->add(symbol);
  return code;
}

}  // namespace cvl::cpu
