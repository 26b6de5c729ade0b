#include "machine/workers.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "machine/free_cuts.h"

namespace interp {

namespace {

/// Gives a worker the options of the run, and a profile of its own if the run has one: a track of the trace with a
/// number from 1 and a title.
void set_options(Worker& worker, const RunOptions& options, int track, std::string title) {
  worker.options = options;
  if (options.profile != nullptr) worker.profile = std::make_unique<Profile>(*options.profile, track, std::move(title));
  worker.options.profile = worker.profile.get();
}

}  // namespace

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
  set_options(*worker, options_, number, fmt::format("pieces, thread {}", number));
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

DeviceWorkers::DeviceWorkers(const vcode::Program& program, const LinkedProgram& linked,
                             const runtime::Evaluator& evaluator, const RunOptions& options)
    : program_(program),
      widths_(evaluator.widths()),
      options_(options),
      shares_out_(functions_for_devices(program, linked.is_recursive)),
      workers_(options.other_devices.size()) {}

Worker* DeviceWorkers::worker(std::size_t device) {
  std::unique_ptr<Worker>& worker = workers_[device];
  if (worker != nullptr) return worker.get();
  const OtherDevice& other = options_.other_devices[device];
  auto made = std::make_unique<Worker>();
  made->backend = other.backend;
  made->evaluator = std::make_unique<runtime::Evaluator>(*other.backend, widths_, options_.host_limit);
  made->evaluator->forget_fault();
  // The plans of kernels are those of one device.
  base::Diagnostics diagnostics;
  std::optional<LinkedProgram> linked = link_program(program_, *made->evaluator, diagnostics);
  if (!linked) return nullptr;
  made->linked = std::move(*linked);
  set_options(*made, options_, static_cast<int>(device) + 1, fmt::format("pieces, device {}", other.number));
  worker = std::move(made);
  return worker.get();
}

void DeviceWorkers::collect_profiles() {
  for (const std::unique_ptr<Worker>& worker : workers_)
    if (worker != nullptr && worker->profile != nullptr) options_.profile->add(*worker->profile);
}

}  // namespace interp
