/// Machine code by LLVM, in a library of its own, so that only processes that compile kernels load it.

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/LLJITUtils.h>
#include <llvm-c/Object.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "llvm/native_code.h"

#if defined(__GNUC__)
#define NATIVE_EXPORT __attribute__((visibility("default")))
#else
#define NATIVE_EXPORT
#endif

namespace cvl::cpu {
namespace {

/// To be raised when the same assembly is compiled to something else than before.
constexpr int kCompilation = 1;

/// Throws what LLVM says is wrong.
void check(LLVMErrorRef error) {
  if (error == nullptr) return;
  char* message = LLVMGetErrorMessage(error);
  const std::string text = message;
  LLVMDisposeErrorMessage(message);
  throw std::runtime_error(text);
}

[[noreturn]] void fail(char* message) {
  const std::string text = message;
  LLVMDisposeMessage(message);
  throw std::runtime_error(text);
}

template <auto dispose>
struct Disposer {
  template <class T>
  void operator()(T* object) const {
    dispose(object);
  }
};
/// Something of LLVM's that ends with its owner.
template <class Reference, auto dispose>
using Owned = std::unique_ptr<std::remove_pointer_t<Reference>, Disposer<dispose>>;

/// For the processor that is running; functions say themselves which of its instructions they may use.
LLVMTargetMachineRef new_target_machine() {
  const Owned<char*, LLVMDisposeMessage> triple(LLVMGetDefaultTargetTriple());
  LLVMTargetRef target = nullptr;
  char* message = nullptr;
  if (LLVMGetTargetFromTriple(triple.get(), &target, &message) != 0) fail(message);
  return LLVMCreateTargetMachine(target, triple.get(), "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                 LLVMCodeModelDefault);
}

/// Makes object files, one at a time.
class CodeGenerator {
 public:
  CodeGenerator() : machine_(new_target_machine()), layout_(LLVMCreateTargetDataLayout(machine_.get())) {}

  std::string triple() const {
    const Owned<char*, LLVMDisposeMessage> triple(LLVMGetTargetMachineTriple(machine_.get()));
    return triple.get();
  }

  std::string object(const std::string& assembly) {
    const std::lock_guard lock(mutex_);
    const Owned<LLVMContextRef, LLVMContextDispose> context(LLVMContextCreate());
    LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRangeCopy(assembly.data(), assembly.size(), "kernel");
    LLVMModuleRef parsed = nullptr;
    char* message = nullptr;
    if (LLVMParseIRInContext(context.get(), text, &parsed, &message) != 0) fail(message);
    const Owned<LLVMModuleRef, LLVMDisposeModule> module(parsed);
    LLVMSetModuleDataLayout(module.get(), layout_.get());
    LLVMSetTarget(module.get(), triple().c_str());
#if !defined(NDEBUG)
    if (LLVMVerifyModule(module.get(), LLVMReturnStatusAction, &message) != 0) fail(message);
    LLVMDisposeMessage(message);  // empty, but there
#endif
    LLVMMemoryBufferRef emitted = nullptr;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine_.get(), module.get(), LLVMObjectFile, &message, &emitted) != 0)
      fail(message);
    const Owned<LLVMMemoryBufferRef, LLVMDisposeMemoryBuffer> object(emitted);
    return {LLVMGetBufferStart(object.get()), LLVMGetBufferSize(object.get())};
  }

 private:
  std::mutex mutex_;
  Owned<LLVMTargetMachineRef, LLVMDisposeTargetMachine> machine_;
  Owned<LLVMTargetDataRef, LLVMDisposeTargetData> layout_;
};

/// LLVM looks among the symbols of the process for its own function that tells GDB of code. Those of a library that was
/// opened for one other alone are not among them.
void show_llvm_to_process() {
  Dl_info llvm = {};
  if (dladdr(reinterpret_cast<const void*>(&LLVMGetVersion), &llvm) == 0 ||
      dlopen(llvm.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) == nullptr)
    throw std::runtime_error("GDB cannot be told of kernels");
}

/// The object files of this process. Each has a scope of its own for its names, which are the same in many of them.
class Linker {
 public:
  Linker(std::vector<VectorFunction> functions, bool for_debuggers) : functions_(std::move(functions)) {
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(new_target_machine()));
    check(LLVMOrcCreateLLJIT(&jit_, builder));
    if (for_debuggers) {
      show_llvm_to_process();
      check(LLVMOrcLLJITEnableDebugSupport(jit_));
    }
    // What is wrong comes back from the call, too.
    LLVMOrcExecutionSessionSetErrorReporter(
        session(), [](void*, LLVMErrorRef error) { LLVMConsumeError(error); }, nullptr);
  }

  LLVMOrcLLJITRef jit() const { return jit_; }
  LLVMOrcExecutionSessionRef session() const { return LLVMOrcLLJITGetExecutionSession(jit_); }

  /// A scope without object files. They are used again, since LLVM's C interface does not end them.
  LLVMOrcJITDylibRef take_scope() {
    const std::lock_guard lock(mutex_);
    if (unused_.empty()) {
      unused_.reserve(scopes_ + 1);  // so that giving back needs no memory
      LLVMOrcJITDylibRef scope =
          LLVMOrcExecutionSessionCreateBareJITDylib(session(), ("kernel" + std::to_string(scopes_++)).c_str());
      find_functions(scope);
      return scope;
    }
    LLVMOrcJITDylibRef scope = unused_.back();
    unused_.pop_back();
    return scope;
  }
  void give_back(LLVMOrcJITDylibRef scope) {
    const std::lock_guard lock(mutex_);
    unused_.push_back(scope);
  }

 private:
  /// Code may call these functions, and those of the process.
  void find_functions(LLVMOrcJITDylibRef scope) const {
    std::vector<LLVMOrcCSymbolMapPair> symbols;
    for (const VectorFunction& function : functions_)
      symbols.push_back({LLVMOrcLLJITMangleAndIntern(jit_, function.name.c_str()),
                         {reinterpret_cast<LLVMOrcExecutorAddress>(function.address),
                          {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0}}});
    check(LLVMOrcJITDylibDefine(scope, LLVMOrcAbsoluteSymbols(symbols.data(), symbols.size())));
    LLVMOrcDefinitionGeneratorRef of_process = nullptr;
    check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&of_process, LLVMOrcLLJITGetGlobalPrefix(jit_), nullptr,
                                                               nullptr));
    LLVMOrcJITDylibAddGenerator(scope, of_process);
  }

  const std::vector<VectorFunction> functions_;
  LLVMOrcLLJITRef jit_ = nullptr;
  std::mutex mutex_;
  std::size_t scopes_ = 0;
  std::vector<LLVMOrcJITDylibRef> unused_;
};

/// The functions in an object file, without addresses.
std::vector<NativeSymbol> functions_of(const std::string& object) {
  const Owned<LLVMMemoryBufferRef, LLVMDisposeMemoryBuffer> bytes(
      LLVMCreateMemoryBufferWithMemoryRange(object.data(), object.size(), "kernel", 0));
  char* message = nullptr;
  const Owned<LLVMBinaryRef, LLVMDisposeBinary> file(LLVMCreateBinary(bytes.get(), nullptr, &message));
  if (file == nullptr) fail(message);
  const Owned<LLVMSymbolIteratorRef, LLVMDisposeSymbolIterator> symbol(LLVMObjectFileCopySymbolIterator(file.get()));
  std::vector<NativeSymbol> functions;
  for (; LLVMObjectFileIsSymbolIteratorAtEnd(file.get(), symbol.get()) == 0; LLVMMoveToNextSymbol(symbol.get()))
    if (const auto size = static_cast<std::int64_t>(LLVMGetSymbolSize(symbol.get())); size > 0)
      functions.push_back({LLVMGetSymbolName(symbol.get()), 0, size});
  return functions;
}

/// Linked when a function is asked for.
class LlvmCode final : public NativeCode {
 public:
  LlvmCode(Linker& linker, const std::string& object)
      : linker_(linker),
        functions_(functions_of(object)),
        scope_(linker.take_scope()),
        tracker_(LLVMOrcJITDylibCreateResourceTracker(scope_)) {
    LLVMErrorRef error = LLVMOrcLLJITAddObjectFileWithRT(
        linker.jit(), tracker_, LLVMCreateMemoryBufferWithMemoryRangeCopy(object.data(), object.size(), "kernel"));
    if (error == nullptr) return;
    release();
    check(error);
  }
  ~LlvmCode() override { release(); }
  LlvmCode(const LlvmCode&) = delete;
  LlvmCode& operator=(const LlvmCode&) = delete;

  std::int64_t bytes() const override {
    std::int64_t sum = 0;
    for (const NativeSymbol& function : functions_) sum += function.bytes;
    return sum;
  }
  std::vector<NativeSymbol> symbols() const override {
    std::vector<NativeSymbol> found = functions_;
    for (NativeSymbol& symbol : found) symbol.address = address_of(symbol.name);
    return found;
  }
  RegionFunction* function(const std::string& name) const override {
    return reinterpret_cast<RegionFunction*>(address_of(name));
  }

 private:
  std::uintptr_t address_of(const std::string& name) const {
    LLVMOrcCJITDylibSearchOrderElement where = {scope_, LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly};
    LLVMOrcCLookupSetElement what = {LLVMOrcLLJITMangleAndIntern(linker_.jit(), name.c_str()),
                                     LLVMOrcSymbolLookupFlagsRequiredSymbol};
    Found found;
    LLVMOrcExecutionSessionLookup(linker_.session(), LLVMOrcLookupKindStatic, &where, 1, &what, 1, take_result, &found);
    found.is_there.get_future().wait();
    check(found.error);
    return static_cast<std::uintptr_t>(found.address);
  }
  struct Found {
    LLVMErrorRef error = nullptr;
    LLVMOrcExecutorAddress address = 0;
    std::promise<void> is_there;
  };
  static void take_result(LLVMErrorRef error, LLVMOrcCSymbolMapPairs symbols, std::size_t, void* result) {
    Found& found = *static_cast<Found*>(result);
    found.error = error;
    if (error == nullptr) found.address = symbols[0].Sym.Address;
    found.is_there.set_value();
  }
  /// A scope that cannot be emptied is not used again.
  void release() {
    LLVMErrorRef error = LLVMOrcResourceTrackerRemove(tracker_);
    LLVMOrcReleaseResourceTracker(tracker_);
    if (error == nullptr)
      linker_.give_back(scope_);
    else
      LLVMConsumeError(error);
  }

  Linker& linker_;
  const std::vector<NativeSymbol> functions_;
  LLVMOrcJITDylibRef scope_;
  LLVMOrcResourceTrackerRef tracker_;
};

class LlvmLibrary final : public NativeLibrary {
 public:
  explicit LlvmLibrary(const std::vector<VectorFunction>& functions) : functions_(functions) {}

  std::string version() const override { return version_; }

  std::string compile(const std::string& assembly, std::string& error) override {
    try {
      return generator_.object(assembly);
    } catch (const std::exception& failure) {
      error = failure.what();
      return "";
    }
  }

  std::unique_ptr<NativeCode> load(const std::string& object, bool for_debuggers, std::string& error) override {
    try {
      return std::make_unique<LlvmCode>(for_debuggers ? debug_linker() : linker_, object);
    } catch (const std::exception& failure) {
      error = failure.what();
      return nullptr;
    }
  }

 private:
  Linker& debug_linker() {
    const std::lock_guard lock(mutex_);
    if (debug_linker_ == nullptr) debug_linker_ = std::make_unique<Linker>(functions_, true);
    return *debug_linker_;
  }
  static std::string make_version(const std::string& triple) {
    unsigned major = 0, minor = 0, patch = 0;
    LLVMGetVersion(&major, &minor, &patch);
    std::ostringstream text;
    text << "NESL " NESL_VERSION "." << kCompilation << ", LLVM " << major << "." << minor << "." << patch << ", "
         << triple;
    return text.str();
  }

  const std::vector<VectorFunction> functions_;
  CodeGenerator generator_;
  Linker linker_{functions_, false};
  std::mutex mutex_;
  std::unique_ptr<Linker> debug_linker_;  ///< made when it is first asked for
  const std::string version_ = make_version(generator_.triple());
};

}  // namespace
}  // namespace cvl::cpu

extern "C" {

NATIVE_EXPORT cvl::cpu::NativeLibrary* native_kernels_library(const std::vector<cvl::cpu::VectorFunction>& functions,
                                                              std::string& error) {
  try {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    // Never destroyed: code may run, and be released, until the process ends.
    static cvl::cpu::LlvmLibrary* const library = new cvl::cpu::LlvmLibrary(functions);
    return library;
  } catch (const std::exception& failure) {
    error = failure.what();
    return nullptr;
  }
}
}
