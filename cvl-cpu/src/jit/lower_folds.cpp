#include "jit/lower_folds.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/check.h"
#include "lanes/lower_elementwise.h"

namespace cvl::cpu {

namespace {

/// Number of accumulators of a fold of floats; element e is added to accumulator (e / lanes of a cache line) mod kSums.
constexpr int kSums = 4;

}  // namespace

/// Number of accumulators of a fold, and number of lanes of each.
int FoldWriter::sums(const Loop::Fold& fold) const { return LlvmText::is_float(operand_type(fold)) ? kSums : 1; }
int FoldWriter::sum_lanes(const Loop::Fold& fold) const {
  return sums(fold) > 1 ? kLineBytes / static_cast<int>(elem_size(operand_type(fold))) : lanes_;
}

int FoldWriter::vectors_in_turn() const {
  int vectors = 1;
  for (const Loop::Fold& fold : folds_) vectors = std::max(vectors, sums(fold) * sum_lanes(fold) / lanes_);
  return vectors;
}

std::vector<LaneValue> FoldWriter::initial() const {
  std::vector<LaneValue> state;
  for (const Loop::Fold& fold : folds_)
    state.insert(state.end(), static_cast<std::size_t>(sums(fold)), identity_lanes(monoid(fold), operand_type(fold)));
  return state;
}

std::vector<std::string> FoldWriter::state_types() const {
  std::vector<std::string> types;
  for (const Loop::Fold& fold : folds_)
    types.insert(types.end(), static_cast<std::size_t>(sums(fold)), text_.type(operand_type(fold), sum_lanes(fold)));
  return types;
}

void FoldWriter::add(std::span<LaneValue> state, std::span<const LaneValue> values, const std::string& mask,
                     std::optional<int> of_turn) {
  auto begin = state.begin();
  for (const Loop::Fold& f : folds_) {
    LaneValue x = values[f.step->operands[0]];
    x = masked(text_, x, mask, identity_lanes(monoid(f), x.type));
    const int n = sum_lanes(f), count = sums(f);
    std::vector<LaneValue> parts;
    for (int k = 0; k < lanes_; k += n) parts.push_back(text_.part(x, k, n));
    VC_CHECK(std::ssize(parts) <= count);
    text_.set_lanes(n);
    for (std::ptrdiff_t k = 0; k < std::ssize(parts); ++k) {
      LaneValue& sum = begin[(of_turn.value_or(0) * std::ssize(parts) + k) % count];
      sum = lower_combination(text_, monoid(f), parts[static_cast<std::size_t>(k)], sum);
    }
    if (!of_turn) std::rotate(begin, begin + std::ssize(parts) % count, begin + count);
    text_.set_lanes(lanes_);
    begin += count;
  }
}

std::vector<LaneValue> FoldWriter::end(std::span<const LaneValue> state, const std::string& count) {
  std::vector<LaneValue> results;
  auto begin = state.begin();
  for (const Loop::Fold& f : folds_) {
    std::vector<LaneValue> sum(begin, begin + sums(f));
    begin += sums(f);
    int n = sum_lanes(f);
    const auto join = [&](const LaneValue& a, const LaneValue& b) { return lower_combination(text_, monoid(f), a, b); };
    text_.set_lanes(n);
    if (sum.size() > 1) {
      if (!count.empty()) turn_back(sum, count, n);
      sum[0] = join(join(sum[0], sum[1]), join(sum[2], sum[3]));
    }
    for (; n > 1; n /= 2) {
      const LaneValue low = text_.part(sum[0], 0, n / 2), high = text_.part(sum[0], n / 2, n / 2);
      text_.set_lanes(n / 2);
      sum[0] = join(low, high);
    }
    results.push_back(sum[0]);
    text_.set_lanes(lanes_);
  }
  return results;
}

/// Undoes the rotation: moves the accumulator of n lanes that was first initially to the front.
void FoldWriter::turn_back(std::vector<LaneValue>& sum, const std::string& count, int n) {
  const std::string rounds = text_.define(
      fmt::format("udiv i64 {}, {}", text_.define(fmt::format("add i64 {}, {}", count, lanes_ - 1)), lanes_));
  const std::string turns = text_.define(fmt::format("mul i64 {}, {}", rounds, lanes_ / n));
  const std::string t = text_.type(sum[0].type);
  for (const int turn : {1, 2}) {
    const std::string bit = text_.define(fmt::format("and i64 {}, {}", turns, turn));
    const std::string turned = text_.define(fmt::format("icmp ne i64 {}, 0", bit));
    const std::vector<LaneValue> before = sum;
    for (int k = 0; k < kSums; ++k) {
      const LaneValue& other = before[static_cast<std::size_t>((k + kSums - turn) % kSums)];
      LaneValue& mine = sum[static_cast<std::size_t>(k)];
      mine.text = text_.define(fmt::format("select i1 {}, {} {}, {} {}", turned, t, other.text, t, mine.text));
    }
  }
}

void FoldWriter::store(std::size_t fold, const LaneValue& value, int lanes, const std::string& address) {
  const ElemType type = operand_type(folds_[fold]);
  std::string lane = text_.define(fmt::format("extractelement {} {}, i64 0", text_.type(type, lanes), value.text));
  if (type == ElemType::kB8) lane = text_.define(fmt::format("zext i1 {} to i8", lane));
  text_.line(fmt::format("store {} {}, ptr {}", LlvmText::stored(type), lane, address));
}

}  // namespace cvl::cpu
