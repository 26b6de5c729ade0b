#include "llvm/native_compiler.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "llvm/object_loader.h"

namespace cvl::cpu {
namespace {

/// The function of the library that contains LLVM, which stays open.
struct Library {
  CompileFn* compile = nullptr;  ///< null: opening failed, with `error`
  std::string error;
};

/// Path of a file in the directory of this library.
std::string beside_this(const char* file) {
  static const char kMark = 0;
  Dl_info here = {};
  if (dladdr(&kMark, &here) == 0 || here.dli_fname == nullptr) return file;
  return (std::filesystem::path(here.dli_fname).parent_path() / file).string();
}

std::string library_path() { return beside_this("libnative-kernels.so"); }

Library open_library() {
  Library library;
  const std::string file = library_path();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    library.error = fmt::format("kernels cannot be compiled: {}", dlerror());
    return library;
  }
  library.compile = reinterpret_cast<CompileFn*>(dlsym(handle, "native_kernels_compile"));
  if (library.compile == nullptr)
    library.error = fmt::format("kernels cannot be compiled by {}: it is something else", file);
  return library;
}

const Library& library() {
  static const Library opened = open_library();
  return opened;
}

}  // namespace

NativeCompiler::NativeCompiler(ObjectCache cache, const PerfMap* symbols)
    : cache_(std::move(cache)),
      symbols_(symbols),
      wanted_(cache_, beside_this("native-kernels-fill"), library_path()) {}

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

#if defined(NESL_LLVM_VERSION)

std::string NativeCompiler::cache_key(const std::string& assembly) { return compilation_version() + "\n" + assembly; }

std::unique_ptr<NativeCode> NativeCompiler::load(const std::string& object) const {
  std::unique_ptr<NativeCode> code = load_object(object, keeps_symbols());
  if (keeps_symbols())
    for (const NativeSymbol& symbol : code->symbols()) symbols_->add(symbol);
  return code;
}

std::unique_ptr<NativeCode> NativeCompiler::find(const std::string& assembly) {
  std::string key = cache_key(assembly);
  if (const std::optional<std::string> cached = cache_.find(key)) {
    try {
      return load(*cached);
    } catch (const std::runtime_error&) {
      // An object that cannot be loaded counts as missing.
    }
  }
  wanted_.add(std::move(key));
  return nullptr;
}

std::unique_ptr<NativeCode> NativeCompiler::compile(const std::string& assembly) {
  if (library().compile == nullptr) throw std::runtime_error(library().error);
  const std::string key = cache_key(assembly);
  std::string error;
  const std::string object = library().compile(assembly, error);
  wanted_.remove(key);
  if (object.empty()) throw std::runtime_error("a kernel cannot be compiled: " + error);
  std::unique_ptr<NativeCode> code = load(object);
  cache_.keep(key, object);
  return code;
}

#else

std::string NativeCompiler::cache_key(const std::string& assembly) { return assembly; }
std::unique_ptr<NativeCode> NativeCompiler::find(const std::string&) { return nullptr; }
std::unique_ptr<NativeCode> NativeCompiler::compile(const std::string&) { throw std::runtime_error(library().error); }

#endif

}  // namespace cvl::cpu
