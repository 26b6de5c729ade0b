/// Machine code by LLVM, in a library of its own, so that only processes that compile kernels load it.

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "native/native_code.h"

#if defined(__GNUC__)
#define NATIVE_EXPORT __attribute__((visibility("default")))
#else
#define NATIVE_EXPORT
#endif

namespace cvl::cpu {
namespace {

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

/// The compiler of this process, and the code that it has in memory. It is never destroyed: code may run, and be
/// released, until the process ends.
class Compiler {
 public:
  static Compiler& get() {
    static Compiler* const compiler = new Compiler;
    return *compiler;
  }

  LLVMOrcLLJITRef jit() const { return jit_; }
  LLVMOrcJITDylibRef library() const { return LLVMOrcLLJITGetMainJITDylib(jit_); }

 private:
  Compiler() {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    char* triple = LLVMGetDefaultTargetTriple();
    LLVMTargetRef target = nullptr;
    char* message = nullptr;
    if (LLVMGetTargetFromTriple(triple, &target, &message) != 0) {
      LLVMDisposeMessage(triple);
      fail(message);
    }
    // Functions say themselves for which processor they are.
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
    LLVMDisposeMessage(triple);
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder,
                                                  LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    check(LLVMOrcCreateLLJIT(&jit_, builder));
    // What is wrong comes back from the call, too.
    LLVMOrcExecutionSessionSetErrorReporter(
        LLVMOrcLLJITGetExecutionSession(jit_), [](void*, LLVMErrorRef error) { LLVMConsumeError(error); }, nullptr);
    find_functions_of(nullptr);
    if constexpr (kMathLibrary != nullptr) find_functions_of(kMathLibrary);
  }

  /// Code may call the functions of a library, or of the process.
  void find_functions_of(const char* file) {
    LLVMOrcDefinitionGeneratorRef functions = nullptr;
    const char prefix = LLVMOrcLLJITGetGlobalPrefix(jit_);
    check(file == nullptr
              ? LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&functions, prefix, nullptr, nullptr)
              : LLVMOrcCreateDynamicLibrarySearchGeneratorForPath(&functions, file, prefix, nullptr, nullptr));
    LLVMOrcJITDylibAddGenerator(library(), functions);
  }

#if defined(__x86_64__)
  static constexpr const char* kMathLibrary = "libmvec.so.1";
#else
  static constexpr const char* kMathLibrary = nullptr;
#endif
  LLVMOrcLLJITRef jit_ = nullptr;
};

class LlvmCode final : public NativeCode {
 public:
  explicit LlvmCode(const std::string& assembly)
      : tracker_(LLVMOrcJITDylibCreateResourceTracker(Compiler::get().library())) {
    LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContext();
    try {
      add(assembly, context);
    } catch (...) {
      LLVMOrcDisposeThreadSafeContext(context);
      release();
      throw;
    }
    LLVMOrcDisposeThreadSafeContext(context);
  }
  ~LlvmCode() override { release(); }
  LlvmCode(const LlvmCode&) = delete;
  LlvmCode& operator=(const LlvmCode&) = delete;

  RegionFunction* function(const std::string& name) const override {
    LLVMOrcExecutorAddress address = 0;
    check(LLVMOrcLLJITLookup(Compiler::get().jit(), &address, name.c_str()));
    return reinterpret_cast<RegionFunction*>(static_cast<std::uintptr_t>(address));
  }

 private:
  void add(const std::string& assembly, LLVMOrcThreadSafeContextRef context) {
    LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRangeCopy(assembly.data(), assembly.size(), "kernel");
    LLVMModuleRef module = nullptr;
    char* message = nullptr;
    if (LLVMParseIRInContext(LLVMOrcThreadSafeContextGetContext(context), text, &module, &message) != 0) fail(message);
    LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(Compiler::get().jit()));
    LLVMSetTarget(module, LLVMOrcLLJITGetTripleString(Compiler::get().jit()));
#if !defined(NDEBUG)
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message) != 0) fail(message);
    LLVMDisposeMessage(message);  // empty, but there
#endif
    check(LLVMOrcLLJITAddLLVMIRModuleWithRT(Compiler::get().jit(), tracker_,
                                            LLVMOrcCreateNewThreadSafeModule(module, context)));
  }
  void release() {
    LLVMErrorRef error = LLVMOrcResourceTrackerRemove(tracker_);
    if (error != nullptr) LLVMConsumeError(error);
    LLVMOrcReleaseResourceTracker(tracker_);
  }

  LLVMOrcResourceTrackerRef tracker_;
};

}  // namespace
}  // namespace cvl::cpu

extern "C" {

NATIVE_EXPORT std::unique_ptr<cvl::cpu::NativeCode> native_kernels_compile(const std::string& assembly,
                                                                           std::string& error) {
  try {
    return std::make_unique<cvl::cpu::LlvmCode>(assembly);
  } catch (const std::exception& failure) {
    error = failure.what();
    return nullptr;
  }
}
}
