#include "stack_model.h"

#include "base/check.h"

namespace vcode::letform {

Slot StackModel::push() {
  if (next_ == taken_.size()) grow();
  Slot slot = next_++;
  taken_[slot] = true;
  add(slot, 1);
  ++size_;
  history_.push_back({slot, true});
  return slot;
}

void StackModel::remove(Slot slot) {
  VC_CHECK(slot < taken_.size() && taken_[slot]);
  taken_[slot] = false;
  add(slot, UINT32_MAX);
  --size_;
  history_.push_back({slot, false});
}

void StackModel::roll_back(std::size_t mark) {
  VC_CHECK(mark <= history_.size());
  for (; history_.size() > mark; history_.pop_back()) {
    auto [slot, pushed] = history_.back();
    taken_[slot] = !pushed;
    add(slot, pushed ? UINT32_MAX : 1);
    size_ += pushed ? UINT32_MAX : 1;
    if (pushed) next_ = slot;
  }
}

std::uint32_t StackModel::count_up_to(Slot slot) const {
  std::uint32_t count = 0;
  for (std::uint32_t k = slot + 1; k > 0; k &= k - 1) count += counts_[k];
  return count;
}

Slot StackModel::at_depth(std::uint32_t depth) const {
  VC_CHECK(depth < size_);
  std::uint32_t below = size_ - depth - 1, position = 0;
  for (std::size_t step = taken_.size(); step > 0; step /= 2) {
    const std::size_t next = position + step;
    if (next >= counts_.size() || counts_[next] > below) continue;
    position = static_cast<std::uint32_t>(next);
    below -= counts_[next];
  }
  return position;
}

void StackModel::add(Slot slot, std::uint32_t amount) {
  for (std::uint32_t k = slot + 1; k < counts_.size(); k += k & -k) counts_[k] += amount;
}

void StackModel::grow() {
  taken_.resize(taken_.empty() ? 64 : taken_.size() * 2);
  counts_.assign(taken_.size() + 1, 0);
  for (Slot slot = 0; slot < taken_.size(); ++slot)
    if (taken_[slot]) add(slot, 1);
}

}  // namespace vcode::letform
