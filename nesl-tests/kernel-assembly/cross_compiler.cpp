#include "cross_compiler.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <memory>

namespace cvl::conformance {
namespace {

/// The text of an LLVM error message, which is freed.
std::string taken(char* message) {
  const std::string text = message != nullptr ? message : "";
  LLVMDisposeMessage(message);
  return text;
}

}  // namespace

CrossCompiler::CrossCompiler() {
  LLVMInitializeAllTargetInfos();
  LLVMInitializeAllTargets();
  LLVMInitializeAllTargetMCs();
  LLVMInitializeAllAsmPrinters();
}

bool CrossCompiler::knows(const std::string& triple) {
  LLVMTargetRef target = nullptr;
  char* message = nullptr;
  const bool known = LLVMGetTargetFromTriple(triple.c_str(), &target, &message) == 0;
  LLVMDisposeMessage(message);
  return known;
}

std::string CrossCompiler::object(const std::string& assembly, std::string& error) const {
  const std::unique_ptr<LLVMOpaqueContext, decltype(&LLVMContextDispose)> context(LLVMContextCreate(),
                                                                                  LLVMContextDispose);
  LLVMModuleRef parsed = nullptr;
  char* message = nullptr;
  if (LLVMParseIRInContext(context.get(),
                           LLVMCreateMemoryBufferWithMemoryRangeCopy(assembly.data(), assembly.size(), "kernel"),
                           &parsed, &message) != 0) {
    error = taken(message);
    return "";
  }
  const std::unique_ptr<LLVMOpaqueModule, decltype(&LLVMDisposeModule)> module(parsed, LLVMDisposeModule);
  const bool invalid = LLVMVerifyModule(module.get(), LLVMReturnStatusAction, &message) != 0;
  error = taken(message);
  if (invalid) return "";
  LLVMTargetRef target = nullptr;
  if (LLVMGetTargetFromTriple(LLVMGetTarget(module.get()), &target, &message) != 0) {
    error = taken(message);
    return "";
  }
  const std::unique_ptr<LLVMOpaqueTargetMachine, decltype(&LLVMDisposeTargetMachine)> machine(
      LLVMCreateTargetMachine(target, LLVMGetTarget(module.get()), "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC,
                              LLVMCodeModelDefault),
      LLVMDisposeTargetMachine);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine.get());
  LLVMSetModuleDataLayout(module.get(), layout);
  LLVMDisposeTargetData(layout);
  LLVMMemoryBufferRef emitted = nullptr;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine.get(), module.get(), LLVMObjectFile, &message, &emitted) != 0) {
    error = taken(message);
    return "";
  }
  std::string bytes(LLVMGetBufferStart(emitted), LLVMGetBufferSize(emitted));
  LLVMDisposeMemoryBuffer(emitted);
  return bytes;
}

}  // namespace cvl::conformance
