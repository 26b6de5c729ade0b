#include "machine/rank_pieces.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "io/run_error.h"
#include "machine/free_cuts.h"

namespace interp {

using runtime::DividedCall;
using runtime::Value;
using vcode::PieceOperand;

namespace {

/// A piece with more than kShareOfRank times the average work of a rank runs on all ranks.
constexpr double kShareOfRank = 1.25;
/// Pieces of a rank in a call that may be cut anywhere.
constexpr double kChunksOfRank = 8;
/// Shares of the memory that is left on a rank: of operands that all pieces share, and of operands of its own pieces.
constexpr std::size_t kSharedOfMemory = 4, kOwnOfMemory = 8;

std::int64_t bits_of(double x) { return std::bit_cast<std::int64_t>(x); }

/// Reads numbers one after the other.
class Reader {
 public:
  explicit Reader(const std::vector<std::int64_t>& numbers) : numbers_(numbers) {}
  std::int64_t number() { return numbers_.at(at_++); }
  double real() { return std::bit_cast<double>(number()); }
  std::size_t count() { return static_cast<std::size_t>(number()); }

 private:
  const std::vector<std::int64_t>& numbers_;
  std::size_t at_ = 0;
};

std::size_t memory_left(runtime::Evaluator& evaluator) {
  const cvl::MemoryUse use = evaluator.heap().device().memory_use();
  return use.limit - use.live;
}

}  // namespace

std::vector<std::int64_t> ShareOutcome::as_numbers() const {
  std::vector<std::int64_t> numbers{failed_begin, failed_end, can_join ? 1 : 0, std::ssize(results)};
  for (const Result& result : results)
    numbers.insert(numbers.end(), {result.type, result.entries, result.elements, result.like});
  numbers.push_back(std::ssize(learnt));
  for (const Learnt& one : learnt)
    numbers.insert(numbers.end(), {one.function, bits_of(one.size.bytes), bits_of(one.size.sample.bytes)});
  numbers.push_back(std::ssize(work));
  for (const Work& piece : work) numbers.insert(numbers.end(), {piece.end, bits_of(piece.work)});
  return numbers;
}

ShareOutcome ShareOutcome::of(const std::vector<std::int64_t>& numbers) {
  Reader reader(numbers);
  ShareOutcome outcome;
  outcome.failed_begin = reader.number();
  outcome.failed_end = reader.number();
  outcome.can_join = reader.number() != 0;
  outcome.results.resize(reader.count());
  for (Result& result : outcome.results) {
    result.type = reader.number();
    result.entries = reader.number();
    result.elements = reader.number();
    result.like = reader.number();
  }
  outcome.learnt.resize(reader.count());
  for (Learnt& one : outcome.learnt) {
    one.function = reader.number();
    one.size.bytes = reader.real();
    one.size.sample.bytes = reader.real();
  }
  outcome.work.resize(reader.count());
  for (Work& piece : outcome.work) {
    piece.end = reader.number();
    piece.work = reader.real();
  }
  return outcome;
}

double RankPieces::KnownWork::before(std::int64_t element) const {
  const auto next = std::ranges::lower_bound(ends, element);
  const auto k = static_cast<std::size_t>(std::min(next, std::prev(ends.end())) - ends.begin());
  // Elements before the first known one, and behind the last, count as those of the pieces beside them.
  const std::int64_t first = k == 0 ? begin : ends[k - 1];
  const double work_of_first = k == 0 ? 0 : before_ends[k - 1];
  return work_of_first +
         (before_ends[k] - work_of_first) * static_cast<double>(element - first) / static_cast<double>(ends[k] - first);
}

RankPieces::RankPieces(const vcode::Program& program, runtime::Evaluator& all, const RunOptions& options)
    : program_(program),
      all_(all),
      options_(options),
      job_(options.job),
      cuts_anywhere_(functions_cut_anywhere(program)) {
  options_.job = nullptr;
}

PieceEngine RankPieces::engine(std::size_t stack_limit) {
  if (!linked_) {
    job_->compute_alone([this] {
      evaluator_ = std::make_unique<runtime::Evaluator>(job_->own_backend(), all_.widths(), options_.host_limit);
      base::Diagnostics diagnostics;
      linked_ = link_program(program_, *evaluator_, diagnostics);
    });
    if (!linked_) throw RunError(evaluator_->memory_failure("CALL"), RunError::Blame::kSurroundings);
    workers_ = std::make_unique<Workers>(program_, *linked_, *evaluator_, options_);
  }
  const auto threads = static_cast<std::size_t>(evaluator_->heap().device().threads());
  return {*linked_, *evaluator_, options_, workers_.get(), stack_limit / (threads + 1)};
}

bool RankPieces::can_take(const CallInPieces& call) const {
  std::size_t bytes = 0;
  const Value* operand = call.operands;
  for (const PieceOperand& cut : program_.functions[call.function].piece_operands) {
    if (cut.how == PieceOperand::How::kShared) bytes += static_cast<std::size_t>(DividedCall::bytes(*operand));
    ++operand;
  }
  return bytes <= memory_left(all_) / kSharedOfMemory;
}

double RankPieces::most_bytes() const {
  return static_cast<double>(memory_left(all_) / kOwnOfMemory) * static_cast<double>(ranks());
}

std::vector<bool> RankPieces::on_all_ranks(const DividedCall& cut, std::span<const PieceOutcome> pieces) const {
  std::vector<bool> on_all(pieces.size(), options_.call_limit != 0);
  const auto bytes = [&](std::size_t from, std::size_t to) {
    return static_cast<double>(cut.bytes_before(pieces[to].end) - cut.bytes_before(pieces[from].begin));
  };
  // Pieces between two that run on all ranks are shared out among all ranks, too.
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (std::size_t first = 0, last = 0; first < pieces.size(); first = ++last) {
      if (on_all[first]) continue;
      while (last + 1 < pieces.size() && !on_all[last + 1]) ++last;
      const double share = bytes(first, last) / static_cast<double>(ranks());
      for (std::size_t k = first; k <= last; ++k)
        if (bytes(k, k) > share * kShareOfRank) on_all[k] = is_changed = true;
    }
  }
  return on_all;
}

std::vector<std::size_t> RankPieces::deal(const CallInPieces& call, std::span<const PieceOutcome> pieces) const {
  const auto known = known_work_.find(call.function);
  const bool is_known = known != known_work_.end() && known->second.elements == call.cut.elements();
  const auto before = [&](std::int64_t element) {
    return is_known ? known->second.before(element)
                    : static_cast<double>(call.cut.bytes_before(element)) + static_cast<double>(element);
  };
  std::vector<std::size_t> first{0};
  std::size_t next = 0;
  for (std::size_t r = 1; r < ranks(); ++r) {
    if (!pieces.empty()) {
      const double begin = before(pieces.front().begin), end = before(pieces.back().end);
      const double most = begin + (end - begin) * static_cast<double>(r) / static_cast<double>(ranks());
      // A piece belongs to the rank with its middle.
      while (next < pieces.size() && (before(pieces[next].begin) + before(pieces[next].end)) / 2 < most) ++next;
    }
    first.push_back(next);
  }
  first.push_back(pieces.size());
  return first;
}

bool RankPieces::is_divided(std::uint32_t function, const Value* operands) const {
  for (const PieceOperand& cut : program_.functions[function].piece_operands) {
    const Value& operand = *operands++;
    if (cut.how != PieceOperand::How::kEach || operand.is_pair()) continue;
    if (job_->is_divided(operand.is_vector() ? operand.length() : operand.segments())) return true;
  }
  return false;
}

double RankPieces::bytes_of_chunk(double bytes_of_call) const {
  return bytes_of_call / (kChunksOfRank * static_cast<double>(ranks()));
}

bool RankPieces::is_balanced(const CallInPieces& call, std::span<const PieceOutcome> pieces) const {
  const std::vector<std::size_t> first = deal(call, pieces);
  const auto bytes = [&](std::size_t begin, std::size_t end) {
    return begin == end ? 0.0
                        : static_cast<double>(call.cut.bytes_before(pieces[end - 1].end) -
                                              call.cut.bytes_before(pieces[begin].begin));
  };
  const double most = bytes(0, pieces.size()) / static_cast<double>(ranks()) * kShareOfRank;
  for (std::size_t r = 0; r < ranks(); ++r)
    if (bytes(first[r], first[r + 1]) > most) return false;
  return true;
}

void RankPieces::require(const Value& value) const {
  if (value.tag() == Value::Tag::kNone)
    throw RunError(evaluator_->memory_failure("CALL"), RunError::Blame::kSurroundings);
}

std::unique_ptr<RankShare> RankPieces::fetch(const CallInPieces& call, const cvl::RankRanges& elements) {
  auto share = std::make_unique<RankShare>();
  std::tie(share->begin, share->end) = elements[rank()];
  share->is_same_on_all = std::ranges::all_of(elements, [&](const auto& range) { return range == elements[0]; });
  share->first_instance = call.cut.instances_before(share->begin);
  const auto before = [&](std::uint32_t of) {
    cvl::RankRanges ranges;
    for (const auto& [begin, end] : elements) ranges.emplace_back(call.cut.before(of, begin), call.cut.before(of, end));
    return ranges;
  };
  const vcode::PieceOperands& cuts = program_.functions[call.function].piece_operands;
  share->operands.reserve(cuts.size());
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const Value& operand = call.operands[k];
    Value value;
    if (cuts[k].how == PieceOperand::How::kShared) {
      value = shared(operand);
    } else if (cuts[k].how == PieceOperand::How::kWhole) {
      const auto [begin, end] = before(cuts[k].of)[rank()];
      value = Value::single_segment(end - begin);
    } else if (operand.is_vector()) {
      value = this->elements(operand, before(cuts[k].of), *share);
    } else {
      const auto [begin, end] = before(static_cast<std::uint32_t>(k))[rank()];
      value = segments(operand, before(cuts[k].of), end - begin, *share);
    }
    require(value);
    share->operands.push_back(std::move(value));
  }
  share->cut.emplace(*evaluator_, cuts, share->operands.data());
  if (!share->cut->fits()) throw RunError(evaluator_->memory_failure("CALL"), RunError::Blame::kSurroundings);
  VC_CHECK(share->cut->elements() == share->end - share->begin);
  return share;
}

/// The elements wants[r] of a vector on each rank r.
Value RankPieces::elements(const Value& vector, const cvl::RankRanges& wants, RankShare& share) {
  const auto [begin, end] = wants[rank()];
  const void* first = nullptr;
  if (vector.is_scalar() || vector.length() == 0) {
    first = vector.is_scalar() ? vector.scalar_data() : nullptr;
  } else if (vector.vector()->host != nullptr) {
    first = static_cast<const char*>(vector.vector()->host) +
            begin * static_cast<std::int64_t>(vcode::elem_size(vector.type()));
  } else {
    const void* const data = all_.heap().device_data(vector);
    share.memory.push_back(job_->fetch({vector.type(), vector.length(), data}, wants));
    first = share.memory.back().get();
  }
  return evaluator_->heap().view(vector.type(), first, end - begin);
}

/// The segments wants[r] of a descriptor on each rank r; those of this rank have `count` elements. As DividedCall cuts
/// a descriptor.
Value RankPieces::segments(const Value& descriptor, const cvl::RankRanges& wants, std::int64_t count,
                           RankShare& share) {
  const bool is_single = descriptor.tag() == Value::Tag::kSingle;
  const std::int64_t length = is_single ? count : descriptor.segdes()->regular_length;
  const std::int64_t number = wants[rank()].second - wants[rank()].first;
  if (is_single || length >= 0) {
    if (number == 1) return Value::single_segment(count);
    runtime::SegdesObject* const object = evaluator_->heap().make_segdes();
    if (object == nullptr) return {};
    object->segments = number;
    object->elements = count;
    object->regular_length = length;
    return Value::adopt(object);
  }
  Value lengths = elements(descriptor.segdes()->lengths, wants, share);
  if (number == 1) return Value::single_segment(count);
  return lengths.tag() == Value::Tag::kNone ? Value() : evaluator_->heap().make_segdes(std::move(lengths), count);
}

/// A value that all ranks need as a whole. The heap keeps the copy for further calls.
Value RankPieces::shared(const Value& value) {
  if (value.is_scalar() || value.tag() == Value::Tag::kSingle) return value;
  if (value.is_vector()) {
    const void* const data = all_.heap().host_data(value);
    if (data == nullptr && value.length() > 0)
      throw RunError(all_.memory_failure("CALL"), RunError::Blame::kSurroundings);
    return evaluator_->heap().view(value.type(), data, value.length());
  }
  const runtime::SegdesObject& original = *value.segdes();
  if (original.regular_length < 0) {
    Value lengths = shared(original.lengths);
    Value copy = lengths.tag() == Value::Tag::kNone
                     ? Value()
                     : evaluator_->heap().make_segdes(std::move(lengths), original.elements);
    if (copy.tag() != Value::Tag::kNone) copy.segdes()->has_empty = original.has_empty;
    return copy;
  }
  runtime::SegdesObject* const object = evaluator_->heap().make_segdes();
  if (object == nullptr) return {};
  object->segments = original.segments;
  object->elements = original.elements;
  object->regular_length = original.regular_length;
  object->has_empty = original.has_empty;
  return Value::adopt(object);
}

void RankPieces::note_work(const CallInPieces& call, std::int64_t begin, const std::vector<ShareOutcome>& outcomes) {
  KnownWork known{call.cut.elements(), begin, {}, {}};
  double sum = 0;
  for (const ShareOutcome& outcome : outcomes)
    for (const ShareOutcome::Work& piece : outcome.work) {
      known.ends.push_back(piece.end);
      known.before_ends.push_back(sum += piece.work);
    }
  if (!known.ends.empty()) known_work_[call.function] = std::move(known);
}

void RankPieces::collect_profiles() {
  if (workers_ != nullptr && options_.profile != nullptr) workers_->collect_profiles();
}

}  // namespace interp
