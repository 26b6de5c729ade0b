#include "machine/workers.h"

#include <algorithm>

#include "base/check.h"

namespace interp {

Workers::Workers(const vcode::Program& program, const LinkedProgram& linked, runtime::Evaluator& evaluator,
                 const RunOptions& options)
    : program_(program), linked_(linked), evaluator_(evaluator), options_(options) {}

std::unique_ptr<Worker> Workers::make_worker(int number) const {
  auto worker = std::make_unique<Worker>();
  worker->backend = evaluator_.heap().device().make_worker();
  if (worker->backend == nullptr) return nullptr;
  worker->evaluator = std::make_unique<runtime::Evaluator>(*worker->backend, evaluator_.widths(), options_.host_limit);
  std::optional<LinkedProgram> linked = link_for_worker(linked_, program_, *worker->evaluator);
  if (!linked) return nullptr;
  worker->linked = std::move(*linked);
  worker->options = options_;
  if (options_.profile != nullptr) worker->profile = std::make_unique<Profile>(*options_.profile, number);
  worker->options.profile = worker->profile.get();
  return worker;
}

bool Workers::available() {
  if (are_made_) return !workers_.empty();
  are_made_ = true;
  const int threads = evaluator_.heap().device().threads();
  for (int k = 0; threads > 1 && k < threads; ++k) {
    workers_.push_back(make_worker(k + 1));
    if (workers_.back() != nullptr) continue;
    workers_.clear();
    break;
  }
  for (const std::unique_ptr<Worker>& worker : workers_) free_.push_back(worker.get());
  return !workers_.empty();
}

Worker& Workers::take() {
  const std::lock_guard lock(mutex_);
  VC_CHECK(!free_.empty());
  Worker* const worker = free_.back();
  free_.pop_back();
  return *worker;
}

void Workers::give_back(Worker& worker) {
  const std::lock_guard lock(mutex_);
  free_.push_back(&worker);
}

void Workers::collect_profiles() {
  for (const std::unique_ptr<Worker>& worker : workers_)
    if (worker->profile != nullptr) options_.profile->add(*worker->profile);
}

}  // namespace interp
