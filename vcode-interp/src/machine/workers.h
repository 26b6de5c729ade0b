#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "machine/link.h"
#include "runtime/evaluator.h"
#include "vcode-interp/profile.h"
#include "vcode-interp/run_options.h"

namespace interp {

/// State for running a piece of a call in parallel with others: a worker of the backend, and the program linked for it.
struct Worker {
  std::unique_ptr<cvl::Backend> backend;
  std::unique_ptr<runtime::Evaluator> evaluator;
  LinkedProgram linked;
  std::unique_ptr<Profile> profile;  ///< null if the run has no profile
  RunOptions options;                ///< those of the run, except `profile`
};

/// The workers of a run, one for each thread of the backend, made on first use.
class Workers {
 public:
  Workers(const vcode::Program& program, const LinkedProgram& linked, runtime::Evaluator& evaluator,
          const RunOptions& options);

  /// Makes the workers on the first call. False if there are none: the backend has fewer than two threads, cannot make
  /// workers, or memory is short.
  bool available();
  /// Takes a free worker; at most one for each thread of the backend may be taken. Any thread may call this.
  Worker& take();
  void give_back(Worker& worker);
  /// Adds the profiles of the workers to the profile of the run. No worker may be taken.
  void collect_profiles();

 private:
  /// `number` is that of its thread in profiles, from 1.
  std::unique_ptr<Worker> make_worker(int number) const;

  const vcode::Program& program_;
  const LinkedProgram& linked_;
  runtime::Evaluator& evaluator_;
  const RunOptions& options_;
  bool are_made_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> free_;
};

/// Where a machine runs pieces of its calls.
struct PieceEngine {
  const LinkedProgram& linked;  ///< for `evaluator`
  runtime::Evaluator& evaluator;
  const RunOptions& options;
  Workers* workers;         ///< of `evaluator`; null in a machine that runs on a worker
  std::size_t stack_limit;  ///< bytes for the stacks of a machine
};

}  // namespace interp
