#include "machine/machine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include <fmt/format.h>

#include "base/check.h"
#include "io/progress.h"
#include "io/run_error.h"
#include "vcode-interp/interrupt.h"
#include "vcode/op_semantics.h"

namespace interp {

using runtime::Value;
using vcode::ElemType;
using vcode::Op;
using vcode::Signature;
using vcode::Suffix;

namespace {

// Largest number of values for which a loop is faster than a call of memmove.
constexpr std::uint32_t kFewValues = 6;

// Moves values by copying their bytes, as Value permits.
void move_values(Value* to, const Value* from, std::size_t count) {
  std::memmove(static_cast<void*>(to), static_cast<const void*>(from), count * sizeof(Value));
}

/// Applies an elementwise row to scalars held in place and sets `top` behind the result. Returns false, without
/// changes, if an operand is no such scalar or is at fault: the general path then applies the operation.
template <class X, Suffix suffix, ElemType kIntType, ElemType kFloatType>
inline bool scalar_step(Value*& top, const Value* bottom) {
  constexpr const vcode::OpInfo& row = vcode::row_of(X::kOp);
  if constexpr (!row.takes(suffix)) {
    return false;
  } else {
    static constexpr vcode::Widths widths{kIntType, kFloatType};
    constexpr int arity = row.signature.operand_count;
    constexpr auto type = [](int k) { return vcode::role_type(row.signature.operands[k], suffix, widths); };
    using R = vcode::Storage<vcode::role_type(row.signature.results[0], suffix, widths)>;
    if (top - bottom < arity) [[unlikely]]
      return false;
    return [&]<int... k>(std::integer_sequence<int, k...>) {
      if (!(top[k - arity].is_scalar(type(k)) && ...)) return false;
      if constexpr (X::kCanFault)
        if (X::template fault<R>(top[k - arity].template get<vcode::Storage<type(k)>>()...) != vcode::FaultKind::kNone)
            [[unlikely]]
          return false;
      const R r = X::template eval<R>(top[k - arity].template get<vcode::Storage<type(k)>>()...);
      top -= arity - 1;
      top[-1].set_scalar(r);
      return true;
    }
    (std::make_integer_sequence<int, arity>{});
  }
}

}  // namespace

Machine::Machine(const vcode::Program& program, const LinkedProgram& linked, runtime::Evaluator& evaluator,
                 SystemOps& system, const RunOptions& options, std::vector<Value> initial)
    : program_(program),
      linked_(linked),
      evaluator_(evaluator),
      system_(system),
      options_(options),
      memory_limit_(evaluator.heap().device().memory_use().limit),
      stack_limit_(stack_limit(options, memory_limit_)),
      piece_memory_(piece_memory(options, memory_limit_)),
      own_workers_(std::make_unique<Workers>(program, linked, evaluator, options)),
      workers_(own_workers_.get()),
      own_device_workers_(options.other_devices.empty()
                              ? nullptr
                              : std::make_unique<DeviceWorkers>(program, linked, evaluator, options)),
      device_workers_(own_device_workers_.get()),
      own_rank_pieces_(options.job == nullptr ? nullptr : std::make_unique<RankPieces>(program, evaluator, options)),
      rank_pieces_(own_rank_pieces_.get()),
      piece_sizes_(program.functions.size()),
      result_shapes_(program.functions.size()),
      initial_(std::move(initial)) {
  pc_ = linked_.code.data() + linked_.entry;
}

Machine::~Machine() {
  while (top_ != bottom_) (--top_)->~Value();
  std::free(static_cast<void*>(bottom_));
  std::free(static_cast<void*>(calls_begin_));
}

LinkedProgram::Origin Machine::where() const {
  return linked_.origins[static_cast<std::size_t>(pc_ - linked_.code.data())];
}

std::vector<Value> Machine::take_stack() {
  std::vector<Value> values(std::make_move_iterator(bottom_), std::make_move_iterator(top_));
  while (top_ != bottom_) (--top_)->~Value();
  return values;
}

void Machine::fail(const std::string& message) const { throw RunError(message); }
void Machine::give_up(const std::string& message) const { throw RunError(message, RunError::Blame::kSurroundings); }

void Machine::underflow(std::int64_t needed) const {
  fail(fmt::format("stack underflow: {} values are needed, but the stack holds {}", needed, top_ - bottom_));
}

void Machine::poll_now() {
  if (options_.progress != nullptr && options_.progress->is_requested()) [[unlikely]]
    report_progress();
  if (piece_.first_failure != nullptr && piece_.first_failure->load(std::memory_order_relaxed) < piece_.number)
    throw PieceGivenUp();
  switch (options_.interrupt->load(std::memory_order_relaxed)) {
    case Interrupt::kSignal:
      throw RunError("interrupted", RunError::Blame::kSurroundings, 130);
    case Interrupt::kTimeout:
      throw RunError("the time given by --timeout is over", RunError::Blame::kSurroundings);
    case Interrupt::kNone:
      break;
  }
}

void Machine::poll_calls() {
  until_poll_ = kPollInterval;
  polled_calls_ += kPollInterval;
  poll();
  if (warn_ != nullptr) watch_recursion();
  if (options_.call_limit != 0 && polled_calls_ >= options_.call_limit) give_up("the limit of calls is reached");
}

void Machine::fail_operation() {
  if (const std::optional<std::uint32_t> late = evaluator_.late_site()) forget_all_but(*late);
  if (pc_->opcode != static_cast<int>(Control::kFused)) throw RunError(evaluator_.failure(), evaluator_.fault());
  failed_step_ = evaluator_.failed_step();
  const vcode::Kernel& kernel = linked_.kernels[pc_->a].kernel();
  throw RunError(fmt::format("in kernel {} ({}): {}", kernel.number, kernel.name, evaluator_.failure()),
                 evaluator_.fault());
}

void Machine::forget_all_but(std::uint32_t instruction) {
  while (top_ != bottom_) (--top_)->~Value();
  calls_ = calls_begin_;
  pc_ = &linked_.code[instruction];
  found_late_ = true;
}

/// Adds the cost of an instruction of a piece. `results` are its results, up to the top of the stack; `elements` is the
/// number of elements that it has traversed without writing as many.
void Machine::note_cost(std::int64_t elements, const Value* results) {
  peak_ = std::max(peak_, evaluator_.heap().live());
  double written = static_cast<double>(elements) * sizeof(double);
  for (; results != top_; ++results)
    if (results->tag() == Value::Tag::kVector)
      written += static_cast<double>(results->length()) * static_cast<double>(vcode::elem_size(results->type()));
  work_ += kWorkOfInstruction + written;
  steps_ += kWorkOfInstruction;
}

void Machine::vector_op(const Code& code) {
  const auto op = static_cast<Op>(code.op);
  const vcode::OpInfo& row = vcode::info(op);
  need(row.signature.operand_count);
  poll();
  evaluator_.set_site(static_cast<std::uint32_t>(&code - linked_.code.data()));
  Value* operands = top_ - row.signature.operand_count;
  const bool folds = is_piece() && operands->is_vector() &&
                     (row.op_class == vcode::OpClass::kReduce || row.op_class == vcode::OpClass::kArgReduce);
  const std::int64_t folded = folds ? operands->length() : 0;
  if (!evaluator_.apply(op, static_cast<Suffix>(code.suffix), operands)) fail_operation();
  top_ = operands + row.signature.result_count;
  if (is_piece()) note_cost(folded, operands);
}

void Machine::system_op(const Code& code) {
  const auto op = static_cast<Op>(code.op);
  const Signature& signature = vcode::info(op).signature;
  need(signature.operand_count);
  poll();
  // Waits for pending operations: results after an undetected fault must not be output, and timers measure completed
  // work.
  if (!evaluator_.settle()) fail_operation();
  Value* operands = top_ - signature.operand_count;
  std::vector<Value> results = system_.run(op, static_cast<Suffix>(code.suffix), operands);
  while (top_ != operands) (--top_)->~Value();
  make_room(results.size());
  for (Value& result : results) new (top_++) Value(std::move(result));
  poll();
}

void Machine::fused(const Code& code) {
  const runtime::PreparedKernel& prepared = linked_.kernels[code.a];
  const runtime::StepCode& steps = prepared.step_code();
  need(steps.inputs());
  if (steps.outputs() > steps.inputs()) make_room(steps.outputs() - steps.inputs());
  poll();
  evaluator_.set_site(static_cast<std::uint32_t>(&code - linked_.code.data()));
  Value* inputs = top_ - steps.inputs();
  std::int64_t elements = 0;
  if (const Value& over = inputs[steps.over()]; is_piece() && !over.is_pair())
    elements = over.is_segdes() ? over.elements() : over.length();
  if (!evaluator_.run_kernel(prepared, inputs)) fail_operation();
  top_ = inputs + steps.outputs();
  if (is_piece()) note_cost(elements, inputs);
}

void Machine::copy_block(std::uint32_t count, std::uint32_t depth) {
  need_block(count, depth);
  make_room(count);
  Value* const to = top_;
  const Value* from = to - depth - count;
  for (std::uint32_t k = 0; k < count; ++k) new (to + k) Value(from[k]);
  top_ = to + count;
}

void Machine::pop_block(std::uint32_t count, std::uint32_t depth) {
  need_block(count, depth);
  Value* from = top_ - depth - count;
  for (std::uint32_t k = 0; k < count; ++k) from[k].~Value();
  move_values(from, from + count, depth);
  top_ -= count;
}

void Machine::cpop_block(std::uint32_t count, std::uint32_t depth) {
  need_block(count, depth);
  make_room(count);  // the block passes through the free space above the top
  Value* from = top_ - depth - count;
  move_values(top_, from, count);
  move_values(from, from + count, static_cast<std::size_t>(depth) + count);
}

bool Machine::truth_of(const Value& value) {
  const bool usable = value.is_vector() && value.length() > 0 && value.kind() != vcode::Kind::kFloat &&
                      value.kind() != vcode::Kind::kByte;
  const bool exact = usable && value.kind() == vcode::Kind::kBool && value.length() == 1;
  if (!usable || (options_.strict && !exact))
    fail(fmt::format("IF needs a Bool of length 1, not {}", describe_value(value)));
  const void* data = evaluator_.heap().host_data(value);
  if (data == nullptr) give_up(evaluator_.memory_failure("IF"));
  if (!evaluator_.is_sound()) fail_operation();
  switch (value.type()) {
    case ElemType::kB8:
      return *static_cast<const bool*>(data);
    case ElemType::kI32:
      return *static_cast<const std::int32_t*>(data) != 0;
    default:
      VC_CHECK(value.type() == ElemType::kI64);
      return *static_cast<const std::int64_t*>(data) != 0;
  }
}

template <ElemType kIntType, ElemType kFloatType, bool kObserved>
bool Machine::loop() {
  const Code* const code_begin = linked_.code.data();
  const Code* pc = pc_;
  // The top of the stack is kept in a register; publish() updates the members for code that reads them.
  Value* top = top_;
  auto publish = [&](const Code& code) {
    pc_ = &code;
    top_ = top;
  };
  for (;;) {
    const Code& code = *pc++;
    if constexpr (kObserved) {
      publish(code);
      observe_end();
      observe_begin(code);
    }
    switch (code.opcode) {
#define VC_SCALAR_CASE(Name, suffix)                                                                  \
  case elementwise_opcode(Op::k##Name, Suffix::suffix):                                               \
    if (scalar_step<vcode::ops::Name, Suffix::suffix, kIntType, kFloatType>(top, bottom_)) [[likely]] \
      continue;                                                                                       \
    break;
#define VC_ELEMENTWISE(Name, ...) \
  VC_SCALAR_CASE(Name, kNone)     \
  VC_SCALAR_CASE(Name, kInt)      \
  VC_SCALAR_CASE(Name, kBool)     \
  VC_SCALAR_CASE(Name, kFloat)
#include "vcode/ops.def"
#undef VC_SCALAR_CASE

      case static_cast<int>(Control::kVector):
        break;

      case static_cast<int>(Control::kLengths):
      case static_cast<int>(Control::kElements):
        if (top != bottom_ && top[-1].tag() == Value::Tag::kSingle &&
            top[-1].elements() <= std::numeric_limits<vcode::Storage<kIntType>>::max()) [[likely]] {
          top[-1].set_scalar(static_cast<vcode::Storage<kIntType>>(top[-1].elements()));
          continue;
        }
        break;

      case static_cast<int>(Control::kMakeSegdes):
        if (top != bottom_ && top[-1].is_scalar(kIntType)) [[likely]] {
          if (const auto length = top[-1].template get<vcode::Storage<kIntType>>(); length >= 0) [[likely]] {
            top[-1].set_single_segment(length);
            continue;
          }
        }
        break;

      case static_cast<int>(Control::kConst):
        if (top == end_) [[unlikely]] {
          publish(code);
          make_room(1);
          top = top_;
        }
        new (top++) Value(linked_.constants[code.a]);
        continue;

      case static_cast<int>(Control::kCopyOne):
        if (top == end_ || top - bottom_ <= static_cast<std::int64_t>(code.a)) [[unlikely]] {
          publish(code);
          need_block(1, code.a);
          make_room(1);
          top = top_;
        }
        new (top) Value(top[-1 - static_cast<std::int64_t>(code.a)]);
        ++top;
        continue;

      case static_cast<int>(Control::kDrop):
        if (top - bottom_ < static_cast<std::int64_t>(code.a)) [[unlikely]] {
          publish(code);
          underflow(code.a);
        }
        for (Value* rest = top - code.a; top != rest;) (--top)->~Value();
        continue;

      case static_cast<int>(Control::kCpopOne): {
        if (top - bottom_ <= static_cast<std::int64_t>(code.a)) [[unlikely]] {
          publish(code);
          underflow(static_cast<std::int64_t>(code.a) + 1);
        }
        Value* at = top - 1 - code.a;
        Value moved = std::move(*at);
        if (code.a > kFewValues) {
          move_values(at, at + 1, code.a);
        } else {
          for (; at != top - 1; ++at) at->relocate(at[1]);
        }
        new (top - 1) Value(std::move(moved));
        continue;
      }

      case static_cast<int>(Control::kCopy):
        publish(code);
        copy_block(code.a, code.b);
        top = top_;
        continue;

      case static_cast<int>(Control::kPop):
        publish(code);
        pop_block(code.a, code.b);
        top = top_;
        continue;

      case static_cast<int>(Control::kCpop):
        publish(code);
        cpop_block(code.a, code.b);
        top = top_;
        continue;

      case static_cast<int>(Control::kTooDeep):
        publish(code);
        fail("the block reaches below the bottom of the stack");

      case static_cast<int>(Control::kPair):
        publish(code);
        make_pair();
        top = top_;
        continue;

      case static_cast<int>(Control::kUnpair):
        publish(code);
        split_pair();
        top = top_;
        continue;

      case static_cast<int>(Control::kPieces):
        publish(code);
        if (call_in_pieces(code)) {
          top = top_;
          continue;
        }
        [[fallthrough]];

      case static_cast<int>(Control::kCall):
        if (calls_ == calls_end_) [[unlikely]] {
          publish(code);
          grow_calls();
        }
        if (--until_poll_ == 0) [[unlikely]] {
          publish(code);
          poll_calls();
        }
        *calls_++ = {pc, 1};
        pc = code_begin + code.a;
        continue;

      case static_cast<int>(Control::kTailCall):
        if (--until_poll_ == 0) [[unlikely]] {
          publish(code);
          poll_calls();
        }
        if (calls_ != calls_begin_ && calls_[-1].return_to == pc) [[likely]] {
          ++calls_[-1].times;
        } else {
          publish(code);
          note_tail_call(pc);
        }
        pc = code_begin + code.a;
        continue;

      case static_cast<int>(Control::kReturn):
        if (calls_ == calls_begin_) {
          publish(code);
          if constexpr (kObserved) observe_end();
          return true;
        }
        pc = (--calls_)->return_to;
        continue;

      case static_cast<int>(Control::kIf): {
        bool truth;
        if (top != bottom_ && top[-1].is_scalar(ElemType::kB8)) [[likely]] {
          truth = top[-1].template get<bool>();
        } else {
          publish(code);
          need(1);
          truth = truth_of(top[-1]);
        }
        (--top)->~Value();
        if (!truth) pc = code_begin + code.a;
        continue;
      }

      case static_cast<int>(Control::kJump):
        pc = code_begin + code.a;
        continue;

      case static_cast<int>(Control::kSystem):
        publish(code);
        system_op(code);
        top = top_;
        continue;

      case static_cast<int>(Control::kFused):
        publish(code);
        fused(code);
        top = top_;
        continue;

      case static_cast<int>(Control::kExit):
        publish(code);
        if constexpr (kObserved) observe_end();
        return false;

      default:
        VC_CHECK(!"an opcode that the linker makes");
        __builtin_unreachable();
    }
    // Vector operations, and elementwise operations on operands that are no scalars held in place.
    publish(code);
    vector_op(code);
    top = top_;
  }
}

bool Machine::run_loop() {
  const bool observed = options_.profile != nullptr || options_.trace.any() || options_.watch_calls;
  const bool wide_int = evaluator_.widths().int_type == ElemType::kI64;
  const bool wide_float = evaluator_.widths().float_type == ElemType::kF64;
  auto with_widths = [&]<ElemType i, ElemType f>() { return observed ? loop<i, f, true>() : loop<i, f, false>(); };
  auto with_float = [&]<ElemType f>() {
    return wide_int ? with_widths.template operator()<ElemType::kI64, f>()
                    : with_widths.template operator()<ElemType::kI32, f>();
  };
  const bool ended =
      wide_float ? with_float.template operator()<ElemType::kF64>() : with_float.template operator()<ElemType::kF32>();
  if (!evaluator_.settle()) fail_operation();
  return ended;
}

bool Machine::run() {
  make_room(std::max(kFirstStack, initial_.size()));
  for (Value& value : initial_) new (top_++) Value(std::move(value));
  initial_.clear();
  grow_calls();
  if (options_.profile == nullptr) return run_loop();
  return run_profiled();
}

}  // namespace interp
