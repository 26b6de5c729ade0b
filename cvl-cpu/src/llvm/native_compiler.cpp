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
static constexpr std::string_view kKeyBegin = "NESL ";

/// The assembly, and everything else that an object file depends on.
std::string NativeCompiler::cache_key(const std::string& assembly) {
  return std::string(kKeyBegin) + NESL_VERSION "." + std::to_string(kCompilation) +
         ", LLVM " LLVM_VERSION_STRING ", " LLVM_HOST_TRIPLE "\n" + assembly;
}

/// The versions that a key names.
static std::string_view version_of(std::string_view key) { return key.substr(0, key.find('\n')); }
/// The processor that a key names: the last line of the assembly.
static std::string_view target_of(std::string_view key) {
  if (key.ends_with('\n')) key.remove_suffix(1);
  return key.substr(key.rfind('\n') + 1);
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

std::unique_ptr<NativeCode> NativeCompiler::find(const std::string& assembly, std::string* problem) {
  std::string key = cache_key(assembly);
  if (const std::optional<std::string> cached = cache_.find(key, problem)) {
    try {
      std::unique_ptr<NativeCode> code = load(*cached);
      has_found_ = true;
      return code;
    } catch (const std::runtime_error& failure) {
      // An object that cannot be loaded counts as missing.
      if (problem != nullptr) *problem = std::string("its file in the cache is ignored: ") + failure.what();
    }
  }
  const std::lock_guard lock(mutex_);
  if (missed_.empty()) missed_ = key;
  wanted_.add(std::move(key));
  return nullptr;
}

std::string NativeCompiler::why_none_fits() const {
  const std::lock_guard lock(mutex_);
  if (has_found_ || missed_.empty()) return "";
  if (!why_none_fits_) why_none_fits_ = compare_others();
  return *why_none_fits_;
}

/// Compares the versions and processors of all keys that were there before this process with those of a missed key.
std::string NativeCompiler::compare_others() const {
  bool has_any = false, has_same_version = false;
  for (const std::string& key : cache_.keys_before(begin_)) {
    if (!key.starts_with(kKeyBegin)) continue;  // of another vector library
    has_any = true;
    if (version_of(key) != version_of(missed_)) continue;
    if (target_of(key) == target_of(missed_)) return "";
    has_same_version = true;
  }
  if (!has_any) return "";
  return has_same_version ? "the cache has only kernels for other processors or options"
                          : "the cache has only kernels of other versions";
}

std::unique_ptr<NativeCode> NativeCompiler::compile(const std::string& assembly, std::string* problem) {
  if (compiler().function == nullptr) throw std::runtime_error(compiler().error);
  const std::string key = cache_key(assembly);
  std::string error;
  const std::string object = compiler().function(assembly, error);
  wanted_.remove(key);
  if (object.empty()) throw std::runtime_error("a kernel cannot be compiled: " + error);
  std::unique_ptr<NativeCode> code = load(object);
  std::string unkept = cache_.keep(key, object);
  if (problem != nullptr && !unkept.empty()) *problem = std::move(unkept);
  return code;
}

#else

std::string NativeCompiler::cache_key(const std::string& assembly) { return assembly; }
std::unique_ptr<NativeCode> NativeCompiler::find(const std::string&, std::string*) { return nullptr; }
std::string NativeCompiler::why_none_fits() const { return ""; }
std::unique_ptr<NativeCode> NativeCompiler::compile(const std::string&, std::string*) {
  throw std::runtime_error(compiler().error);
}

#endif

}  // namespace cvl::cpu
