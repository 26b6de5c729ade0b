// The operand stack and the stack of calls of the machine.

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/address_space.h"
#include "machine/machine.h"

namespace interp {

using runtime::Value;

namespace {

constexpr std::size_t kStackShare = 4;  // without --stack, stacks may take 1 / kStackShare of the memory
constexpr std::size_t kLeastStacks = 64 << 10;

}  // namespace

std::size_t Machine::stack_limit(const RunOptions& options, std::size_t memory_limit) {
  return options.stack_limit != 0 ? options.stack_limit : std::max(memory_limit / kStackShare, kLeastStacks);
}

Machine::Caller Machine::caller(std::size_t up) const {
  if (up == own_calls()) return {piece_.caller->where(), 1};
  if (up > own_calls()) return piece_.caller->caller(up - own_calls() - 1);
  const Call* call = calls_ - 1 - up;
  const auto is_tail = [](const Call& other) {
    return other.return_to[-1].opcode == static_cast<std::uint16_t>(Control::kTailCall);
  };
  const Code* code = call->return_to - 1;
  Caller caller{linked_.origins[static_cast<std::size_t>(code - linked_.code.data())], call->times};
  if (call->times == 1) return caller;
  for (const Call* other = call; other != calls_begin_ && is_tail(other[-1]); --other)
    caller.in_turn |= other[-1].times > 1;
  for (const Call* other = call + 1; other != calls_ && is_tail(*other); ++other) caller.in_turn |= other->times > 1;
  return caller;
}

std::size_t Machine::allowed(std::size_t needed, std::size_t wanted, std::size_t size, std::size_t others) const {
  const std::size_t live = evaluator_.heap().device().memory_use().live;
  const std::size_t left = std::min(stack_limit_, memory_limit_ - std::min(live, memory_limit_));
  const std::size_t most = (left - std::min(others, left)) / size;
  if (needed <= most) return std::min(wanted, most);
  const bool by_limit = left == stack_limit_;
  const bool is_deep = own_calls() > kFirstStack || top_ - bottom_ > static_cast<std::ptrdiff_t>(kFirstStack);
  give_up(fmt::format("{}: {} calls inside each other and {} values need more than the {:.1f} MiB {} ({}){}",
                      by_limit ? "the recursion is too deep" : "out of memory", own_calls(), top_ - bottom_,
                      static_cast<double>(left) / (1 << 20), by_limit ? "allowed" : "that are left",
                      by_limit ? "see --stack and --memory" : base::memory_advice(),
                      is_deep ? ". Is the recursion endless?" : ""));
}

void Machine::make_room(std::size_t values) {
  if (static_cast<std::size_t>(end_ - top_) >= values) return;
  const auto used = static_cast<std::size_t>(top_ - bottom_);
  const std::size_t capacity =
      allowed(used + values, std::max({kFirstStack, 2 * static_cast<std::size_t>(end_ - bottom_), used + values}),
              sizeof(Value), static_cast<std::size_t>(calls_end_ - calls_begin_) * sizeof(Call));
  void* grown = std::realloc(static_cast<void*>(bottom_), capacity * sizeof(Value));
  if (grown == nullptr)
    give_up(
        fmt::format("out of memory: the system has no more room for the operand stack ({})", base::memory_advice()));
  bottom_ = static_cast<Value*>(grown);
  top_ = bottom_ + used;
  end_ = bottom_ + capacity;
}

void Machine::grow_calls() {
  const auto used = static_cast<std::size_t>(calls_ - calls_begin_);
  const std::size_t capacity = allowed(used + 1, std::max(kFirstStack, 2 * used), sizeof(Call),
                                       static_cast<std::size_t>(end_ - bottom_) * sizeof(Value));
  void* grown = std::realloc(static_cast<void*>(calls_begin_), capacity * sizeof(Call));
  if (grown == nullptr)
    give_up(fmt::format("out of memory: the system has no more room for the call stack ({})", base::memory_advice()));
  calls_begin_ = static_cast<Call*>(grown);
  calls_ = calls_begin_ + used;
  calls_end_ = calls_begin_ + capacity;
}

void Machine::watch_recursion() {
  constexpr std::ptrdiff_t kLooked = 8;
  const bool in_loop = calls_ != calls_begin_ && calls_[-1].return_to == pc_ + 1;
  const std::uint64_t depth = own_calls() + (in_loop ? calls_[-1].times : 0);
  const std::span top(top_ - std::min(top_ - bottom_, kLooked), top_);
  if (const std::optional<std::int64_t> longest = recursion_.look(pc_, depth, top)) warn_(*longest);
}

Machine::Call* Machine::tail_call_before(const Code* return_to) const {
  for (Call* call = calls_; call != calls_begin_;) {
    --call;
    if (call->return_to == return_to) return call;
    if (call->return_to[-1].opcode != static_cast<std::uint16_t>(Control::kTailCall)) break;
  }
  return nullptr;
}

void Machine::note_tail_call(const Code* return_to) {
  if (Call* before = tail_call_before(return_to)) {
    // The latest tail call is kept on top.
    std::rotate(before, before + 1, calls_);
    ++calls_[-1].times;
    return;
  }
  if (calls_ == calls_end_) grow_calls();
  *calls_++ = {return_to, 1};
}

void Machine::make_pair() {
  need(2);
  runtime::PairObject* pair = evaluator_.heap().make_pair(std::move(top_[-2]), std::move(top_[-1]));
  if (pair == nullptr) give_up(evaluator_.memory_failure("PAIR"));
  --top_;
  top_[-1] = Value::adopt(pair);
}

void Machine::split_pair() {
  need(1);
  if (!top_[-1].is_pair()) fail(fmt::format("UNPAIR needs a Pair, not {}", describe_value(top_[-1])));
  make_room(1);
  Value pair = std::move(top_[-1]);
  new (top_++) Value(pair.pair()->second);
  top_[-2] = pair.pair()->first;
}

}  // namespace interp
