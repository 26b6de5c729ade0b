// Calls in pieces: choice of the piece size by samples, parallel runs, retries after exhausted memory.

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "io/run_error.h"
#include "machine/machine.h"

namespace interp {

using runtime::DividedCall;
using runtime::Value;

namespace {

/// Working memory of a piece as a multiple of its operands: the estimate without samples, and the least estimate.
constexpr double kUsualGrowth = 8, kLeastGrowth = 2;
/// Largest part of a piece's work that may be independent of its size.
constexpr double kMostFixed = 0.1;
/// A piece takes at most 1 / kPiecesInMemory of the memory.
constexpr std::size_t kPiecesInMemory = 16;
/// Fewest elements of a call that is sampled.
constexpr std::int64_t kFewElements = 16;
/// Growth of samples: the first sample has one element, each further sample kNextSample times as many as its
/// predecessor; kNextOfLarge times if the first sample takes more memory than a piece.
constexpr std::int64_t kNextSample = 8, kNextOfLarge = 2;
/// Largest operands of a sample, as parts of the call's operands and of a piece's memory. Sampling also ends when the
/// next sample is estimated to take more memory than a piece.
constexpr double kPartOfCall = 1.0 / 4, kPartOfMemory = 1.0 / 128;
/// If samples show that the call should run as a whole, their results are discarded if at most 1 / kForgotten of the
/// elements was sampled.
constexpr std::int64_t kForgotten = 16;
/// A later call is sampled again if the known sample took less than kSmallSample of a piece's memory, and the operands
/// of the call are more than kMuchMore times as large as those of the sample.
constexpr double kMuchMore = 16, kSmallSample = 1.0 / 1024;
/// Pieces pay off only if they take kMoreThanResults times the memory of their results. Samples with less than
/// kManyResults bytes of results do not decide this.
constexpr double kMoreThanResults = 1.5, kManyResults = 4096;
/// A call of a recursive function with elements larger than pieces runs as a whole if its operands amount to at most
/// kFewPieces pieces: the calls inside have more and smaller elements, which make better pieces. kFewPieces pieces must
/// take at most kPartOfAllMemory of the memory.
constexpr double kFewPieces = 16, kPartOfAllMemory = 1.0 / 4;
/// Limit of pieces in pieces, since these share the machine stack of one thread.
constexpr int kDeepestNesting = 64;
/// A piece with more than kShareOfThread times the average work of a thread runs on all threads.
constexpr double kShareOfThread = 1.25;
/// A call is divided for threads only if it has at least kWorkForThreads of work, some 0.2 ms, and its instructions on
/// average less than kDividedWork, of which a backend makes one block. Estimates.
constexpr double kWorkForThreads = 4 << 20, kDividedWork = 256 << 10;
/// Most pieces for each thread of a call that is divided for threads, and the fixed work of those beyond one a thread
/// as a part of the other work.
constexpr double kMostForThread = 4, kFixedForThreads = 0.1;
/// A call is at least halved if its fixed work is at most so many times as much as the other work, of which each of two
/// threads then does half.
constexpr double kFixedForHalves = 4;

double bytes_of(const DividedCall& cut, const PieceOutcome& piece) {
  return static_cast<double>(cut.bytes_before(piece.end) - cut.bytes_before(piece.begin));
}

double bytes_of(const std::vector<Value>& results) {
  std::int64_t bytes = 0;
  for (const Value& value : results) bytes += DividedCall::bytes(value);
  return static_cast<double>(bytes);
}

/// Pieces of `bytes` bytes of operands, or of one element, from element `begin` on.
std::vector<PieceOutcome> pieces_of(const DividedCall& cut, std::int64_t begin, std::int64_t bytes) {
  std::vector<PieceOutcome> pieces;
  while (begin < cut.elements()) {
    const std::int64_t end = cut.end_of_piece(begin, bytes);
    pieces.push_back({.begin = std::exchange(begin, end), .end = end});
  }
  return pieces;
}

/// Whether a piece has ended by an error that is one of the program.
bool has_fault(const PieceOutcome& piece) {
  if (piece.error == nullptr) return false;
  try {
    std::rethrow_exception(piece.error);
  } catch (const RunError& error) {
    return error.blame() == RunError::Blame::kProgram;
  } catch (...) {
    return false;
  }
}

/// Estimates the memory of a piece with `bytes` bytes of operands from two samples; 0 if there is only one.
double peak_of(const PieceCost& small, const PieceCost& large, double bytes) {
  if (small.bytes == 0 || large.bytes <= small.bytes) return 0;
  return large.peak + (large.peak - small.peak) / (large.bytes - small.bytes) * (bytes - large.bytes);
}

}  // namespace

PieceSize piece_size(const PieceCost& small, const PieceCost& large, double memory) {
  const double more = large.bytes - small.bytes;
  const double written = large.work - large.steps, written_by_small = small.work - small.steps;
  const double work = more > 0 ? (written - written_by_small) / more : written / large.bytes;
  const double fixed = std::max(written_by_small - work * small.bytes, 0.0) + large.steps;
  PieceSize size{0, large, fixed, std::max(work, 0.0)};
  const double growth = more > 0 ? (large.peak - small.peak) / more : large.peak / large.bytes;
  size.bytes = memory / std::max(growth, kLeastGrowth);
  if (work > 0) size.bytes = std::max(size.bytes, fixed / kMostFixed / work);
  if (large.results >= kManyResults && large.peak < large.results * kMoreThanResults)
    size.bytes = std::numeric_limits<double>::infinity();
  return size;
}

std::int64_t pieces_for_threads(const PieceSize& size, double bytes, int threads) {
  const double divided = size.rate * bytes, instructions = size.sample.steps / kWorkOfInstruction;
  if (divided + size.fixed < kWorkForThreads || divided >= instructions * kDividedWork) return 1;
  const double halves = divided * kFixedForHalves >= size.fixed ? 2 : 1;
  const double one_a_thread = std::min<double>(threads, std::max(halves, divided / size.fixed)),
               more = std::min(kMostForThread * threads, divided * kFixedForThreads / size.fixed);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::max(one_a_thread, more)));
}

Machine::Machine(const Machine& caller, const PieceEngine& engine, std::uint32_t function, std::vector<Value> operands,
                 const PieceOf& piece)
    : program_(caller.program_),
      linked_(engine.linked),
      evaluator_(engine.evaluator),
      system_(caller.system_),
      options_(engine.options),
      memory_limit_(caller.memory_limit_),
      stack_limit_(engine.stack_limit),
      piece_memory_(caller.piece_memory_),
      piece_(piece),
      nesting_(caller.nesting_ + 1),
      workers_(engine.workers),
      device_workers_(&evaluator_ == &caller.evaluator_ ? caller.device_workers_ : nullptr),
      rank_pieces_(&evaluator_ == &caller.evaluator_ ? caller.rank_pieces_ : nullptr),
      piece_sizes_(caller.piece_sizes_),
      result_shapes_(caller.result_shapes_),
      peak_(evaluator_.heap().live()),
      initial_(std::move(operands)) {
  polled_calls_ = caller.polled_calls_;
  pc_ = linked_.code.data() + linked_.function_starts[function];
}

double Machine::piece_memory(const RunOptions& options, std::size_t memory_limit) {
  const std::size_t bytes = options.piece_bytes.value_or(RunOptions::kPieceBytes);
  return static_cast<double>(std::min(bytes, memory_limit / kPiecesInMemory));
}

bool Machine::is_worth_dividing(std::uint32_t function, const Value* operands) const {
  if (options_.piece_bytes == 0 || !piece_.is_large || nesting_ >= kDeepestNesting || options_.trace.any())
    return false;
  const DividedCall::Size size = DividedCall::size(program_.functions[function].piece_operands, operands);
  if (divides_too_large_calls()) return size.elements > 1;
  const bool suits_ranks = is_cut_by_ranks(function) && size.elements > 1 && !std::isinf(size_of_pieces(function)) &&
                           rank_pieces_->is_divided(function, operands);
  return suits_ranks || is_worth_dividing_alone(function, size);
}

bool Machine::is_worth_dividing_alone(std::uint32_t function, const DividedCall::Size& call) const {
  const auto bytes = static_cast<double>(call.bytes);
  return call.elements > 1 && !has_better_pieces(function, call) &&
         (is_to_be_sampled(function, call.elements, bytes) || bytes > size_of_pieces(function) ||
          pieces_for_threads(function, call) > 1);
}

/// The number of pieces in which a call runs only to keep the threads busy.
std::int64_t Machine::pieces_for_threads(std::uint32_t function, const DividedCall::Size& call) const {
  const auto bytes = static_cast<double>(call.bytes);
  if (options_.piece_bytes || options_.call_limit != 0 || workers_ == nullptr || piece_.first_failure != nullptr ||
      rank_pieces_ != nullptr || has_devices() || divides_too_large_calls() || bytes > size_of_pieces(function))
    return 1;
  const std::int64_t pieces =
      interp::pieces_for_threads(piece_sizes_[function], bytes, evaluator_.heap().device().threads());
  return pieces > 1 && workers_->available() ? std::min(pieces, call.elements) : 1;
}

bool Machine::divides_too_large_calls() const {
  return !options_.piece_bytes && !evaluator_.heap().device().unified_memory() && rank_pieces_ == nullptr;
}

bool Machine::has_better_pieces(std::uint32_t function, const DividedCall::Size& call) const {
  const double piece = size_of_pieces(function);
  return linked_.is_recursive[function] &&
         static_cast<double>(call.bytes) > piece * static_cast<double>(call.elements) &&
         static_cast<double>(call.bytes) <= piece * kFewPieces &&
         piece_memory_ * kFewPieces <= static_cast<double>(memory_limit_) * kPartOfAllMemory;
}

double Machine::size_of_pieces(std::uint32_t function) const {
  const double known = piece_sizes_[function].bytes;
  if (known != 0) return known;
  return divides_too_large_calls() ? std::numeric_limits<double>::infinity() : piece_memory_ / kUsualGrowth;
}

bool Machine::is_to_be_sampled(std::uint32_t function, std::int64_t elements, double bytes) const {
  const PieceSize& size = piece_sizes_[function];
  if (elements < kFewElements || divides_too_large_calls()) return false;
  return size.bytes == 0 || (size.sample.bytes < piece_memory_ * kSmallSample &&
                             bytes > size.sample.bytes * kMuchMore && bytes > size.bytes / kMuchMore);
}

bool Machine::call_in_pieces(const Code& code) {
  const std::uint32_t function = code.b;
  const std::size_t count = program_.functions[function].piece_operands.size();
  need(static_cast<std::int64_t>(count));
  Value* const operands = top_ - count;
  if (!is_worth_dividing(function, operands)) return false;
  poll();
  evaluator_.set_site(static_cast<std::uint32_t>(&code - linked_.code.data()));
  const DividedCall cut(evaluator_, program_.functions[function].piece_operands, operands);
  if (!cut.fits()) return false;
  CallInPieces call{function, operands, cut, runtime::JoinedResults(evaluator_, cut)};
  if (rank_pieces_ != nullptr) {
    if (!rank_pieces_->can_take(call)) return false;
    const auto bytes = cut.bytes_before(cut.elements());
    call.is_divided_alone = is_worth_dividing_alone(function, {cut.elements(), bytes});
  }
  const std::size_t before = evaluator_.heap().live();
  const auto begin = std::chrono::steady_clock::now();
  std::vector<PieceOutcome> pieces = run_pieces(call);
  observed_.pieces = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  observed_.made_in_pieces = !pieces.empty();
  if (pieces.empty()) {
    shares_.clear();
    return false;
  }
  std::size_t peak = 0;
  for (PieceOutcome& piece : pieces) {
    if (piece.error != nullptr) {
      failed_piece_ = std::move(piece.failed);
      std::rethrow_exception(piece.error);
    }
    peak = std::max(peak, static_cast<std::size_t>(piece.cost.peak));
    work_ += piece.cost.work;
    steps_ += piece.cost.steps;
  }
  // The peak counts pieces on all workers alike, so that the division into pieces does not depend on the worker.
  peak_ = std::max(peak_, before + peak);
  learn(call, pieces);
  std::vector<std::vector<Value>> results;
  std::vector<runtime::Evaluator*> evaluators;
  for (PieceOutcome& piece : pieces) {
    results.push_back(std::move(piece.results));
    evaluators.push_back(piece.evaluator);
  }
  if (!runtime::can_join(results))
    fail(fmt::format("the pieces of {} return values of different kinds", program_.functions[function].name));
  std::vector<Value> joined = call.results.join(results, evaluators);
  if (joined.size() != results[0].size()) give_up(evaluator_.memory_failure("CALL"));
  results.clear();
  shares_.clear();
  while (top_ != operands) (--top_)->~Value();
  make_room(joined.size());
  for (Value& value : joined) new (top_++) Value(std::move(value));
  return true;
}

/// Runs the pieces of a call. Empty if the call should run as a whole.
std::vector<PieceOutcome> Machine::run_pieces(CallInPieces& call) {
  const DividedCall& cut = call.cut;
  const std::uint32_t function = call.function;
  std::vector<PieceOutcome> pieces;
  const DividedCall::Size whole{cut.elements(), cut.bytes_before(cut.elements())};
  const auto all = static_cast<double>(whole.bytes);
  // A call whose elements are as large as pieces needs no samples.
  if (call.is_divided_alone && is_to_be_sampled(function, whole.elements, all) &&
      static_cast<double>(cut.bytes_before(1)) < size_of_pieces(function)) {
    pieces = run_samples(call);
    const PieceOutcome& last = pieces.back();
    if (last.error != nullptr && !last.out_of_memory) return pieces;
    if (std::isinf(piece_sizes_[function].bytes) && last.end <= whole.elements / kForgotten &&
        pieces_for_threads(function, whole) == 1)
      return {};
  }
  const std::int64_t begin = pieces.empty() ? 0 : pieces.back().end;
  std::vector<PieceOutcome> others;
  if (const std::int64_t wanted = pieces_for_threads(function, whole); wanted > 1) {
    // With one element more than its share no piece leaves a few elements to one more.
    const std::int64_t share = (whole.bytes - cut.bytes_before(begin)) / wanted + whole.bytes / whole.elements;
    others = pieces_of(cut, begin, share);
    call.results.make_room(result_shapes_[function]);
    run_side_by_side(call, others, own_engine());
    // Threads do not decide which fault is reported: that of the pieces of one thread is.
    if (std::ranges::none_of(others, has_fault)) {
      std::move(others.begin(), others.end(), std::back_inserter(pieces));
      split_what_did_not_fit(call, pieces, own_engine());
      return pieces;
    }
  }
  if (is_for_devices(function, cut)) {
    others = share_out(cut);
    if (others.empty()) return {};
  } else {
    const double chunk = is_cut_by_ranks(function) ? rank_pieces_->bytes_of_chunk(all) : all;
    others = pieces_of(cut, begin, static_cast<std::int64_t>(std::min(size_of_pieces(function), chunk)));
  }
  if (pieces.empty() && others.size() == 1 && !divides_too_large_calls()) return {};
  if (rank_pieces_ != nullptr) return run_on_ranks(call, std::move(pieces), others);
  call.results.make_room(result_shapes_[function]);
  if (others.size() > 1 && has_devices())
    run_on_devices(call, others);
  else
    run_side_by_side(call, others, own_engine());
  std::move(others.begin(), others.end(), std::back_inserter(pieces));
  split_what_did_not_fit(call, pieces, own_engine());
  if (!has_devices()) learn_from_largest(function, pieces);
  return pieces;
}

/// Estimates the size of pieces anew if one was so large that it tells more than the samples: a recursion on few
/// elements may have other work for each element, and more instructions, than one on many.
void Machine::learn_from_largest(std::uint32_t function, const std::vector<PieceOutcome>& pieces) {
  PieceSize& known = piece_sizes_[function];
  PieceCost largest = known.sample;
  for (const PieceOutcome& piece : pieces)
    if (piece.error == nullptr && piece.cost.bytes > largest.bytes) largest = piece.cost;
  if (known.sample.bytes > 0 && largest.bytes >= known.sample.bytes * kNextSample)
    known = piece_size(known.sample, largest, piece_memory_);
}

/// Runs samples of growing size to estimate the cost of further pieces. Stops after a sample that failed.
std::vector<PieceOutcome> Machine::run_samples(const CallInPieces& call) {
  const DividedCall& cut = call.cut;
  const double most = bytes_of_largest_sample(call);
  std::vector<PieceOutcome> samples;
  PieceCost smaller, cost;
  std::int64_t begin = 0, count = 1, times = kNextSample;
  do {
    samples.push_back({.begin = begin, .end = begin + count});
    if (rank_pieces_ != nullptr)
      run_alike(call, samples.back());
    else
      run_here(call, samples.back(), own_engine());
    if (samples.back().error != nullptr) break;
    note_results(call, samples.back());
    smaller = std::exchange(cost, samples.back().cost);
    piece_sizes_[call.function] = piece_size(smaller, cost, piece_memory_);
    if (begin == 0 && cost.peak > piece_memory_) times = kNextOfLarge;
    begin += count;
    count *= times;
  } while (begin + count <= cut.elements() && cost.bytes * static_cast<double>(times) <= most &&
           peak_of(smaller, cost, cost.bytes * static_cast<double>(times)) <= piece_memory_);
  return samples;
}

double Machine::bytes_of_largest_sample(const CallInPieces& call) const {
  const auto all = static_cast<double>(call.cut.bytes_before(call.cut.elements()));
  return std::min(all * kPartOfCall, piece_memory_ * kPartOfMemory);
}

void Machine::run_side_by_side(const CallInPieces& call, std::vector<PieceOutcome>& pieces, const PieceEngine& engine) {
  std::atomic<std::int64_t> first_failure = std::numeric_limits<std::int64_t>::max();
  const auto note_failure = [&](const PieceOutcome& piece, std::int64_t number) {
    if (piece.error == nullptr || piece.out_of_memory) return;
    std::int64_t first = first_failure;
    while (number < first && !first_failure.compare_exchange_weak(first, number)) continue;
  };
  const auto location = [&](std::int64_t number, const PieceOutcome& piece) {
    return PieceOf{this, call.first_instance + call.cut.instances_before(piece.begin), is_large(call, piece), number,
                   &first_failure};
  };
  const auto threads = static_cast<std::size_t>(engine.evaluator.heap().device().threads());
  const auto run_on_worker = [&](std::int64_t k) {
    PieceOutcome& piece = pieces[static_cast<std::size_t>(k)];
    Worker& worker = engine.workers->take();
    run_piece(call, {worker.linked, *worker.evaluator, worker.options, nullptr, engine.stack_limit / (threads + 1)},
              location(k, piece), piece);
    note_failure(piece, k);
    // The values of a failed piece stay in the worker for the error report.
    engine.workers->give_back(worker);
  };
  const bool has_workers =
      pieces.size() > 1 && engine.workers != nullptr && options_.call_limit == 0 && engine.workers->available();
  double whole = 0;
  for (const PieceOutcome& piece : pieces) whole += bytes_of(call.cut, piece);
  std::vector<std::int64_t> here, beside;
  for (std::int64_t k = 0; k < std::ssize(pieces); ++k) {
    const double bytes = bytes_of(call.cut, pieces[static_cast<std::size_t>(k)]);
    (has_workers && bytes * static_cast<double>(threads) <= whole * kShareOfThread ? beside : here).push_back(k);
  }
  std::unique_ptr<cvl::Tasks> tasks;  // declared last, as the tasks refer to the variables above
  if (!beside.empty()) tasks = engine.evaluator.heap().device().make_tasks();
  for (const std::int64_t k : beside) tasks->start([&run_on_worker, k] { run_on_worker(k); });
  for (const std::int64_t k : here) {
    if (first_failure < k) break;
    PieceOutcome& piece = pieces[static_cast<std::size_t>(k)];
    run_here(call, piece, engine);
    note_failure(piece, k);
  }
  if (tasks != nullptr) tasks->wait();
}

bool Machine::is_large(const CallInPieces& call, const PieceOutcome& piece) const {
  if (divides_too_large_calls()) return piece.end - piece.begin == 1;
  if (piece_sizes_[call.function].bytes == 0 && piece.end - piece.begin > 1) return true;
  return bytes_of(call.cut, piece) > size_of_pieces(call.function);
}

void Machine::run_here(const CallInPieces& call, PieceOutcome& piece, const PieceEngine& engine) {
  const PieceOf location{this, call.first_instance + call.cut.instances_before(piece.begin), is_large(call, piece),
                         piece_.number, piece_.first_failure};
  run_piece(call, engine, location, piece);
}

void Machine::run_piece(const CallInPieces& call, const PieceEngine& engine, const PieceOf& location,
                        PieceOutcome& piece) const {
  runtime::Evaluator& evaluator = engine.evaluator;
  piece.evaluator = &evaluator;
  try {
    const std::size_t before = evaluator.heap().live();
    std::vector<Value> operands = call.cut.piece(piece.begin, piece.end, evaluator);
    piece.out_of_memory = operands.empty();
    if (piece.out_of_memory) give_up(evaluator.memory_failure("CALL"));
    piece.failed = std::make_shared<Machine>(*this, engine, call.function, std::move(operands), location);
    const bool ended = piece.failed->run();
    VC_CHECK(ended);  // functions with EXIT have no pieces
    piece.results = piece.failed->take_stack();
    piece.cost = {bytes_of(call.cut, piece), static_cast<double>(piece.failed->peak_ - before), piece.failed->work_,
                  bytes_of(piece.results), piece.failed->steps_};
    piece.learnt = std::move(piece.failed->piece_sizes_);
    piece.failed.reset();
    if (!evaluator_.heap().device().unified_memory() && &evaluator != &evaluator_ &&
        !runtime::JoinedResults::copy_to_host(piece.results, evaluator)) {
      piece.out_of_memory = true;
      give_up(evaluator.memory_failure("CALL"));
    }
    call.results.put(piece.begin, piece.end, piece.results, evaluator);
  } catch (const RunError& error) {
    piece.out_of_memory = piece.out_of_memory || error.fault().kind == cvl::FaultKind::kOutOfMemory;
    piece.error = std::current_exception();
  } catch (const std::bad_alloc&) {
    piece.out_of_memory = true;
    piece.error = std::current_exception();
  } catch (...) {
    piece.error = std::current_exception();
  }
  // The machine is released: the piece runs again in halves, which need its memory.
  if (piece.out_of_memory && piece.end - piece.begin > 1) piece.failed.reset();
}

/// Runs pieces that did not fit into memory again, one after the other, in halves and halves of halves, until a piece
/// of one element does not fit.
void Machine::split_what_did_not_fit(const CallInPieces& call, std::vector<PieceOutcome>& pieces,
                                     const PieceEngine& engine) {
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const PieceOutcome failed{.begin = pieces[k].begin, .end = pieces[k].end};
    if (pieces[k].error != nullptr && !pieces[k].out_of_memory) return;
    if (pieces[k].error == nullptr || failed.end - failed.begin == 1) continue;
    const std::int64_t middle = failed.begin + (failed.end - failed.begin) / 2;
    pieces[k] = {.begin = failed.begin, .end = middle};
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(k) + 1, {.begin = middle, .end = failed.end});
    for (const std::size_t half : {k, k + 1}) run_here(call, pieces[half], engine);
    // Later calls are divided before the first attempt.
    if (divides_too_large_calls()) piece_sizes_[call.function].bytes = bytes_of(call.cut, pieces[k]);
    --k;
  }
}

/// Updates piece sizes and result shapes from the pieces of a call: an unknown size is taken from the first piece that
/// has it; shapes keep the properties that the results of all pieces share.
void Machine::learn(const CallInPieces& call, const std::vector<PieceOutcome>& pieces) {
  for (const PieceOutcome& piece : pieces) {
    note_results(call, piece);
    for (std::size_t f = 0; f < piece_sizes_.size(); ++f)
      if (f < piece.learnt.size() && piece_sizes_[f].bytes == 0) piece_sizes_[f] = piece.learnt[f];
  }
}

void Machine::note_results(const CallInPieces& call, const PieceOutcome& piece) {
  runtime::note_results(result_shapes_[call.function], call.cut, piece.begin, piece.end, piece.results,
                        evaluator_.widths());
}

}  // namespace interp
