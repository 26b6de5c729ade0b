#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "machine/link.h"
#include "machine/system_ops.h"
#include "runtime/evaluator.h"
#include "vcode-interp/run.h"

namespace interp {

/// The stack machine: runs linked code on one operand stack and one stack of calls, both growing as far as their
/// share of memory allows. A tail call needs no room if its instruction has made one before since the last ordinary
/// call: it is counted there, so that loops run in constant memory.
class Machine {
 public:
  /// The program finds the values of `initial` on its stack, the last one on top.
  Machine(const vcode::Program& program, const LinkedProgram& linked, runtime::Evaluator& evaluator, SystemOps& system,
          const RunOptions& options, std::vector<runtime::Value> initial = {});
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Runs to the end of the entry function (true) or to EXIT (false). Throws RunError; where() and the
  /// stack then show the state at the failing instruction.
  bool run();

  const runtime::Value* stack_begin() const { return bottom_; }
  const runtime::Value* stack_end() const { return top_; }
  /// Moves the values out of the stack, the deepest first.
  std::vector<runtime::Value> take_stack();

  /// An ordinary call that has not returned, or all that a tail call has made since the last one of those.
  struct Call {
    const Code* return_to;  ///< what follows the CALL; after a tail call, the way to RET
    std::uint64_t times;
  };
  /// A CALL that led to the present instruction.
  struct Caller {
    LinkedProgram::Origin origin;
    std::uint64_t times;   ///< how often
    bool in_turn = false;  ///< with the tail calls beside it, not in a row
  };
  /// The instruction being run.
  LinkedProgram::Origin where() const;
  /// If it is a FUSED that failed, the step of its kernel that did.
  std::optional<std::uint32_t> failed_step() const { return failed_step_; }
  /// True if the failure was detected only after the machine had passed the instruction, on an asynchronous backend:
  /// stack and calls are then empty.
  bool found_late() const { return found_late_; }
  /// The CALL that led to the present instruction, `up` entries from the innermost.
  Caller caller(std::size_t up) const;
  /// How many entries there are.
  std::size_t call_depth() const { return static_cast<std::size_t>(calls_ - calls_begin_); }

 private:
  template <vcode::ElemType kIntType, vcode::ElemType kFloatType, bool kObserved>
  bool loop();

  [[noreturn]] void fail(const std::string& message) const;
  /// As fail(), with Blame::kSurroundings.
  [[noreturn]] void give_up(const std::string& message) const;
  /// Fails with the evaluator's message.
  [[noreturn]] void fail_operation();
  /// Makes an earlier instruction the present one.
  void forget_all_but(std::uint32_t instruction);
  [[noreturn]] void underflow(std::int64_t needed) const;
  void need(std::int64_t values) const {
    if (top_ - bottom_ < values) [[unlikely]]
      underflow(values);
  }
  void need_block(std::uint32_t count, std::uint32_t depth) const { need(static_cast<std::int64_t>(count) + depth); }
  static std::size_t stack_limit(const RunOptions& options, std::size_t memory_limit);
  static constexpr std::size_t kFirstStack = 1024;  ///< values, and calls
  void make_room(std::size_t values);
  void grow_calls();
  /// The entry that counts this tail call, if it has been made since the last ordinary call.
  Call* tail_call_before(const Code* return_to) const;
  void note_tail_call(const Code* return_to);
  /// How many of `wanted` things to make room for, where `needed` must be: fewer if the stacks' share of memory ends.
  std::size_t allowed(std::size_t needed, std::size_t wanted, std::size_t size, std::size_t others) const;
  void poll();
  void poll_calls();

  void vector_op(const Code& code);
  void system_op(const Code& code);
  void fused(const Code& code);
  void copy_block(std::uint32_t count, std::uint32_t depth);
  void pop_block(std::uint32_t count, std::uint32_t depth);
  void cpop_block(std::uint32_t count, std::uint32_t depth);
  void make_pair();
  void split_pair();
  bool truth_of(const runtime::Value& value);

  void observe_begin(const Code& code);
  void note_kernels();
  void observe_end();
  void measure_operands(const Code& code);
  void trace(const Code& code);
  const std::string& instruction_label(const Code& code);

  const vcode::Program& program_;
  const LinkedProgram& linked_;
  runtime::Evaluator& evaluator_;
  SystemOps& system_;
  const RunOptions& options_;
  const std::size_t memory_limit_, stack_limit_;
  std::vector<runtime::Value> initial_;

  runtime::Value* bottom_ = nullptr;
  runtime::Value* top_ = nullptr;
  runtime::Value* end_ = nullptr;
  Call* calls_begin_ = nullptr;
  Call* calls_ = nullptr;
  Call* calls_end_ = nullptr;
  const Code* pc_ = nullptr;  ///< the instruction being run
  std::optional<std::uint32_t> failed_step_;
  bool found_late_ = false;

  // Calls until interrupts and limits are looked at again.
  static constexpr std::uint32_t kPollInterval = 256;
  std::uint32_t until_poll_ = kPollInterval;
  std::uint64_t polled_calls_ = 0;

  struct Observation {
    const Code* code = nullptr;
    double begin = 0;
    std::uint64_t elements = 0, bytes = 0;
    std::uint64_t looked_into = 0;  ///< bytes per result read from operands that are not gone through
  };
  Observation observed_;
  std::chrono::steady_clock::time_point start_;
  std::vector<std::string> labels_;      ///< of opcodes, made on demand
  std::vector<double> function_begins_;  ///< of the open calls
};

/// Elements of the longest, and bytes of all, of the values in a range.
void measure_values(const runtime::Value* begin, const runtime::Value* end, std::uint64_t& elements,
                    std::uint64_t& bytes);

/// "Int[3]", "Segdes[2 of 5]", "Pair": what error messages and traces show of a value.
std::string describe_value(const runtime::Value& value);

}  // namespace interp
