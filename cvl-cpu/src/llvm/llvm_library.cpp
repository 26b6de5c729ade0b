/// Object files by LLVM, in a library of its own, so that only processes that compile kernels load it.

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "llvm/native_code.h"

#if defined(__GNUC__)
#define NATIVE_EXPORT __attribute__((visibility("default")))
#else
#define NATIVE_EXPORT
#endif

namespace cvl::cpu {
namespace {

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
/// An object of LLVM that is disposed of with its owner.
template <class Reference, auto dispose>
using Owned = std::unique_ptr<std::remove_pointer_t<Reference>, Disposer<dispose>>;

/// Target machine for the running processor; each function names the instructions that it may use.
LLVMTargetMachineRef new_target_machine() {
  const Owned<char*, LLVMDisposeMessage> triple(LLVMGetDefaultTargetTriple());
  LLVMTargetRef target = nullptr;
  char* message = nullptr;
  if (LLVMGetTargetFromTriple(triple.get(), &target, &message) != 0) fail(message);
  return LLVMCreateTargetMachine(target, triple.get(), "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                 LLVMCodeModelDefault);
}

/// Compiles object files, one at a time.
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
    LLVMDisposeMessage(message);  // empty, but allocated
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

}  // namespace
}  // namespace cvl::cpu

extern "C" NATIVE_EXPORT std::string native_kernels_compile(const std::string& assembly, std::string& error) {
  try {
    // Never destroyed: a thread may still compile when the process ends.
    static cvl::cpu::CodeGenerator* const generator = [] {
      LLVMInitializeNativeTarget();
      LLVMInitializeNativeAsmPrinter();
      return new cvl::cpu::CodeGenerator;
    }();
    return generator->object(assembly);
  } catch (const std::exception& failure) {
    error = failure.what();
    return "";
  }
}
