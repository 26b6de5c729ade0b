#include "machine/lanes.h"

#include <algorithm>

#include "base/check.h"

namespace interp {

Lanes::Lanes(const vcode::Program& program, const LinkedProgram& linked, runtime::Evaluator& evaluator,
             const RunOptions& options)
    : program_(program), linked_(linked), evaluator_(evaluator), options_(options) {}

std::unique_ptr<Lane> Lanes::make_lane() const {
  auto lane = std::make_unique<Lane>();
  lane->backend = evaluator_.heap().device().make_lane();
  if (lane->backend == nullptr) return nullptr;
  lane->evaluator = std::make_unique<runtime::Evaluator>(*lane->backend, evaluator_.widths(), options_.host_limit);
  std::optional<LinkedProgram> linked = link_for_lane(linked_, program_, *lane->evaluator);
  if (!linked) return nullptr;
  lane->linked = std::move(*linked);
  lane->options = options_;
  if (options_.profile != nullptr) lane->profile = std::make_unique<Profile>(false);
  lane->options.profile = lane->profile.get();
  return lane;
}

bool Lanes::available() {
  if (are_made_) return !lanes_.empty();
  are_made_ = true;
  const int threads = evaluator_.heap().device().threads();
  for (int k = 0; threads > 1 && k < threads; ++k) {
    lanes_.push_back(make_lane());
    if (lanes_.back() != nullptr) continue;
    lanes_.clear();
    break;
  }
  for (const std::unique_ptr<Lane>& lane : lanes_) free_.push_back(lane.get());
  return !lanes_.empty();
}

Lane& Lanes::take() {
  const std::lock_guard lock(mutex_);
  VC_CHECK(!free_.empty());
  Lane* const lane = free_.back();
  free_.pop_back();
  return *lane;
}

void Lanes::give_back(Lane& lane) {
  const std::lock_guard lock(mutex_);
  free_.push_back(&lane);
}

void Lanes::collect_profiles() {
  for (const std::unique_ptr<Lane>& lane : lanes_)
    if (lane->profile != nullptr) options_.profile->add(*lane->profile);
}

}  // namespace interp
