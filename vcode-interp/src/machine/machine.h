#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/endless_recursion.h"
#include "machine/link.h"
#include "machine/piece.h"
#include "machine/rank_pieces.h"
#include "machine/system_ops.h"
#include "machine/workers.h"
#include "runtime/divided_call.h"
#include "runtime/evaluator.h"
#include "vcode-interp/interrupt.h"
#include "vcode-interp/profile.h"
#include "vcode-interp/run_options.h"

namespace interp {

/// The stack machine: runs linked code on one operand stack and one stack of calls, which grow up to their share of the
/// memory. Repeated tail calls from one instruction, without an ordinary call between, share one entry with a counter,
/// so that loops run in constant memory.
class Machine {
 public:
  /// Makes a machine for a program; the operand stack holds the values of `initial`, the last one on top.
  Machine(const vcode::Program& program, const LinkedProgram& linked, runtime::Evaluator& evaluator, SystemOps& system,
          const RunOptions& options, std::vector<runtime::Value> initial = {});
  /// Makes a machine for a piece of a call: a function of the caller's program on these operands, which are values of
  /// the engine's evaluator.
  Machine(const Machine& caller, const PieceEngine& engine, std::uint32_t function,
          std::vector<runtime::Value> operands, const PieceOf& piece);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Runs to the end of the entry function (true) or to EXIT (false). Throws RunError; where() and the stack then have
  /// the state before the failed instruction.
  bool run();
  /// Calls `warn`, once, when a recursion seems to be endless, with the number of elements of its largest argument;
  /// where() is then a call of it.
  void on_endless_recursion(std::function<void(std::int64_t)> warn) { warn_ = std::move(warn); }

  const runtime::Value* stack_begin() const { return bottom_; }
  const runtime::Value* stack_end() const { return top_; }
  /// Moves the values out of the stack, the deepest first.
  std::vector<runtime::Value> take_stack();

  /// An ordinary call that has not returned, or all tail calls of one instruction since the last ordinary call.
  struct Call {
    const Code* return_to;  ///< code behind the CALL; for a tail call, it leads to RET
    std::uint64_t times;
  };
  /// A CALL that led to the current instruction.
  struct Caller {
    LinkedProgram::Origin origin;
    std::uint64_t times;   ///< number of calls
    bool in_turn = false;  ///< alternating with the adjacent tail calls, not in a row
  };
  /// The current instruction.
  LinkedProgram::Origin where() const;
  /// The step of the kernel that failed, if the current instruction is a failed FUSED.
  std::optional<std::uint32_t> failed_step() const { return failed_step_; }
  /// True if an asynchronous backend found the failure after the machine had passed the instruction; stack and calls
  /// are then empty.
  bool found_late() const { return found_late_; }
  /// The CALL that led to the current instruction, `up` entries outward from the innermost; entries beyond own_calls()
  /// are those of the machine that called the piece.
  Caller caller(std::size_t up) const;
  /// Number of entries of caller(); own_calls() of them belong to this machine.
  std::size_t call_depth() const {
    return own_calls() + (piece_.caller == nullptr ? 0 : 1 + piece_.caller->call_depth());
  }
  std::size_t own_calls() const { return static_cast<std::size_t>(calls_ - calls_begin_); }

  runtime::Evaluator& evaluator() const { return evaluator_; }
  /// The piece that this machine runs; its caller is null if this machine runs a whole program.
  const PieceOf& piece() const { return piece_; }
  /// The machine that failed: this one, or the machine of a piece.
  const Machine& innermost() const { return failed_piece_ == nullptr ? *this : failed_piece_->innermost(); }

 private:
  template <vcode::ElemType kIntType, vcode::ElemType kFloatType, bool kObserved>
  bool loop();
  bool run_loop();

  [[noreturn]] void fail(const std::string& message) const;
  /// Fails with Blame::kSurroundings.
  [[noreturn]] void give_up(const std::string& message) const;
  /// Fails with the evaluator's message.
  [[noreturn]] void fail_operation();
  /// Makes an earlier instruction the current one and clears the stacks, for a fault that was found late.
  void forget_all_but(std::uint32_t instruction);
  [[noreturn]] void underflow(std::int64_t needed) const;
  void need(std::int64_t values) const {
    if (top_ - bottom_ < values) [[unlikely]]
      underflow(values);
  }
  void need_block(std::uint32_t count, std::uint32_t depth) const { need(static_cast<std::int64_t>(count) + depth); }
  static double piece_memory(const RunOptions& options, std::size_t memory_limit);
  static std::size_t stack_limit(const RunOptions& options, std::size_t memory_limit);
  static constexpr std::size_t kFirstStack = 1024;  ///< initial capacity of each stack
  void make_room(std::size_t values);
  void grow_calls();
  /// The entry of this tail call; null if it has not been made since the last ordinary call.
  Call* tail_call_before(const Code* return_to) const;
  void note_tail_call(const Code* return_to);
  /// New capacity of a stack of entries of `size` bytes: `wanted`, or less (at least `needed`) where the memory of the
  /// stacks ends. `others` is the size of the other stack in bytes. Fails if `needed` does not fit.
  std::size_t allowed(std::size_t needed, std::size_t wanted, std::size_t size, std::size_t others) const;
  void poll() {
    const bool quiet = options_.progress == nullptr && piece_.first_failure == nullptr &&
                       options_.interrupt->load(std::memory_order_relaxed) == Interrupt::kNone;
    if (!quiet) [[unlikely]]
      poll_now();
  }
  void poll_now();
  void poll_calls();
  void watch_recursion();

  // --- machine_pieces.cpp: calls in pieces
  /// Runs a call in pieces, one after the other or in parallel. False, with the stack unchanged, if the call should run
  /// as a whole.
  bool call_in_pieces(const Code& code);
  PieceEngine own_engine() const { return {linked_, evaluator_, options_, workers_, stack_limit_}; }
  bool is_worth_dividing(std::uint32_t function, const runtime::Value* operands) const;
  /// The same of one process.
  bool is_worth_dividing_alone(std::uint32_t function, const runtime::DividedCall::Size& call) const;
  std::int64_t pieces_for_threads(std::uint32_t function, const runtime::DividedCall::Size& call) const;
  /// Whether calls run in pieces only if they do not fit into memory as a whole.
  bool divides_too_large_calls() const;
  bool has_better_pieces(std::uint32_t function, const runtime::DividedCall::Size& call) const;
  bool is_large(const CallInPieces& call, const PieceOutcome& piece) const;
  std::vector<PieceOutcome> run_pieces(CallInPieces& call);
  void learn_from_largest(std::uint32_t function, const std::vector<PieceOutcome>& pieces);
  std::vector<PieceOutcome> run_samples(const CallInPieces& call);
  double bytes_of_largest_sample(const CallInPieces& call) const;
  void run_side_by_side(const CallInPieces& call, std::vector<PieceOutcome>& pieces, const PieceEngine& engine);
  void run_here(const CallInPieces& call, PieceOutcome& piece, const PieceEngine& engine);
  void run_piece(const CallInPieces& call, const PieceEngine& engine, const PieceOf& location,
                 PieceOutcome& piece) const;
  void split_what_did_not_fit(const CallInPieces& call, std::vector<PieceOutcome>& pieces, const PieceEngine& engine);
  void learn(const CallInPieces& call, const std::vector<PieceOutcome>& pieces);
  void note_results(const CallInPieces& call, const PieceOutcome& piece);
  double size_of_pieces(std::uint32_t function) const;
  bool is_to_be_sampled(std::uint32_t function, std::int64_t elements, double bytes) const;
  bool is_piece() const { return piece_.caller != nullptr; }

  // --- machine_on_devices.cpp: pieces on several devices
  bool is_for_devices(std::uint32_t function, const runtime::DividedCall& cut) const;
  std::vector<PieceOutcome> share_out(const runtime::DividedCall& cut) const;
  void run_on_devices(const CallInPieces& call, std::vector<PieceOutcome>& pieces);
  /// Whether the other devices are free: this machine is no piece beside others.
  bool has_devices() const {
    return device_workers_ != nullptr && piece_.first_failure == nullptr && options_.call_limit == 0;
  }

  // --- machine_on_ranks.cpp: pieces on the ranks of a job
  bool is_cut_by_ranks(std::uint32_t function) const {
    return rank_pieces_ != nullptr && rank_pieces_->cuts_anywhere(function);
  }
  PieceEngine engine_of_rank();
  std::vector<PieceOutcome> run_on_ranks(const CallInPieces& call, std::vector<PieceOutcome> samples,
                                         const std::vector<PieceOutcome>& pieces);
  PieceOutcome run_shares(const CallInPieces& call, std::vector<PieceOutcome> samples,
                          std::span<const PieceOutcome> pieces, bool& has_fault);
  std::vector<PieceOutcome> find_fault(const CallInPieces& call, std::int64_t begin, const PieceOutcome& failed);
  ShareOutcome run_own_share(CallInPieces& call, std::vector<PieceOutcome> pieces, std::size_t sampled,
                             std::int64_t begin, std::vector<runtime::Value>& results);
  std::vector<runtime::Value> join_shares(const CallInPieces& call, const std::vector<ShareOutcome>& outcomes,
                                          const std::vector<runtime::Value>& mine, runtime::Evaluator& own);
  void run_alike(const CallInPieces& call, PieceOutcome& piece);
  void note_cost(std::int64_t elements, const runtime::Value* results);

  void vector_op(const Code& code);
  void system_op(const Code& code);
  void fused(const Code& code);
  void copy_block(std::uint32_t count, std::uint32_t depth);
  void pop_block(std::uint32_t count, std::uint32_t depth);
  void cpop_block(std::uint32_t count, std::uint32_t depth);
  void make_pair();
  void split_pair();
  bool truth_of(const runtime::Value& value);

  // --- machine_progress.cpp
  void report_progress();
  std::int64_t present_elements() const;

  // --- observe.cpp
  void observe_begin(const Code& code);
  void observe_end();
  void measure_operands(const Code& code);
  void measure_results(std::ptrdiff_t results);
  bool measure_extended();
  void trace(const Code& code);
  void watch(const Code& code);

  // --- machine_profile.cpp
  bool run_profiled();
  void begin_profile();
  /// Ends the spans of open calls, and adds what other threads have recorded.
  void end_profile();
  Profile::Rows& rows_of(const Code& code);
  Profile::NamedRow& row_of_function(std::size_t function);
  std::string instruction_label(const Code& code) const;
  Profile::Line* observed_line() const;
  void record_observed();
  void record_call();
  void note_kernels();

  const vcode::Program& program_;
  const LinkedProgram& linked_;
  runtime::Evaluator& evaluator_;
  SystemOps& system_;
  const RunOptions& options_;
  const std::size_t memory_limit_, stack_limit_;
  const double piece_memory_;  ///< bytes that a piece may take
  const PieceOf piece_;
  const int nesting_ = 0;                       ///< number of enclosing pieces
  const std::unique_ptr<Workers> own_workers_;  ///< null in a machine that runs a piece
  Workers* const workers_;                      ///< null in a machine that runs on a worker
  /// Null without other devices, and in a piece.
  const std::unique_ptr<DeviceWorkers> own_device_workers_;
  DeviceWorkers* const device_workers_;  ///< null in a machine that does not run on the first device
  /// Null without several ranks, and in a piece.
  const std::unique_ptr<RankPieces> own_rank_pieces_;
  RankPieces* const rank_pieces_;  ///< null if the evaluator does not compute with all ranks
  /// Parts of the operands of the call that runs in pieces: a piece that has failed refers to their elements.
  std::vector<std::unique_ptr<RankShare>> shares_;
  PieceSizes piece_sizes_;
  std::vector<runtime::ResultShapes> result_shapes_;  ///< by function; empty for functions that never ran in pieces
  // Figures of a piece.
  std::size_t peak_ = 0;  ///< maximum of Heap::live() between instructions
  double work_ = 0;       ///< see PieceCost
  double steps_ = 0;      ///< see PieceCost
  std::shared_ptr<Machine> failed_piece_;
  std::vector<runtime::Value> initial_;

  runtime::Value* bottom_ = nullptr;
  runtime::Value* top_ = nullptr;
  runtime::Value* end_ = nullptr;
  Call* calls_begin_ = nullptr;
  Call* calls_ = nullptr;
  Call* calls_end_ = nullptr;
  const Code* pc_ = nullptr;  ///< the current instruction
  std::optional<std::uint32_t> failed_step_;
  bool found_late_ = false;

  // Number of calls between two checks of interrupts and limits.
  static constexpr std::uint32_t kPollInterval = 256;
  std::uint32_t until_poll_ = kPollInterval;
  std::uint64_t polled_calls_ = 0;
  RecursionWatch recursion_{evaluator_};
  std::function<void(std::int64_t)> warn_;

  struct Observation {
    const Code* code = nullptr;
    Profile::Rows* rows = nullptr;  ///< null without a profile
    double begin = 0;
    std::uint64_t elements = 0, bytes = 0;
    std::uint64_t looked_into = 0;  ///< bytes, per result element, that are read from gathered operands
    /// An operand whose memory the result may be: a view of it, or the operand updated in place.
    struct Source {
      const std::byte* begin = nullptr;
      std::uint64_t elements = 0, bytes = 0;
      bool is_traversed = false;  ///< if the result has memory of its own
    };
    std::array<Source, vcode::Signature::kMaxRoles> sources = {};
    int source_count = 0;
    bool is_kept = false;         ///< the operands are descriptors, which keep the result
    double pieces = 0;            ///< seconds spent in the pieces of a call; the pieces record their own profile
    bool made_in_pieces = false;  ///< the call has run in pieces, so that no run as a whole follows
  };
  Observation observed_;
  /// A call that is open, or a loop of tail calls, as the profile shows it. The first is the function of the machine.
  struct OpenCall {
    double begin;
    const std::string* function;
    Profile::Line* line;  ///< of the call; null if it is unknown
  };
  std::vector<OpenCall> open_calls_;
};

/// Kind and length of a value for error messages and traces: "Int[3]", "Segdes[2 of 5]", "Pair".
std::string describe_value(const runtime::Value& value);

}  // namespace interp
