#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cvl/backend.h"
#include "lanes/llvm_text.h"
#include "llvm/native_compiler.h"
#include "loops/compiled_loops.h"

namespace cvl::cpu {

/// Machine code of a kernel's loops. Each form of a loop is a function, and an object file, of its own: runs get those
/// that they call, and programs rarely call more than one form.
class KernelCode {
 public:
  /// `compiler` may be null if only assembly() is called. `position` is that of the kernel in its program.
  KernelCode(const LoopPlan& plan, std::string_view position, const NativeTarget* target, NativeCompiler* compiler);

  /// Whether all these functions are there, or any function at all; one, null unless it is there; and all that are.
  bool has(LoopForms forms) const;
  bool has_any() const;
  LoopFunction* function(LoopForm form) const {
    const Function& function = *functions_[form];
    return function.state.load(std::memory_order_acquire) == State::kReady ? function.address : nullptr;
  }
  CompiledLoops loops() const;
  /// Whether a function of these is being compiled.
  bool is_coming(LoopForms forms) const;
  /// Waits until none of these functions is being compiled.
  void wait_for(LoopForms forms) const;

  // One thread at a time may call the following ones.

  /// Takes functions from the cache. Those that it lacks are written down for order().
  void find(LoopForms forms);
  /// Has functions compiled that find() has missed, by the compiler's thread. Throws std::system_error if no thread can
  /// be started.
  void order(LoopForms forms);
  /// Gets all functions that runs by so many threads may call. Throws std::runtime_error if one cannot be compiled.
  void get_all(int threads);

  /// For reports: "compiled in 3.1 ms, 2000 bytes"; empty if there is no function.
  std::string describe() const;
  /// For reports: clauses that say why the cache was not used, each after "; ".
  std::string describe_cache() const;
  /// Size of all functions that are there, and whether all came from the cache.
  MachineCode size() const;
  /// LLVM assembly of all functions, under the kernel's name.
  std::string assembly(const NativeTarget& target) const;

 private:
  /// A function. The compiler's thread owns it too and fills it, even if the kernel has been destroyed by then.
  struct Function {
    enum class State : std::uint8_t { kUnknown, kMissing, kOrdered, kReady, kFailed };
    std::string name;
    std::string text = {};     ///< assembly, while the cache is known to lack the function
    std::string ignored = {};  ///< why a file of the cache is not used; set once the state is not kUnknown
    std::atomic<State> state = State::kUnknown;
    // Set once the state is kReady:
    std::unique_ptr<NativeCode> code = {};
    LoopFunction* address = nullptr;
    bool was_cached = false;
    double seconds = 0;       ///< time that compiling or loading took
    std::string unkept = {};  ///< why the code is not kept in the cache

    void take(std::unique_ptr<NativeCode> from, bool cached, std::chrono::steady_clock::time_point begin);
    void compile(NativeCompiler& compiler, const std::string& assembly);
  };
  using State = Function::State;

  static std::string name_of(std::string_view kernel, LoopForm form);
  std::string assembly(const NativeTarget& target, std::string_view prefix, LoopForms forms) const;
  State state(LoopForm form) const { return functions_[form]->state.load(std::memory_order_acquire); }

  const LoopPlan& plan_;
  const NativeTarget* const target_;
  NativeCompiler* const compiler_;
  /// Prefix of the functions' names. It names the kernel only if the names are for people to read: otherwise equal
  /// functions have equal assembly, which is the key under which object files are cached.
  const std::string prefix_;
  std::vector<LoopForm> forms_;  ///< that the kernel's loops have
  ByLoopForm<std::shared_ptr<Function>> functions_;
};

}  // namespace cvl::cpu
