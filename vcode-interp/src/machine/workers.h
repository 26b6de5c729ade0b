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

/// State for running a piece of a call in parallel with others: a worker of the backend or the backend of another
/// device, and the program linked for it.
struct Worker {
  std::shared_ptr<cvl::Backend> backend;
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

/// The workers of a run on its further devices, RunOptions::other_devices.
class DeviceWorkers {
 public:
  /// `evaluator` computes on the first device of the run.
  DeviceWorkers(const vcode::Program& program, const LinkedProgram& linked, const runtime::Evaluator& evaluator,
                const RunOptions& options);

  /// The number of devices, with the first one.
  std::size_t devices() const { return workers_.size() + 1; }
  /// Whether the calls of a function are divided among the devices, however short its pieces become: see
  /// functions_for_devices().
  bool shares_out(std::uint32_t function) const { return shares_out_[function]; }
  /// The worker of a further device, counted from 0, made on the first call. Null if the device has no memory for it.
  Worker* worker(std::size_t device);
  /// Adds the profiles of the workers to the profile of the run. No worker may run.
  void collect_profiles();

 private:
  const vcode::Program& program_;
  const vcode::Widths widths_;
  const RunOptions& options_;
  const std::vector<bool> shares_out_;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< null until they are made
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
