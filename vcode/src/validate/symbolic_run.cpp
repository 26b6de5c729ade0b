#include "symbolic_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace vcode {
namespace {

// Limits beyond which a stack or an effect is no longer tracked exactly.
constexpr std::size_t kMaxStack = 1'000'000;
constexpr std::size_t kMaxEffectSize = 1 << 16;
constexpr std::size_t kShownStack = 8;

constexpr std::uint64_t kUnlimited = UINT64_MAX;
std::uint64_t most_values(std::size_t known, std::uint64_t hidden) {
  return hidden == kUnlimited ? kUnlimited : known + hidden;
}

KindSet role_kinds(const Role& role, Suffix suffix, bool strict) {
  if (role.type == RoleType::kAnything) return kinds::kAny;
  if (role.type == RoleType::kVector) return strict ? kinds::one(suffix_kind(suffix)) : kinds::kVector;
  return kinds::one(Signature::kind(role, suffix));
}

}  // namespace

WorkBudget::WorkBudget(const Program& program) {
  constexpr std::int64_t kBase = 20'000'000, kPerInstruction = 64;
  std::int64_t instructions = 0;
  for (const Function& function : program.functions) instructions += static_cast<std::int64_t>(function.body.size());
  left_ = kBase + kPerInstruction * instructions;
}

int operand_count(const Program& program, const Instruction& instruction) {
  switch (instruction.statement) {
    case Statement::kOp:
      return info(instruction.op).signature.operand_count;
    case Statement::kFused:
      return static_cast<int>(program.kernels[instruction.target].input_count);
    case Statement::kPair:
      return 2;
    case Statement::kUnpair:
    case Statement::kIf:
      return 1;
    case Statement::kConst:
    case Statement::kCopy:
    case Statement::kPop:
    case Statement::kCpop:
    case Statement::kCall:
    case Statement::kElse:
    case Statement::kEndif:
      break;
  }
  return 0;
}

OperandRule operand_rule(const Program& program, const Instruction& instruction, int operand, bool strict) {
  VC_CHECK(operand < operand_count(program, instruction));
  switch (instruction.statement) {
    case Statement::kOp: {
      const Role& role = info(instruction.op).signature.operands[static_cast<std::size_t>(operand)];
      return {role.name, role_kinds(role, instruction.suffix, strict)};
    }
    case Statement::kFused: {
      const Kernel::ValueInfo& input = program.kernels[instruction.target].values[static_cast<std::size_t>(operand)];
      return {input.name, kinds::one(input.kind)};
    }
    case Statement::kUnpair:
      return {"p", kinds::one(Kind::kPair)};
    case Statement::kIf:
      return {"flag", static_cast<KindSet>(kinds::one(Kind::kBool) | (strict ? 0 : kinds::one(Kind::kInt)))};
    default:
      return {"", kinds::kAny};
  }
}

StackEffect unknown_effect() {
  StackEffect effect;
  effect.analysed = effect.returns = effect.exits = true;
  effect.exact = false;
  return effect;
}

StackEffect SymbolicRun::run() {
  const auto size = static_cast<std::uint32_t>(function_.body.size());
  for (at_ = 0; at_ < size; ++at_) {
    if (setting_.budget.exhausted()) return unknown_effect();
    const Instruction& instruction = function_.body[at_];
    setting_.budget.spend(1);
    if (instruction.statement == Statement::kElse) {
      enter_else();
    } else if (instruction.statement == Statement::kEndif) {
      leave_if();
    } else if (state_.goes_on) {
      step(instruction);
    } else if (instruction.statement == Statement::kIf) {
      at_ = instruction.target;
      if (function_.body[at_].statement == Statement::kElse) at_ = function_.body[at_].target;
    }
    if (state_.stack.size() > kMaxStack) forget_stack();
  }
  return effect();
}

void SymbolicRun::step(const Instruction& instruction) {
  if (setting_.observer) setting_.observer->reached(at_);
  int operands = operand_count(setting_.program, instruction);
  check_operands(instruction, operands);
  std::vector<TypeId>& stack = state_.stack;
  switch (instruction.statement) {
    case Statement::kOp: {
      const Signature& signature = info(instruction.op).signature;
      stack.resize(stack.size() - static_cast<std::size_t>(operands));
      for (int r = 0; r < signature.result_count; ++r)
        push(TypeTable::ground(Signature::kind(signature.results[static_cast<std::size_t>(r)], instruction.suffix)));
      if (instruction.op == Op::kExit) {
        state_.goes_on = false;
        state_.exits = true;
      }
      break;
    }
    case Statement::kConst:
      push(TypeTable::ground(suffix_kind(setting_.program.constants[instruction.target].type)));
      break;
    case Statement::kCopy:
    case Statement::kPop:
    case Statement::kCpop:
      move_block(instruction);
      break;
    case Statement::kPair: {
      TypeId pair = types_.pair(stack.end()[-2], stack.back());
      stack.pop_back();
      stack.back() = pair;
      break;
    }
    case Statement::kUnpair: {
      auto [first, second] = types_.parts(stack.back());
      stack.back() = first;
      push(second);
      break;
    }
    case Statement::kCall:
      call(instruction.target);
      break;
    case Statement::kIf:
      stack.pop_back();
      enter_if();
      break;
    case Statement::kFused: {
      const Kernel& kernel = setting_.program.kernels[instruction.target];
      stack.resize(stack.size() - static_cast<std::size_t>(operands));
      for (KernelVar v : kernel.outputs) push(TypeTable::ground(kernel.values[v].kind));
      break;
    }
    case Statement::kElse:
    case Statement::kEndif:
      VC_CHECK(!"a statement that run() handles itself");
      break;
  }
}

// --- IF ------------------------------------------------------------------------------------------------

void SymbolicRun::enter_if() {
  setting_.budget.spend(state_.stack.size());
  open_.push_back({types_.mark(), state_});
}

void SymbolicRun::enter_else() {
  VC_CHECK(!open_.empty());
  OpenIf& open = open_.back();
  open.in_else = true;
  open.then_branch = types_.take_back(open.mark);
  open.then_end = std::move(state_);
  state_ = std::move(open.before);
}

void SymbolicRun::leave_if() {
  VC_CHECK(!open_.empty());
  if (!open_.back().in_else) enter_else();
  OpenIf open = std::move(open_.back());
  open_.pop_back();
  TypeTable::Branch else_branch = types_.take_back(open.mark);
  setting_.budget.spend(open.then_branch.size() + else_branch.size());
  types_.enter_union(open.then_branch, else_branch);
  bool else_goes_on = state_.goes_on, else_succeeds = state_.succeeds();
  State united = unite(open.then_end, state_);
  types_.adopt_union({open.then_branch, open.then_end.goes_on, open.then_end.succeeds()},
                     {else_branch, else_goes_on, else_succeeds});
  state_ = std::move(united);
}

/// The state after an IF whose branches end in `a` and `b`.
SymbolicRun::State SymbolicRun::unite(State& a, State& b) {
  std::uint32_t needed = a.succeeds() && b.succeeds() ? std::min(a.needed, b.needed)
                         : a.succeeds()               ? a.needed
                                                      : b.needed;
  bool exits = a.exits || b.exits;
  State united;
  if (a.goes_on && b.goes_on) {
    std::uint64_t most = std::max(most_values(a.stack.size(), a.hidden), most_values(b.stack.size(), b.hidden));
    bool exact = a.hidden == 0 && b.hidden == 0;
    united.consumed = std::max(a.consumed, b.consumed);
    if (exact) {
      // Inputs that only one branch has reached lie unchanged below the stack of the other.
      for (State* s : {&a, &b}) {
        if (s->consumed == united.consumed) continue;
        s->stack.insert(s->stack.begin(), inputs_.rend() - united.consumed, inputs_.rend() - s->consumed);
      }
      exact = a.stack.size() == b.stack.size();
    }
    std::size_t common = std::min(a.stack.size(), b.stack.size());
    if (!exact) united.hidden = setting_.on_empty_stack && most != kUnlimited ? most - common : kUnlimited;
    setting_.budget.spend(common);
    united.stack.reserve(common);
    for (std::size_t i = common; i > 0; --i)
      united.stack.push_back(
          types_.join(a.stack.end()[-static_cast<std::ptrdiff_t>(i)], b.stack.end()[-static_cast<std::ptrdiff_t>(i)]));
  } else {
    united = a.goes_on ? a : b;
  }
  united.needed = needed;
  united.exits = exits;
  return united;
}

// --- the stack -----------------------------------------------------------------------------------------

void SymbolicRun::forget_stack() {
  state_.stack.clear();
  state_.hidden = kUnlimited;
}

/// Ensures that `stack` holds `count` values; reports an underflow if there cannot be so many.
void SymbolicRun::need(std::uint64_t count, bool is_call) {
  std::size_t available = state_.stack.size();
  if (count <= available) return;
  if (setting_.on_empty_stack && count > most_values(available, state_.hidden)) {
    if (setting_.observer)
      setting_.observer->underflow(at_, count, static_cast<std::uint32_t>(available + state_.hidden),
                                   fmt::format("{}{}", state_.hidden ? "at most " : "", available + state_.hidden),
                                   stack_text());
    state_.hidden = kUnlimited;
  }
  if (count > kMaxStack) return forget_stack();
  extend_below(static_cast<std::size_t>(count) - available, true, is_call);
}

/// Inserts values at the bottom of `stack`: inputs of the function or, where these are unknown, fresh types.
void SymbolicRun::extend_below(std::size_t count, bool certain, bool is_call) {
  setting_.budget.spend(count + state_.stack.size());
  std::vector<TypeId> below(count);
  std::size_t available = state_.stack.size();
  if (!setting_.on_empty_stack && state_.hidden == 0 && state_.consumed + count <= kMaxStack) {
    for (std::size_t i = 0; i < count; ++i, ++state_.consumed) {
      if (state_.consumed == inputs_.size()) {
        inputs_.push_back(types_.fresh(kinds::kAny));
        input_demands_.push_back({at_, is_call ? static_cast<std::uint32_t>(available + i) : 0});
      }
      below[count - 1 - i] = inputs_[state_.consumed];
    }
    if (certain && !state_.exits) state_.needed = std::max(state_.needed, state_.consumed);
  } else {
    // Inputs of a callee that not every run needs may be missing on the stack; their presence is only assumed.
    bool known_limit = certain && state_.hidden >= count && state_.hidden != kUnlimited;
    state_.hidden = known_limit ? state_.hidden - count : kUnlimited;
    for (TypeId& type : below) type = types_.fresh(kinds::kAny);
  }
  state_.stack.insert(state_.stack.begin(), below.begin(), below.end());
}

void SymbolicRun::move_block(const Instruction& instruction) {
  auto count = static_cast<std::uint64_t>(instruction.count), depth = static_cast<std::uint64_t>(instruction.depth);
  if (count == 0) return;
  need(count + depth);
  std::vector<TypeId>& stack = state_.stack;
  if (stack.size() < count + depth) return;  // need() has stopped tracking a stack that is too large
  setting_.budget.spend(count + depth);
  auto end = stack.end() - static_cast<std::ptrdiff_t>(depth), begin = end - static_cast<std::ptrdiff_t>(count);
  if (instruction.statement == Statement::kPop) {
    stack.erase(begin, end);
  } else if (instruction.statement == Statement::kCpop) {
    std::rotate(begin, end, stack.end());
  } else {
    std::vector<TypeId> block(begin, end);
    stack.insert(stack.end(), block.begin(), block.end());
  }
}

std::string SymbolicRun::stack_text() const {
  const std::vector<TypeId>& stack = state_.stack;
  std::size_t shown = std::min(stack.size(), kShownStack);
  bool more = shown < stack.size() || state_.hidden > 0 || !setting_.on_empty_stack;
  std::string out = more ? "..." : "";
  for (std::size_t i = stack.size() - shown; i < stack.size(); ++i) {
    if (!out.empty()) out += ' ';
    out += types_.text(stack[i]);
  }
  return out;
}

// --- operands ------------------------------------------------------------------------------------------

void SymbolicRun::check_operands(const Instruction& instruction, int count) {
  need(static_cast<std::uint64_t>(count));
  for (int i = 0; i < count; ++i)
    demand(state_.stack.end()[i - count], operand_rule(setting_.program, instruction, i, setting_.strict),
           static_cast<std::uint32_t>(i));
}

void SymbolicRun::demand(TypeId type, const OperandRule& rule, std::uint32_t operand) {
  KindSet actual = types_[type].kinds;
  if ((actual & rule.kinds) == 0) {
    if (setting_.observer) setting_.observer->wrong_kind(at_, operand, actual, stack_text());
    return;
  }
  types_.restrict(type, rule.kinds);
  if (!state_.exits) types_.require(type, rule.kinds, {at_, operand});
}

// --- calls ---------------------------------------------------------------------------------------------

void SymbolicRun::call(std::uint32_t callee) {
  const StackEffect& effect = setting_.effects[callee];
  setting_.budget.spend(effect.types.size() + effect.inputs.size() + effect.outputs.size());
  if (!effect.analysed && !effect.returns && !effect.exits) {
    // A recursive call while its effect is still being iterated: this path contributes nothing yet.
    state_.goes_on = false;
    return;
  }
  need(effect.needed, true);
  std::size_t inputs = effect.inputs.size();
  if (inputs > state_.stack.size()) extend_below(inputs - state_.stack.size(), false, true);
  bound_.assign(effect.types.size(), kNoType);
  bool certain = !state_.exits;
  for (std::size_t i = 0; i < inputs; ++i) bind_input(effect, effect.inputs[i], state_.stack.rbegin()[i], certain);
  state_.exits |= effect.exits;
  state_.goes_on &= effect.returns;
  if (!state_.goes_on) return;
  if (effect.exact)
    state_.stack.resize(state_.stack.size() - inputs);
  else
    forget_stack();
  for (TypeId output : effect.outputs) push(instantiate(effect, output));
}

void SymbolicRun::bind_input(const StackEffect& effect, TypeId formal, TypeId actual, bool certain) {
  const ValueType& rule = effect.types[formal];
  bound_[formal] = actual;
  KindSet kinds = types_[actual].kinds;
  if ((kinds & rule.required) == 0) {
    if (setting_.observer) setting_.observer->wrong_kind(at_, formal, kinds, stack_text());
    return;
  }
  if (effect.returns && (kinds & rule.kinds) == 0)
    state_.goes_on = false;  // with this argument the callee can only exit
  if (certain) types_.require(actual, rule.required, {at_, formal});
  types_.restrict(actual, effect.returns ? rule.kinds : rule.required);
  if (rule.first == kNoType || (types_[actual].kinds & kinds::one(Kind::kPair)) == 0) return;
  auto [first, second] = types_.parts(actual);
  bind_input(effect, rule.first, first, certain);
  bind_input(effect, rule.second, second, certain);
}

TypeId SymbolicRun::instantiate(const StackEffect& effect, TypeId formal) {
  if (formal < kGroundTypes) return formal;
  if (bound_[formal] != kNoType) return bound_[formal];
  const ValueType& type = effect.types[formal];
  TypeId actual;
  if (type.kinds == kinds::one(Kind::kPair) && type.first != kNoType) {
    TypeId first = instantiate(effect, type.first);
    actual = types_.pair(first, instantiate(effect, type.second));
  } else {
    actual = types_.fresh(type.kinds);
  }
  bound_[formal] = actual;
  return actual;
}

// --- the result ----------------------------------------------------------------------------------------

StackEffect SymbolicRun::effect() const {
  VC_CHECK(open_.empty());
  StackEffect effect;
  effect.returns = state_.goes_on;
  effect.exits = state_.exits;
  effect.exact = !(effect.returns && state_.hidden > 0);
  effect.needed = state_.needed;
  std::size_t inputs = effect.returns && effect.exact ? state_.consumed : state_.needed;
  std::size_t outputs = effect.returns ? state_.stack.size() : 0;
  setting_.budget.spend(inputs + outputs);
  if (inputs + outputs > kMaxEffectSize) {
    effect.exact = false;
    effect.needed = 0;
    return effect;
  }
  for (TypeId t = 0; t < kGroundTypes; ++t) effect.types.push_back(types_[t]);
  std::vector<TypeId> renumbered(types_.size(), kNoType);
  auto keep = [&](auto& self, TypeId id) -> TypeId {
    if (id < kGroundTypes) return id;
    if (renumbered[id] != kNoType) return renumbered[id];
    auto kept = static_cast<TypeId>(effect.types.size());
    renumbered[id] = kept;
    effect.types.push_back(types_[id]);
    if (types_[id].first != kNoType) {
      TypeId first = self(self, types_[id].first), second = self(self, types_[id].second);
      effect.types[kept].first = first;
      effect.types[kept].second = second;
    }
    return kept;
  };
  for (std::size_t i = 0; i < inputs; ++i) effect.inputs.push_back(keep(keep, inputs_[i]));
  effect.input_demands.assign(input_demands_.begin(), input_demands_.begin() + static_cast<std::ptrdiff_t>(inputs));
  for (std::size_t i = 0; i < outputs; ++i) effect.outputs.push_back(keep(keep, state_.stack[i]));
  return effect;
}

}  // namespace vcode

// Note [Criteria for errors]
//
// An instruction is in error if it cannot work whenever it is reached in its own function, given all knowledge at that
// point: a value has one of a set of possible kinds, and IF unites the kinds that its two branches leave. Of the values
// that a function takes from its caller nothing is known at first; each use restricts their kinds on that path. After
// an IF, only knowledge that holds on both paths remains.
//
// A CALL is in error only if every run of the called function fails on these arguments. So an input has, besides its
// possible kinds, *required* kinds: the union over all paths that can succeed. Nothing more is required once a path may
// have ended the program with EXIT. A function that uses its argument as an INT in one branch and as a FLOAT in the
// other is thus legal, and its caller's argument is left to the checks at run time.
