#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cvl/rank_job.h"
#include "cvl/shared_device.h"
#include "failure.h"
#include "fcode-opt/optimize.h"
#include "nesl-compiler/session.h"
#include "texts.h"
#include "vcode-interp/profile.h"
#include "vcode-interp/run.h"
#include "vcode-interp/run_flags.h"

namespace nesl_c {

/// Options of a session.
struct Settings {
  interp::RunFlags run;
  std::optional<cvl::Communicator> communicator = {};  ///< of the ranks of the session
  fcode_opt::OptimizeOptions optimize;
};

/// A loan of elements of the caller; `release` is called when no value refers to them.
struct UserLoan {
  void (*release)(void*);
  void* owner;
  class Engine& engine;
  UserLoan* next = nullptr;
};

/// State that the scopes of a session share: a vector library, an interpreter, and the turn to use them. Only the
/// thread that holds a Turn may call members other than cancel().
class Engine {
 public:
  explicit Engine(const Settings& settings);
  ~Engine();
  Engine(const Engine&) = delete;

  /// A thread's turn to use an engine: a lock. Loans that end during a turn are released after it, so that the caller's
  /// release functions run without the lock.
  class Turn {
   public:
    explicit Turn(Engine& engine);
    ~Turn();
    Turn(const Turn&) = delete;

   private:
    Engine& engine_;
  };

  /// Ends the session: nothing can be loaded, looked up or called in any scope afterwards. Values remain readable.
  void end();
  bool has_ended() const { return ended_; }
  /// Cancels the computation of the thread that has the turn. Any thread may call this.
  void cancel() noexcept;
  void set_seed(std::uint64_t seed);

  /// Returns a compiler without definitions, with the options of this engine. give_back() keeps a compiler for the next
  /// scope.
  std::unique_ptr<nesl::Session> take_compiler();
  void give_back(std::unique_ptr<nesl::Session> compiler);
  /// Runs `work` on a thread with a large stack, as part of the turn of the calling thread.
  void on_deep_stack(const std::function<void()>& work);

  vcode::Program executable(vcode::letform::Program program) const;
  std::unique_ptr<interp::PreparedProgram> prepare(vcode::letform::Program program);
  /// Runs a program and returns the values that it leaves on the stack. Errors quote lines of `texts`.
  std::vector<runtime::Value> run(const vcode::Program& program, std::vector<runtime::Value> inputs,
                                  const Texts& texts);
  std::vector<runtime::Value> run(const interp::PreparedProgram& program, std::vector<runtime::Value> inputs,
                                  const Texts& texts);

  /// Runs a program likewise, and calls `watch` as RunOptions::watch_calls says.
  std::vector<runtime::Value> run_watched(const vcode::Program& program, std::vector<runtime::Value> inputs,
                                          const Texts& texts,
                                          const std::function<void(std::uint32_t, const runtime::Value*)>& watch);

  /// Start and end a profile of the runs; end_profile() returns its text.
  void begin_profile();
  std::string end_profile();

  const Settings& settings() const { return settings_; }
  /// The ranks of the session; null if it is of this process alone.
  cvl::RankJob* job() const { return job_.get(); }
  /// Whether the last argument that ranks have checked together was refused (rank_parts.h).
  bool has_refused = false;
  runtime::Evaluator& evaluator() { return interpreter_->evaluator(); }
  cvl::DeviceId device() const;
  /// The device whose memory has the vectors. Throws Failed if that is memory of the host.
  cvl::SharedDevice& shared_device();
  /// Throws the last failure of the evaluator as Failed.
  [[noreturn]] void fail_evaluation();
  /// Makes a loan that is released after the turn in which it ends. If this throws, the loan is not taken.
  runtime::Loan loan(void (*release)(void*), void* owner);

 private:
  std::mutex turn_;
  std::mutex running_lock_;  ///< guards running_ and interrupt_
  bool running_ = false;
  interp::InterruptFlag interrupt_{interp::Interrupt::kNone};
  UserLoan* ended_loans_ = nullptr;
  bool ended_ = false;

  const Settings settings_;
  std::unique_ptr<cvl::RankJob> job_;
  cvl::BackendPtr backend_;
  std::unique_ptr<interp::Interpreter> interpreter_;
  std::unique_ptr<nesl::Session> spare_;  ///< the compiler of the last give_back()
  const Texts* quoted_ = nullptr;         ///< texts that errors of the current run quote
  std::optional<interp::Profile> profile_;
};

}  // namespace nesl_c
