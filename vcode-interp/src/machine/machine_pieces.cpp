// The machine's calls in pieces.

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "io/run_error.h"
#include "machine/machine.h"
#include "vcode/check.h"

namespace interp {

using runtime::CutCall;
using runtime::Value;

namespace {

/// Of pieces of which nothing is known: the most working memory in bytes for each byte of the operands; and the least
/// that is assumed of any.
constexpr double kUsualGrowth = 8, kLeastGrowth = 2;
/// How much of a piece's work may be independent of its size.
constexpr double kMostFixed = 0.1;
/// A piece takes no more than this part of the memory there is.
constexpr std::size_t kPiecesInMemory = 16;
/// With fewer elements a call is not sampled.
constexpr std::int64_t kFewElements = 16;
/// The first sample is this part of a call, or of a piece's working memory if that is less; the second one so many
/// times as much. A call that has so many times as much as was sampled, of a small sample, is sampled again.
constexpr double kPartOfCall = 1.0 / 16, kPartOfMemory = 1.0 / 1024, kSecondSample = 8, kMuchMore = 16;
/// Pieces of pieces of … share the stack of one thread.
constexpr int kDeepestNesting = 64;
/// A piece that has more than this share of a thread's part of the whole call runs on all threads.
constexpr double kShareOfThread = 1.25;

double bytes_of(const CutCall& cut, const PieceOutcome& piece) {
  return static_cast<double>(cut.bytes_before(piece.end) - cut.bytes_before(piece.begin));
}

}  // namespace

PieceSize piece_size(const PieceCost& small, const PieceCost& large, double memory) {
  const double more = large.bytes - small.bytes;
  const double growth = more > 0 ? (large.peak - small.peak) / more : large.peak / large.bytes;
  const double work = more > 0 ? (large.work - small.work) / more : large.work / large.bytes;
  const double by_memory = memory / std::max(growth, kLeastGrowth);
  if (work <= 0) return {by_memory, large.bytes};
  const double fixed = std::max(small.work - work * small.bytes, 0.0);
  return {std::max(by_memory, fixed / kMostFixed / work), large.bytes};
}

Machine::Machine(const Machine& caller, const LinkedProgram& linked, runtime::Evaluator& evaluator,
                 const RunOptions& options, std::uint32_t function, std::vector<Value> operands, const PieceOf& piece)
    : program_(caller.program_),
      linked_(linked),
      evaluator_(evaluator),
      system_(caller.system_),
      options_(options),
      memory_limit_(caller.memory_limit_),
      stack_limit_(&evaluator == &caller.evaluator_ ? caller.stack_limit_
                                                    : caller.stack_limit_ / (caller.threads() + 1)),
      piece_memory_(caller.piece_memory_),
      piece_(piece),
      nesting_(caller.nesting_ + 1),
      lanes_(&evaluator == &caller.evaluator_ ? caller.lanes_ : nullptr),
      piece_sizes_(caller.piece_sizes_),
      peak_(evaluator.heap().live()),
      initial_(std::move(operands)) {
  polled_calls_ = caller.polled_calls_;
  pc_ = linked_.code.data() + linked_.function_starts[function];
}

double Machine::piece_memory(const RunOptions& options, std::size_t memory_limit) {
  return static_cast<double>(std::min(options.piece_bytes, memory_limit / kPiecesInMemory));
}

bool Machine::is_worth_cutting(std::uint32_t function, const Value* operands) const {
  if (options_.piece_bytes == 0 || !piece_.is_large || nesting_ >= kDeepestNesting || options_.trace.any() ||
      !evaluator_.heap().device().unified_memory())
    return false;
  const CutCall::Size size = CutCall::size(program_.functions[function].cuts, operands);
  const auto bytes = static_cast<double>(size.bytes);
  return size.elements > 1 && (is_to_be_sampled(function, size.elements, bytes) || bytes > size_of_pieces(function));
}

double Machine::size_of_pieces(std::uint32_t function) const {
  const double known = piece_sizes_[function].bytes;
  return known != 0 ? known : piece_memory_ / kUsualGrowth;
}

bool Machine::is_to_be_sampled(std::uint32_t function, std::int64_t elements, double bytes) const {
  const PieceSize& size = piece_sizes_[function];
  if (elements < kFewElements) return false;
  return size.bytes == 0 || (size.sampled < piece_memory_ * kPartOfMemory && bytes > size.sampled * kMuchMore &&
                             bytes > size.bytes / kMuchMore);
}

bool Machine::call_in_pieces(const Code& code) {
  const std::uint32_t function = code.b;
  const std::size_t count = program_.functions[function].cuts.size();
  need(static_cast<std::int64_t>(count));
  Value* const operands = top_ - count;
  if (!is_worth_cutting(function, operands)) return false;
  poll();
  const CutCall cut(evaluator_, program_.functions[function].cuts, operands);
  if (!cut.fits()) return false;
  const std::size_t before = evaluator_.heap().live();
  std::vector<PieceOutcome> pieces = run_pieces(cut, function);
  if (pieces.empty()) return false;
  std::vector<std::vector<Value>> results;
  std::vector<runtime::Evaluator*> evaluators;
  std::size_t peak = 0;
  for (PieceOutcome& piece : pieces) {
    if (piece.error != nullptr) {
      failed_piece_ = std::move(piece.failed);
      std::rethrow_exception(piece.error);
    }
    results.push_back(std::move(piece.results));
    evaluators.push_back(piece.evaluator);
    peak = std::max(peak, static_cast<std::size_t>(piece.cost.peak));
    work_ += piece.cost.work;
  }
  // Wherever the pieces have run, so that cuts do not depend on that.
  peak_ = std::max(peak_, before + peak);
  learn(pieces);
  if (!runtime::can_join(results))
    fail(fmt::format("the pieces of {} return values of different kinds", program_.functions[function].name));
  std::vector<Value> joined = runtime::join_pieces(evaluator_, results, evaluators);
  if (joined.size() != results[0].size()) give_up(evaluator_.memory_failure("CALL"));
  while (top_ != operands) (--top_)->~Value();
  make_room(joined.size());
  for (Value& value : joined) new (top_++) Value(std::move(value));
  return true;
}

/// The pieces of a call, which have been run. None if it is to be run as a whole.
std::vector<PieceOutcome> Machine::run_pieces(const CutCall& cut, std::uint32_t function) {
  std::vector<PieceOutcome> pieces;
  std::int64_t begin = 0;
  const auto next = [&](std::int64_t bytes) {
    const std::int64_t end = cut.end_of_piece(begin, bytes);
    return PieceOutcome{.begin = std::exchange(begin, end), .end = end};
  };
  // A few elements, and some more, tell what the others will cost, unless they are so large that each is a piece.
  const auto all = static_cast<double>(cut.bytes_before(cut.elements()));
  if (is_to_be_sampled(function, cut.elements(), all) &&
      static_cast<double>(cut.bytes_before(1)) < size_of_pieces(function)) {
    const double few = std::min(all * kPartOfCall, piece_memory_ * kPartOfMemory);
    for (const double bytes : {few, few * kSecondSample}) {
      pieces.push_back(next(static_cast<std::int64_t>(bytes)));
      run_here(cut, function, pieces.back());
      if (pieces.back().error != nullptr && !pieces.back().out_of_memory) return pieces;
      if (begin == cut.elements()) break;
    }
    if (pieces.size() == 2 && pieces[0].error == nullptr && pieces[1].error == nullptr)
      piece_sizes_[function] = piece_size(pieces[0].cost, pieces[1].cost, piece_memory_);
  }
  std::vector<PieceOutcome> others;
  while (begin < cut.elements()) others.push_back(next(static_cast<std::int64_t>(size_of_pieces(function))));
  if (pieces.empty() && others.size() == 1) return {};
  run_side_by_side(cut, function, others);
  std::move(others.begin(), others.end(), std::back_inserter(pieces));
  split_what_did_not_fit(cut, function, pieces);
  return pieces;
}

void Machine::run_side_by_side(const CutCall& cut, std::uint32_t function, std::vector<PieceOutcome>& pieces) {
  std::atomic<std::int64_t> first_failure = std::numeric_limits<std::int64_t>::max();
  const auto note_failure = [&](const PieceOutcome& piece, std::int64_t number) {
    if (piece.error == nullptr || piece.out_of_memory) return;
    std::int64_t first = first_failure;
    while (number < first && !first_failure.compare_exchange_weak(first, number)) continue;
  };
  const auto place = [&](std::int64_t number, const PieceOutcome& piece) {
    return PieceOf{this, cut.instances_before(piece.begin), is_large(cut, function, piece), number, &first_failure};
  };
  const auto run_on_lane = [&](std::int64_t k) {
    PieceOutcome& piece = pieces[static_cast<std::size_t>(k)];
    Lane& lane = lanes_->take();
    run_piece(cut, function, lane.linked, *lane.evaluator, lane.options, place(k, piece), piece);
    note_failure(piece, k);
    // What a piece that has failed has left in the lane stays there, for the report.
    lanes_->give_back(lane);
  };
  const bool has_lanes = pieces.size() > 1 && lanes_ != nullptr && options_.call_limit == 0 && lanes_->available();
  double whole = 0;
  for (const PieceOutcome& piece : pieces) whole += bytes_of(cut, piece);
  std::vector<std::int64_t> here, beside;
  for (std::int64_t k = 0; k < std::ssize(pieces); ++k) {
    const double bytes = bytes_of(cut, pieces[static_cast<std::size_t>(k)]);
    (has_lanes && bytes * static_cast<double>(threads()) <= whole * kShareOfThread ? beside : here).push_back(k);
  }
  std::unique_ptr<cvl::Tasks> tasks;  // the last of all, which they refer to
  if (!beside.empty()) tasks = evaluator_.heap().device().make_tasks();
  for (const std::int64_t k : beside) tasks->start([&run_on_lane, k] { run_on_lane(k); });
  for (const std::int64_t k : here) {
    if (first_failure < k) break;
    PieceOutcome& piece = pieces[static_cast<std::size_t>(k)];
    run_here(cut, function, piece);
    note_failure(piece, k);
  }
  if (tasks != nullptr) tasks->wait();
}

bool Machine::is_large(const CutCall& cut, std::uint32_t function, const PieceOutcome& piece) const {
  if (piece_sizes_[function].bytes == 0 && piece.end - piece.begin > 1) return true;
  return bytes_of(cut, piece) > size_of_pieces(function);
}

void Machine::run_here(const CutCall& cut, std::uint32_t function, PieceOutcome& piece) {
  const PieceOf place{this, cut.instances_before(piece.begin), is_large(cut, function, piece), piece_.number,
                      piece_.first_failure};
  run_piece(cut, function, linked_, evaluator_, options_, place, piece);
}

void Machine::run_piece(const CutCall& cut, std::uint32_t function, const LinkedProgram& linked,
                        runtime::Evaluator& evaluator, const RunOptions& options, const PieceOf& place,
                        PieceOutcome& piece) const {
  piece.evaluator = &evaluator;
  try {
    const std::size_t before = evaluator.heap().live();
    std::vector<Value> operands = cut.piece(piece.begin, piece.end, evaluator);
    piece.out_of_memory = operands.empty();
    if (piece.out_of_memory) give_up(evaluator.memory_failure("CALL"));
    piece.failed = std::make_shared<Machine>(*this, linked, evaluator, options, function, std::move(operands), place);
    const bool ended = piece.failed->run();
    VC_CHECK(ended);  // what exits has no pieces
    piece.results = piece.failed->take_stack();
    piece.cost = {bytes_of(cut, piece), static_cast<double>(piece.failed->peak_ - before), piece.failed->work_};
    piece.learnt = std::move(piece.failed->piece_sizes_);
    piece.failed.reset();
  } catch (const RunError& error) {
    piece.out_of_memory = piece.out_of_memory || error.fault().kind == cvl::FaultKind::kOutOfMemory;
    piece.error = std::current_exception();
  } catch (const std::bad_alloc&) {
    piece.out_of_memory = true;
    piece.error = std::current_exception();
  } catch (...) {
    piece.error = std::current_exception();
  }
  // It is run again, by halves, which need its memory.
  if (piece.out_of_memory && piece.end - piece.begin > 1) piece.failed.reset();
}

/// Runs pieces that did not fit into memory again, one after the other, by halves and halves of these, until a piece of
/// one element does not fit.
void Machine::split_what_did_not_fit(const CutCall& cut, std::uint32_t function, std::vector<PieceOutcome>& pieces) {
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const PieceOutcome failed{.begin = pieces[k].begin, .end = pieces[k].end};
    if (pieces[k].error != nullptr && !pieces[k].out_of_memory) return;
    if (pieces[k].error == nullptr || failed.end - failed.begin == 1) continue;
    const std::int64_t middle = failed.begin + (failed.end - failed.begin) / 2;
    pieces[k] = {.begin = failed.begin, .end = middle};
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(k) + 1, {.begin = middle, .end = failed.end});
    for (const std::size_t half : {k, k + 1}) run_here(cut, function, pieces[half]);
    --k;
  }
}

/// What is not known yet, from the first piece that knows.
void Machine::learn(const std::vector<PieceOutcome>& pieces) {
  for (const PieceOutcome& piece : pieces)
    for (std::size_t f = 0; f < piece_sizes_.size(); ++f)
      if (f < piece.learnt.size() && piece_sizes_[f].bytes == 0) piece_sizes_[f] = piece.learnt[f];
}

}  // namespace interp
