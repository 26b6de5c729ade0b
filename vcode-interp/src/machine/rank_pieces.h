#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cvl/rank_job.h"
#include "machine/piece.h"
#include "machine/workers.h"

namespace interp {

/// Consecutive elements of a call's index space with their operands, as a call on the own backend of a rank.
struct RankShare {
  std::int64_t begin = 0, end = 0;
  bool is_same_on_all = false;                      ///< all ranks have these elements
  std::int64_t first_instance = 0;                  ///< see PieceOf
  std::vector<std::shared_ptr<const void>> memory;  ///< of operands
  std::vector<runtime::Value> operands;             ///< values of the own backend's evaluator
  std::optional<runtime::DividedCall> cut;          ///< its elements are numbered from `begin`
};

/// The report of a rank to the others about the pieces that it has run.
struct ShareOutcome {
  struct Result {
    std::int64_t type = kSegdes;  ///< of a vector's elements; kSegdes for a descriptor
    std::int64_t entries = 0;     ///< elements, or segments of a descriptor
    std::int64_t elements = 0;    ///< of a descriptor
    std::int64_t like = 0;        ///< ResultShape::like, a bit for each space
  };
  struct Learnt {
    std::int64_t function = 0;
    PieceSize size;
  };
  struct Work {
    std::int64_t end = 0;  ///< of a piece
    double work = 0;       ///< see PieceCost
  };
  static constexpr std::int64_t kSegdes = -1;

  std::int64_t failed_begin = -1, failed_end = -1;  ///< the first piece at fault; -1: there is none
  bool can_join = true;                             ///< whether all pieces return the same kinds of values
  std::vector<Result> results;                      ///< empty without pieces, or after a fault
  std::vector<Learnt> learnt;                       ///< sizes of pieces that were unknown, by the first piece with them
  std::vector<Work> work;                           ///< of each piece

  std::vector<std::int64_t> as_numbers() const;
  static ShareOutcome of(const std::vector<std::int64_t>& numbers);
};

/// Pieces of calls on the ranks of a job: which rank runs which pieces, and what it needs for them.
///
/// A call of a function that sums FLOATs up is cut as one process cuts it, and ranks choose only where pieces run:
/// results have the same bits for any number of ranks. Other calls are cut as it suits the ranks. Each rank gets
/// consecutive pieces with about the same work.
class RankPieces {
 public:
  /// `all`: the evaluator that computes with all ranks.
  RankPieces(const vcode::Program& program, runtime::Evaluator& all, const RunOptions& options);

  cvl::RankJob& job() const { return *job_; }
  std::size_t ranks() const { return static_cast<std::size_t>(job_->ranks()); }
  std::size_t rank() const { return static_cast<std::size_t>(job_->rank()); }
  /// The own backend of this rank, with the program linked for it; made on the first call. Throws RunError if memory is
  /// exhausted.
  PieceEngine engine(std::size_t stack_limit);
  /// Whether the results of a function do not depend on the cut (free_cuts.h).
  bool cuts_anywhere(std::uint32_t function) const { return cuts_anywhere_[function]; }
  /// Whether one of the operands that pieces take parts of is divided among the ranks.
  bool is_divided(std::uint32_t function, const runtime::Value* operands) const;
  /// Bytes of a piece so that each rank has several of them.
  double bytes_of_chunk(double bytes_of_call) const;
  /// Whether each rank has memory for the operands that all pieces share. The same on all ranks.
  bool can_take(const CallInPieces& call) const;
  /// The pieces that run on all ranks, one after the other, since one rank would have more than its share by them; the
  /// other ones run on one rank each.
  std::vector<bool> on_all_ranks(const runtime::DividedCall& cut, std::span<const PieceOutcome> pieces) const;
  /// Most bytes of operands of the pieces that run at a time, by the memory that ranks have left.
  double most_bytes() const;
  /// For each rank the number of its first piece, and the number of pieces. `pieces` follow one another.
  std::vector<std::size_t> deal(const CallInPieces& call, std::span<const PieceOutcome> pieces) const;
  /// Whether no rank would have much more than its share by deal(), in bytes of operands.
  bool is_balanced(const CallInPieces& call, std::span<const PieceOutcome> pieces) const;
  /// Brings the operands of elements[r] to each rank r. Throws RunError if memory is exhausted. Collective.
  std::unique_ptr<RankShare> fetch(const CallInPieces& call, const cvl::RankRanges& elements);
  /// Remembers the work of pieces from `begin` on, by which the next call with as many elements is dealt.
  void note_work(const CallInPieces& call, std::int64_t begin, const std::vector<ShareOutcome>& outcomes);
  /// Adds the profiles of the workers to the profile of the run.
  void collect_profiles();

 private:
  /// Work of a call by elements: that before the end of each piece, from `begin` on.
  struct KnownWork {
    std::int64_t elements = 0, begin = 0;
    std::vector<std::int64_t> ends;
    std::vector<double> before_ends;

    double before(std::int64_t element) const;
  };

  void require(const runtime::Value& value) const;
  runtime::Value elements(const runtime::Value& vector, const cvl::RankRanges& wants, RankShare& share);
  runtime::Value segments(const runtime::Value& descriptor, const cvl::RankRanges& wants, std::int64_t count,
                          RankShare& share);
  runtime::Value shared(const runtime::Value& value);

  const vcode::Program& program_;
  runtime::Evaluator& all_;
  RunOptions options_;  ///< of machines on the own backend
  cvl::RankJob* const job_;
  const std::vector<bool> cuts_anywhere_;  ///< by function
  std::unique_ptr<runtime::Evaluator> evaluator_;
  std::optional<LinkedProgram> linked_;
  std::unique_ptr<Workers> workers_;
  std::map<std::uint32_t, KnownWork> known_work_;  ///< by function
};

}  // namespace interp
