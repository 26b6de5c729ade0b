#include "llvm/native_compiler.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#if defined(NESL_LLVM_VERSION)
#include <llvm/Config/llvm-config.h>
#endif

#include "kernels/kernels.h"

namespace cvl::cpu {
namespace {

/// Path of a file in the directory of this library.
std::string beside_this(const char* file) {
  static const char kMark = 0;
  Dl_info here = {};
  if (dladdr(&kMark, &here) == 0 || here.dli_fname == nullptr) return file;
  return (std::filesystem::path(here.dli_fname).parent_path() / file).string();
}

std::string library_path() { return beside_this("libnative-kernels.so"); }

/// A function of a library that stays open.
template <class Function>
struct Opened {
  Function* function = nullptr;  ///< null: opening failed, with `error`
  std::string error;

  Opened(const std::string& file, const char* name, const char* purpose) {
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      error = fmt::format("kernels cannot be {}: {}", purpose, dlerror());
      return;
    }
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr) error = fmt::format("kernels cannot be {} by {}: it is something else", purpose, file);
  }
};

const Opened<CompileFn>& compiler() {
  static const Opened<CompileFn> opened(library_path(), "native_kernels_compile", "compiled");
  return opened;
}

const Opened<LoadFn>& loader() {
  static const Opened<LoadFn> opened(beside_this("libnative-loader.so"), "native_kernels_load", "loaded");
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
  error = compiler().error;
  return error.empty();
}

#if defined(NESL_LLVM_VERSION)

/// Version of the compilation: must be raised when the same assembly is compiled to different code than before.
static constexpr int kCompilation = 2;

/// The assembly, and everything else that an object file depends on.
std::string NativeCompiler::cache_key(const std::string& assembly) {
  return "NESL " NESL_VERSION "." + std::to_string(kCompilation) +
         ", LLVM " LLVM_VERSION_STRING ", " LLVM_HOST_TRIPLE "\n" + assembly;
}

std::unique_ptr<NativeCode> NativeCompiler::load(const std::string& object) const {
  static const std::vector<VectorFunction> kFunctions = vector_functions();
  if (loader().function == nullptr) throw std::runtime_error(loader().error);
  std::string error;
  std::unique_ptr<NativeCode> code(loader().function(object, keeps_symbols(), kFunctions, error));
  if (code == nullptr) throw std::runtime_error("a kernel cannot be loaded: " + error);
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
  if (compiler().function == nullptr) throw std::runtime_error(compiler().error);
  const std::string key = cache_key(assembly);
  std::string error;
  const std::string object = compiler().function(assembly, error);
  wanted_.remove(key);
  if (object.empty()) throw std::runtime_error("a kernel cannot be compiled: " + error);
  std::unique_ptr<NativeCode> code = load(object);
  cache_.keep(key, object);
  return code;
}

#else

std::string NativeCompiler::cache_key(const std::string& assembly) { return assembly; }
std::unique_ptr<NativeCode> NativeCompiler::find(const std::string&) { return nullptr; }
std::unique_ptr<NativeCode> NativeCompiler::compile(const std::string&) { throw std::runtime_error(compiler().error); }

#endif

}  // namespace cvl::cpu
