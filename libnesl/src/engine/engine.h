#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "failure.h"
#include "fcode-opt/optimize.h"
#include "nesl-compiler/session.h"
#include "texts.h"
#include "vcode-interp/profile.h"
#include "vcode-interp/run.h"
#include "vcode-interp/run_flags.h"

namespace nesl_c {

/// How a session runs.
struct Settings {
  interp::RunFlags run;
  fcode_opt::OptimizeOptions optimize;
};

/// Elements of the caller, with what is to be called when nothing needs them any more.
struct UserLoan {
  void (*release)(void*);
  void* owner;
  class Engine& engine;
  UserLoan* next = nullptr;
};

/// What the scopes of a session share: a vector library, an interpreter, and the turn to use them. All but cancel() is
/// to be called by the thread that holds a Turn.
class Engine {
 public:
  explicit Engine(const Settings& settings);
  ~Engine();
  Engine(const Engine&) = delete;

  /// A thread's turn to use an engine. At its end, loans that have ended in it are given back, so that the caller's
  /// functions run without a lock.
  class Turn {
   public:
    explicit Turn(Engine& engine);
    ~Turn();
    Turn(const Turn&) = delete;

   private:
    Engine& engine_;
  };

  /// Ends the session: from now on nothing can be loaded, looked up or called in any scope. Values stay.
  void end();
  bool has_ended() const { return ended_; }
  /// Stops what the thread that has the turn computes. For any thread.
  void cancel() noexcept;
  void set_seed(std::uint64_t seed);

  /// A compiler that has read nothing, for this engine's programs; and back, for the next scope.
  std::unique_ptr<nesl::Session> take_compiler();
  void give_back(std::unique_ptr<nesl::Session> compiler);
  /// Runs `work` on a thread with room for deep recursion, as part of this thread's turn.
  void on_deep_stack(const std::function<void()>& work);

  vcode::Program executable(vcode::letform::Program program) const;
  std::unique_ptr<interp::PreparedProgram> prepare(vcode::letform::Program program);
  /// What a program leaves on its stack. Errors quote the texts.
  std::vector<runtime::Value> run(vcode::Program program, std::vector<runtime::Value> inputs, const Texts& texts);
  std::vector<runtime::Value> run(const interp::PreparedProgram& program, std::vector<runtime::Value> inputs,
                                  const Texts& texts);

  /// Between these, runs are measured.
  void begin_profile();
  std::string end_profile();

  const Settings& settings() const { return settings_; }
  runtime::Evaluator& evaluator() { return interpreter_->evaluator(); }
  /// Throws what the evaluator's last failure was about.
  [[noreturn]] void fail_evaluation();
  /// A loan that ends in a turn, and is given back behind it. Takes nothing if it throws.
  runtime::Loan loan(void (*release)(void*), void* owner);

 private:
  std::mutex turn_;
  std::mutex running_lock_;  ///< of the next two
  bool running_ = false;
  interp::InterruptFlag interrupt_{interp::Interrupt::kNone};
  UserLoan* ended_loans_ = nullptr;
  bool ended_ = false;

  const Settings settings_;
  cvl::BackendPtr backend_;
  std::unique_ptr<interp::Interpreter> interpreter_;
  std::unique_ptr<nesl::Session> spare_;  ///< a compiler that a scope has given back
  const Texts* quoted_ = nullptr;         ///< by errors of the run
  std::optional<interp::Profile> profile_;
};

}  // namespace nesl_c
