// Calls in pieces on the ranks of a job: each rank runs some of the pieces on its own backend, without messages.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "io/run_error.h"
#include "machine/machine.h"
#include "vcode-interp/rank_vectors.h"

namespace interp {

using runtime::Value;

namespace {

/// Bytes of all samples of a call as a multiple of those that the largest one may have.
constexpr double kSamples = 1.25;

/// Whether every rank finds the same error in the same piece.
bool is_of_program(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const RunError& run_error) {
    return run_error.blame() == RunError::Blame::kProgram;
  } catch (...) {
    return false;
  }
}

void shift(PieceOutcome& piece, std::int64_t by) {
  piece.begin += by;
  piece.end += by;
}

ShareOutcome::Result describe(const Value& value) {
  if (value.is_segdes()) return {ShareOutcome::kSegdes, value.segments(), value.elements()};
  return {static_cast<std::int64_t>(value.type()), value.length()};
}

std::int64_t bits_of(const std::vector<std::uint32_t>& like, const std::vector<std::uint32_t>& spaces) {
  std::int64_t bits = 0;
  for (std::size_t k = 0; k < spaces.size(); ++k)
    if (k < 63 && std::ranges::find(like, spaces[k]) != like.end()) bits |= std::int64_t{1} << k;
  return bits;
}

bool has_results(const ShareOutcome& outcome) { return !outcome.results.empty(); }

/// Whether the pieces of all ranks return the same kinds of values.
bool can_join_shares(const std::vector<ShareOutcome>& outcomes) {
  const auto any = std::ranges::find_if(outcomes, has_results);
  return std::ranges::all_of(outcomes, [&](const ShareOutcome& outcome) {
    const bool had_pieces = !outcome.work.empty() || has_results(outcome);
    return outcome.can_join && (!had_pieces || any == outcomes.end() ||
                                std::ranges::equal(outcome.results, any->results, {}, &ShareOutcome::Result::type,
                                                   &ShareOutcome::Result::type));
  });
}

/// Keeps the spaces that the results of all ranks are like.
void merge_shapes(runtime::ResultShapes& shapes, const std::vector<ShareOutcome>& outcomes,
                  const std::vector<std::uint32_t>& spaces, vcode::Widths widths) {
  for (const ShareOutcome& outcome : outcomes) {
    for (std::size_t k = 0; k < outcome.results.size(); ++k) {
      const ShareOutcome::Result& result = outcome.results[k];
      const bool is_segdes = result.type == ShareOutcome::kSegdes;
      if (k == shapes.size())
        shapes.push_back({is_segdes, is_segdes ? widths.int_type : static_cast<vcode::ElemType>(result.type), spaces});
      std::erase_if(shapes[k].like, [&](std::uint32_t space) {
        const auto number = std::ranges::find(spaces, space) - spaces.begin();
        return number >= 63 || (result.like >> number & 1) == 0;
      });
    }
  }
}

}  // namespace

PieceEngine Machine::engine_of_rank() { return rank_pieces_->engine(stack_limit_); }

/// Runs a piece on every rank, each by itself, so that all ranks have its outcome: a sample, or a piece at fault.
void Machine::run_alike(const CallInPieces& call, PieceOutcome& piece) {
  const PieceEngine engine = engine_of_rank();
  const auto has_it = [&](const auto& share) {
    return share->is_same_on_all && share->begin <= piece.begin && piece.end <= share->end;
  };
  if (shares_.empty() || !has_it(shares_.back())) {
    // All samples are fetched at once; they have the more elements the later they are.
    const double bytes = bytes_of_largest_sample(call) * kSamples;
    const std::int64_t end = std::max(piece.end, call.cut.end_of_piece(piece.begin, static_cast<std::int64_t>(bytes)));
    shares_.push_back(rank_pieces_->fetch(call, cvl::RankRanges(rank_pieces_->ranks(), {piece.begin, end})));
  }
  const RankShare& share = *shares_.back();
  const CallInPieces local{call.function, share.operands.data(), *share.cut,
                           runtime::JoinedResults(engine.evaluator, *share.cut), share.first_instance};
  shift(piece, -share.begin);
  rank_pieces_->job().compute_alone([&] { run_here(local, piece, engine); });
  shift(piece, share.begin);
  if (piece.error == nullptr || is_of_program(piece.error)) return;
  // Other ranks may have ended the piece.
  failed_piece_ = std::move(piece.failed);
  std::rethrow_exception(piece.error);
}

/// Runs the pieces of a call, each on one rank, but large ones on all ranks. The outcome has the results of all ranks;
/// several pieces may be one of the outcomes. Stops after a fault. Empty if all ranks should run the call as a whole:
/// the calls inside have more and smaller elements, which can be shared out.
std::vector<PieceOutcome> Machine::run_on_ranks(const CallInPieces& call, std::vector<PieceOutcome> samples,
                                                const std::vector<PieceOutcome>& pieces) {
  const std::vector<bool> on_all = rank_pieces_->on_all_ranks(call.cut, pieces);
  if (is_cut_by_ranks(call.function) && !rank_pieces_->is_balanced(call, pieces)) return {};
  std::vector<PieceOutcome> outcomes;
  for (std::size_t k = 0; k < pieces.size() || !samples.empty();) {
    std::size_t end = k;
    const std::int64_t first = k < pieces.size() ? pieces[k].begin : call.cut.elements();
    const double most = static_cast<double>(call.cut.bytes_before(first)) + rank_pieces_->most_bytes();
    while (end < pieces.size() && !on_all[end] &&
           (end == k || static_cast<double>(call.cut.bytes_before(pieces[end].end)) <= most))
      ++end;
    if (end > k || !samples.empty()) {
      bool has_fault = false;
      outcomes.push_back(run_shares(call, std::exchange(samples, {}), {pieces.data() + k, end - k}, has_fault));
      if (has_fault) return find_fault(call, pieces.front().begin, outcomes.back());
      k = end;
    } else {
      outcomes.push_back({.begin = pieces[k].begin, .end = pieces[k].end});
      run_here(call, outcomes.back(), own_engine());
      if (outcomes.back().error != nullptr && !outcomes.back().out_of_memory) return outcomes;
      ++k;
    }
  }
  split_what_did_not_fit(call, outcomes, own_engine());
  return outcomes;
}

/// Runs the first piece that one process would find at fault, on every rank, so that all report it alike. `failed`: the
/// first piece at fault here; `begin`: the first element behind the samples. Empty if one process would run the call as
/// a whole.
std::vector<PieceOutcome> Machine::find_fault(const CallInPieces& call, std::int64_t begin,
                                              const PieceOutcome& failed) {
  std::vector<PieceOutcome> found;
  if (!call.is_divided_alone) return found;
  const double size = is_cut_by_ranks(call.function) ? size_of_pieces(call.function) : 0;
  if (size == 0) begin = failed.begin;
  while (begin < failed.end && (found.empty() || found.back().error == nullptr)) {
    const std::int64_t end = size == 0 ? failed.end : call.cut.end_of_piece(begin, static_cast<std::int64_t>(size));
    found = {};
    if (end > failed.begin) {
      found.push_back({.begin = begin, .end = end});
      if (size != 0 && is_large(call, found.back()))
        run_here(call, found.back(), own_engine());
      else
        run_alike(call, found.back());
    }
    begin = end;
  }
  VC_CHECK(!found.empty() && found.back().error != nullptr);
  return found;
}

/// Runs consecutive pieces, each on one rank. `samples` are pieces before them that every rank has run. With
/// `has_fault`, the result is the first piece at fault, which not all ranks have run; or one process runs the call as a
/// whole, and pieces have results that cannot be joined.
PieceOutcome Machine::run_shares(const CallInPieces& call, std::vector<PieceOutcome> samples,
                                 std::span<const PieceOutcome> pieces, bool& has_fault) {
  const PieceEngine engine = engine_of_rank();
  cvl::RankJob& job = rank_pieces_->job();
  const std::size_t rank = rank_pieces_->rank(), ranks = rank_pieces_->ranks();
  PieceOutcome whole{.begin = samples.empty() ? pieces.front().begin : samples.front().begin,
                     .end = pieces.empty() ? samples.back().end : pieces.back().end};
  const std::vector<std::size_t> first = rank_pieces_->deal(call, pieces);
  const auto begin_of = [&](std::size_t piece) { return piece < pieces.size() ? pieces[piece].begin : whole.end; };
  cvl::RankRanges elements;
  for (std::size_t r = 0; r < ranks; ++r)
    elements.emplace_back(r == 0 ? whole.begin : begin_of(first[r]), begin_of(first[r + 1]));
  shares_.push_back(rank_pieces_->fetch(call, elements));
  const RankShare& share = *shares_.back();

  // The results of samples are on every rank, and count as those of rank 0.
  std::vector<PieceOutcome> mine;
  if (rank == 0) mine = std::move(samples);
  const std::size_t sampled = mine.size();
  for (std::size_t k = first[rank]; k < first[rank + 1]; ++k)
    mine.push_back({.begin = pieces[k].begin, .end = pieces[k].end});
  for (PieceOutcome& piece : mine) shift(piece, -share.begin);
  CallInPieces local{call.function, share.operands.data(), *share.cut,
                     runtime::JoinedResults(engine.evaluator, *share.cut), share.first_instance};
  std::vector<Value> results;
  const ShareOutcome outcome = run_own_share(local, std::move(mine), sampled, share.begin, results);

  std::vector<ShareOutcome> outcomes;
  for (const std::vector<std::int64_t>& numbers : job.gather_lists(outcome.as_numbers()))
    outcomes.push_back(ShareOutcome::of(numbers));
  for (const ShareOutcome& of_rank : outcomes) {
    if (of_rank.failed_begin < 0) continue;
    has_fault = true;
    return {.begin = of_rank.failed_begin, .end = of_rank.failed_end};
  }
  if (!can_join_shares(outcomes)) {
    has_fault = !call.is_divided_alone;
    if (has_fault) return whole;
    fail(fmt::format("the pieces of {} return values of different kinds", program_.functions[call.function].name));
  }
  rank_pieces_->note_work(call, pieces.empty() ? whole.end : pieces.front().begin, outcomes);
  whole.learnt = piece_sizes_;
  for (const ShareOutcome& of_rank : outcomes)
    for (const ShareOutcome::Learnt& one : of_rank.learnt)
      if (PieceSize& size = whole.learnt[static_cast<std::size_t>(one.function)]; size.bytes == 0) size = one.size;
  whole.results = join_shares(call, outcomes, results, engine.evaluator);
  whole.evaluator = &evaluator_;
  return whole;
}

/// Runs the pieces of this rank behind the first `sampled` ones, and joins the results of all. `begin` is the number of
/// the call's first element in the whole call.
ShareOutcome Machine::run_own_share(CallInPieces& call, std::vector<PieceOutcome> pieces, std::size_t sampled,
                                    std::int64_t begin, std::vector<Value>& results) {
  const PieceEngine engine = engine_of_rank();
  ShareOutcome outcome;
  std::vector<PieceOutcome> own(std::make_move_iterator(pieces.begin() + static_cast<std::ptrdiff_t>(sampled)),
                                std::make_move_iterator(pieces.end()));
  pieces.resize(sampled);
  rank_pieces_->job().compute_alone([&] {
    call.results.make_room(result_shapes_[call.function]);
    run_side_by_side(call, own, engine);
    split_what_did_not_fit(call, own, engine);
  });
  for (PieceOutcome& piece : own) {
    if (piece.error == nullptr) continue;
    if (is_of_program(piece.error)) {
      outcome.failed_begin = begin + piece.begin;
      outcome.failed_end = begin + piece.end;
      return outcome;
    }
    failed_piece_ = std::move(piece.failed);
    std::rethrow_exception(piece.error);
  }
  for (const PieceOutcome& piece : own) outcome.work.push_back({begin + piece.end, piece.cost.work});
  std::move(own.begin(), own.end(), std::back_inserter(pieces));
  if (pieces.empty()) return outcome;

  runtime::ResultShapes shapes = result_shapes_[call.function];
  PieceSizes sizes = piece_sizes_;
  std::vector<std::vector<Value>> of_pieces;
  std::vector<runtime::Evaluator*> evaluators;
  for (PieceOutcome& piece : pieces) {
    runtime::note_results(shapes, call.cut, piece.begin, piece.end, piece.results, evaluator_.widths());
    for (std::size_t f = 0; f < piece.learnt.size(); ++f) {
      if (sizes[f].bytes != 0 || piece.learnt[f].bytes == 0) continue;
      sizes[f] = piece.learnt[f];
      outcome.learnt.push_back({static_cast<std::int64_t>(f), sizes[f]});
    }
    of_pieces.push_back(std::move(piece.results));
    evaluators.push_back(piece.evaluator);
  }
  outcome.can_join = runtime::can_join(of_pieces);
  if (!outcome.can_join) return outcome;
  const std::size_t count = of_pieces[0].size();
  rank_pieces_->job().compute_alone([&] { results = call.results.join(of_pieces, evaluators); });
  if (results.size() != count) give_up(engine.evaluator.memory_failure("CALL"));
  for (std::size_t k = 0; k < count; ++k) {
    outcome.results.push_back(describe(results[k]));
    outcome.results.back().like = bits_of(shapes[k].like, call.cut.spaces());
  }
  return outcome;
}

/// The results of all ranks, one behind the other, as vectors of all ranks. `mine`: those of this rank, values of
/// `own`; none if it had no pieces.
std::vector<Value> Machine::join_shares(const CallInPieces& call, const std::vector<ShareOutcome>& outcomes,
                                        const std::vector<Value>& mine, runtime::Evaluator& own) {
  const auto any = std::ranges::find_if(outcomes, has_results);
  if (any == outcomes.end()) return {};
  merge_shapes(result_shapes_[call.function], outcomes, call.cut.spaces(), evaluator_.widths());

  std::vector<Value> joined;
  for (std::size_t k = 0; k < any->results.size(); ++k) {
    std::vector<std::int64_t> entries;
    std::int64_t all = 0, elements = 0;
    for (const ShareOutcome& outcome : outcomes) {
      entries.push_back(has_results(outcome) ? outcome.results[k].entries : 0);
      all += entries.back();
      elements += has_results(outcome) ? outcome.results[k].elements : 0;
    }
    const bool is_segdes = any->results[k].type == ShareOutcome::kSegdes;
    if (is_segdes && all == 1) {
      joined.push_back(Value::single_segment(elements));
      continue;
    }
    Value vector = mine.empty() ? Value() : is_segdes ? own.lengths_of(mine[k]) : mine[k];
    if (!mine.empty() && vector.tag() == Value::Tag::kNone) give_up(own.memory_failure("CALL"));
    const vcode::ElemType type =
        is_segdes ? evaluator_.widths().int_type : static_cast<vcode::ElemType>(any->results[k].type);
    Value whole = join_parts(rank_pieces_->job(), evaluator_, type,
                             mine.empty() ? nullptr : own.heap().host_data(vector), entries);
    if (whole.tag() == Value::Tag::kNone) give_up(evaluator_.memory_failure("CALL"));
    if (is_segdes) whole = evaluator_.heap().make_segdes(std::move(whole), elements);
    joined.push_back(std::move(whole));
  }
  return joined;
}

}  // namespace interp
