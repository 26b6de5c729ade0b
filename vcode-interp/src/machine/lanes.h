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

/// What a machine needs to run a piece of a call beside others: a lane of the backend, and the program linked for it.
struct Lane {
  std::unique_ptr<cvl::Backend> backend;
  std::unique_ptr<runtime::Evaluator> evaluator;
  LinkedProgram linked;
  std::unique_ptr<Profile> profile;  ///< null if there is none of the run
  RunOptions options;                ///< those of the run, with this profile
};

/// The lanes of a run, one for each thread, made when they are first needed.
class Lanes {
 public:
  Lanes(const vcode::Program& program, const LinkedProgram& linked, runtime::Evaluator& evaluator,
        const RunOptions& options);

  /// Makes the lanes. False if there are none: the backend has one thread, or none, or memory is short.
  bool available();
  /// One that is free. There is one for each of the backend's threads. Any thread may call this.
  Lane& take();
  void give_back(Lane& lane);
  /// Adds what the lanes have recorded to the run's profile. When none is taken.
  void collect_profiles();

 private:
  std::unique_ptr<Lane> make_lane() const;

  const vcode::Program& program_;
  const LinkedProgram& linked_;
  runtime::Evaluator& evaluator_;
  const RunOptions& options_;
  bool are_made_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> free_;
};

}  // namespace interp
