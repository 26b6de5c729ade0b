#include "function_converter.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "ir/scalars.h"
#include "ir/walk.h"
#include "vcode/printer.h"

namespace vcode::letform {
namespace {

/// Number of values above which pairs are not converted.
constexpr std::uint32_t kLargestPair = 256;
constexpr std::size_t kShownElements = 4;

/// A value on the symbolic stack: a value of the function, or a pair of two.
struct StackValue {
  Var var = kNoVar;
  std::uint32_t pair = 0;  ///< number of the pair, if var is kNoVar
  friend bool operator==(const StackValue&, const StackValue&) = default;
};

class FunctionConverter {
 public:
  FunctionConverter(const vcode::Program& program, const StackEffects& stack_effects, std::uint32_t function,
                    Callees& callees, std::vector<Constant>& constants)
      : program_(program),
        stack_effects_(stack_effects),
        body_(program.functions[function].body),
        callees_(callees),
        constants_(constants) {
    result_.function.name = program.functions[function].name;
  }

  Conversion run(const TypeWords& inputs) {
    for (const TypeWord& type : inputs) {
      std::string_view rest = type;
      state_.stack.push_back(make_parameter(rest));
    }
    const auto size = static_cast<std::uint32_t>(body_.size());
    for (at_ = 0; at_ < size && result_.refusal.empty(); ++at_) step(body_[at_]);
    if (result_.refusal.empty()) finish();
    return std::move(result_);
  }

 private:
  struct State {
    std::vector<StackValue> stack;  ///< the topmost last
    bool goes_on = true;            ///< false after EXIT or a call that does not return
  };
  struct OpenIf {
    Binding binding;
    base::Span span;
    State before;
    Var first_inner;  ///< values bound in the branches have at least this number
    bool in_else = false;
    State then_end = {};
  };
  struct Pair {
    StackValue first, second;
    std::uint32_t size;  ///< number of values in it, after splitting the pairs inside
  };

  void refuse(std::string reason) {
    if (!result_.refusal.empty()) return;
    result_.refusal = std::move(reason);
    result_.span = at_ < body_.size() ? body_[at_].span : base::Span{};
  }
  std::string text(const Instruction& instruction) const {
    return print_instruction(program_, instruction, kShownElements);
  }

  void step(const Instruction& instruction) {
    ++result_.work;
    if (instruction.statement == Statement::kElse) return enter_else();
    if (instruction.statement == Statement::kEndif) return leave_if();
    if (!state_.goes_on) {
      if (instruction.statement != Statement::kIf) return;
      at_ = instruction.target;
      if (body_[at_].statement == Statement::kElse) at_ = body_[at_].target;
      return;
    }
    switch (instruction.statement) {
      case Statement::kOp:
        return operate(instruction);
      case Statement::kConst: {
        const Constant& constant = constants_[instruction.target];
        Binding binding{.form = Binding::Form::kConst, .target = instruction.target};
        binding.results = {make_value(suffix_kind(constant.type), constant.size() == 1)};
        return add(std::move(binding));
      }
      case Statement::kCopy:
      case Statement::kPop:
      case Statement::kCpop:
        return move_block(instruction);
      case Statement::kPair:
        return make_pair();
      case Statement::kUnpair:
        return split_pair(instruction);
      case Statement::kCall:
        return call(instruction);
      case Statement::kIf:
        return enter_if(instruction);
      case Statement::kFused:
        return refuse(fmt::format("{} is not VCODE", text(instruction)));
      case Statement::kElse:
      case Statement::kEndif:
        break;
    }
    VC_CHECK(!"ELSE and ENDIF are handled earlier");
  }

  void finish() {
    VC_CHECK(open_.empty() && blocks_.size() == 1);
    result_.returns = result_.function.returns = state_.goes_on;
    if (state_.goes_on)
      for (const StackValue& value : state_.stack) {
        flatten(value, block().results);
        result_.outputs.push_back(type(value));
      }
    result_.function.body = std::move(block());
  }

  // --- values -------------------------------------------------------------------------------------------------

  Block& block() { return blocks_.back(); }
  std::vector<ValueInfo>& values() { return result_.function.values; }
  Kind kind(Var v) { return values()[v].kind; }

  Var make_value(Kind kind, bool scalar = false) {
    values().push_back({kind, scalar});
    return static_cast<Var>(values().size() - 1);
  }
  /// Adds a binding and pushes its results.
  void add(Binding binding) {
    for (Var v : binding.results) state_.stack.push_back({v});
    block().bindings.push_back(std::move(binding));
  }

  StackValue make_parameter(std::string_view& type) { return make_value_of(type, result_.function.parameters); }
  /// Makes a value of the first type of a text, removes the type from the text, and adds the parts of the value to
  /// `parts`.
  StackValue make_value_of(std::string_view& type, std::vector<Var>& parts) {
    VC_CHECK(!type.empty());
    const char letter = type[0];
    type.remove_prefix(1);
    if (letter == kPairLetter) {
      StackValue first = make_value_of(type, parts);
      return pair(first, make_value_of(type, parts));
    }
    parts.push_back(make_value(kind_of(letter)));
    return {parts.back()};
  }

  std::uint32_t size(const StackValue& value) const { return value.var == kNoVar ? pairs_[value.pair].size : 1; }
  StackValue pair(const StackValue& first, const StackValue& second) {
    pairs_.push_back({first, second, size(first) + size(second)});
    return {kNoVar, static_cast<std::uint32_t>(pairs_.size() - 1)};
  }
  void flatten(const StackValue& value, std::vector<Var>& to) const {
    if (value.var != kNoVar) return to.push_back(value.var);
    flatten(pairs_[value.pair].first, to);
    flatten(pairs_[value.pair].second, to);
  }
  TypeWord type(const StackValue& value) {
    if (value.var != kNoVar) return type_of(kind(value.var));
    return kPairLetter + type(pairs_[value.pair].first) + type(pairs_[value.pair].second);
  }

  // --- the stack ----------------------------------------------------------------------------------------------

  bool need(std::uint64_t count) {
    if (count <= state_.stack.size()) return true;
    refuse(fmt::format("{} may reach below what the function is known to be given", text(body_[at_])));
    return false;
  }

  void move_block(const Instruction& instruction) {
    const auto count = static_cast<std::uint64_t>(instruction.count),
               depth = static_cast<std::uint64_t>(instruction.depth);
    if (count == 0 || !need(count + depth)) return;
    result_.work += count + depth;
    std::vector<StackValue>& stack = state_.stack;
    const auto end = stack.end() - static_cast<std::ptrdiff_t>(depth), begin = end - static_cast<std::ptrdiff_t>(count);
    if (instruction.statement == Statement::kPop) {
      stack.erase(begin, end);
    } else if (instruction.statement == Statement::kCpop) {
      std::rotate(begin, end, stack.end());
    } else {
      const std::vector<StackValue> copied(begin, end);
      stack.insert(stack.end(), copied.begin(), copied.end());
    }
  }

  void make_pair() {
    if (!need(2)) return;
    const StackValue second = state_.stack.back(), first = state_.stack.end()[-2];
    if (size(first) + size(second) > kLargestPair)
      return refuse(fmt::format("a pair has more than {} values in it", kLargestPair));
    state_.stack.pop_back();
    state_.stack.back() = pair(first, second);
  }

  void split_pair(const Instruction& instruction) {
    if (!need(1)) return;
    const StackValue value = state_.stack.back();
    if (value.var != kNoVar) return refuse_operand(instruction, kind(value.var));
    const Pair parts = pairs_[value.pair];
    state_.stack.back() = parts.first;
    state_.stack.push_back(parts.second);
  }

  void refuse_operand(const Instruction& instruction, Kind actual) {
    refuse(fmt::format("{} cannot work on what is {}", text(instruction), kind_name(actual)));
  }

  /// Pops operands off the stack; empty if one of them is a pair.
  std::vector<Var> take(const Instruction& instruction, std::size_t count) {
    VC_CHECK(count <= state_.stack.size());
    std::vector<Var> operands;
    for (std::size_t k = state_.stack.size() - count; k < state_.stack.size(); ++k) {
      if (state_.stack[k].var == kNoVar) return refuse_operand(instruction, Kind::kPair), std::vector<Var>{};
      operands.push_back(state_.stack[k].var);
    }
    state_.stack.resize(state_.stack.size() - count);
    return operands;
  }

  // --- operations ---------------------------------------------------------------------------------------------

  void operate(const Instruction& instruction) {
    const Signature& signature = info(instruction.op).signature;
    const auto count = static_cast<std::size_t>(signature.operand_count);
    if (!need(count)) return;
    Binding binding{.op = instruction.op, .suffix = instruction.suffix};
    note_site(instruction, binding);
    note_timer(binding);
    binding.operands = take(instruction, count);
    if (!result_.refusal.empty()) return;
    for (std::size_t k = 0; k < count; ++k) {
      const Role& role = signature.operands[k];
      const Kind actual = kind(binding.operands[k]);
      if (role.type == RoleType::kAnything) continue;
      // An operation that takes vectors of any kind ignores its suffix.
      if (role.type == RoleType::kVector && actual != Kind::kSegdes)
        binding.suffix = suffix_of(actual);
      else if (actual != Signature::kind(role, instruction.suffix))
        return refuse_operand(instruction, actual);
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(signature.result_count); ++k)
      binding.results.push_back(make_value(Signature::kind(signature.results[k], binding.suffix)));
    note_scalar_results(binding, values());
    if (binding.op == Op::kExit) state_.goes_on = false;
    add(std::move(binding));
  }

  /// Copies the site, with the part of its nest that is on the known part of the stack. An operation without a site
  /// gets the last location named.
  void note_site(const Instruction& instruction, Binding& binding) {
    if (instruction.site == kNoSite) {
      if (binding.form != Binding::Form::kOp || place_ == kNoSite) return;
      binding.site = place_;
      binding.location_only = true;
      binding.inlined = program_.sites[place_].inlined;
      return;
    }
    const InstructionSite& site = program_.sites[instruction.site];
    binding.site = place_ = instruction.site;
    binding.location_only = site.location_only;
    binding.inlined = site.inlined;
    for (std::uint32_t depth : site.nest) {
      if (depth >= state_.stack.size()) return;
      const Var v = state_.stack.end()[-1 - static_cast<std::ptrdiff_t>(depth)].var;
      if (v == kNoVar || kind(v) == Kind::kFloat) return;
      binding.nest.push_back(v);
    }
    binding.outermost = site.outermost;
  }

  /// Notes the values that STOP_TIMER times: those computed since the timer was started that are still on the stack.
  void note_timer(Binding& binding) {
    if (!reads_clock(binding)) return;
    binding.nest.clear();
    const Var since = std::exchange(timed_, static_cast<Var>(values().size()));
    if (binding.op != Op::kStopTimer) return;
    std::vector<Var> all;
    for (const StackValue& value : state_.stack) flatten(value, all);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    binding.nest.assign(std::lower_bound(all.begin(), all.end(), since), all.end());
  }

  void call(const Instruction& instruction) {
    const StackEffect& effect = stack_effects_[instruction.target];
    const std::size_t count = effect.inputs.size();
    if (!need(count)) return;
    result_.work += effect.types.size() + count + effect.outputs.size();
    Binding binding{.form = Binding::Form::kCall};
    note_site(instruction, binding);
    std::vector<StackValue>& stack = state_.stack;
    TypeWords inputs;
    const std::vector<StackValue> taken(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
    for (const StackValue& value : taken) {
      flatten(value, binding.operands);
      inputs.push_back(type(value));
    }
    const Callees::Answer answer = callees_.call(instruction.target, std::move(inputs));
    if (!answer.refusal.empty()) return refuse(answer.refusal);
    binding.target = answer.target;
    stack.resize(stack.size() - count);
    state_.goes_on = answer.returns && answer.outputs;
    if (answer.returns && !answer.outputs) result_.complete = false;
    if (!state_.goes_on) return block().bindings.push_back(std::move(binding));
    VC_CHECK(answer.outputs->size() == effect.outputs.size());
    // An output that is one of the inputs keeps its name.
    std::vector<const StackValue*> handed_through(effect.types.size());
    for (std::size_t k = 0; k < count; ++k) handed_through[effect.inputs[k]] = &taken[count - 1 - k];
    for (std::size_t k = 0; k < answer.outputs->size(); ++k) {
      std::string_view rest = (*answer.outputs)[k];
      const StackValue value = make_value_of(rest, binding.results);
      const StackValue* same = handed_through[effect.outputs[k]];
      stack.push_back(same ? *same : value);
    }
    block().bindings.push_back(std::move(binding));
  }

  // --- IF -----------------------------------------------------------------------------------------------------

  void enter_if(const Instruction& instruction) {
    if (!need(1)) return;
    if (open_.size() >= kDeepestIf) return refuse(fmt::format("more than {} IFs inside each other", kDeepestIf));
    result_.work += state_.stack.size();
    Binding binding{.form = Binding::Form::kIf};
    note_site(instruction, binding);
    binding.operands = take(instruction, 1);
    if (!result_.refusal.empty()) return;
    // The first element of the condition decides.
    if (kind(binding.operands[0]) == Kind::kInt) {
      Binding to_bool{.op = Op::kIntToBool, .operands = binding.operands, .results = {make_value(Kind::kBool)}};
      note_scalar_results(to_bool, values());
      binding.operands = to_bool.results;
      block().bindings.push_back(std::move(to_bool));
    }
    if (kind(binding.operands[0]) != Kind::kBool) return refuse_operand(instruction, kind(binding.operands[0]));
    open_.push_back({std::move(binding), instruction.span, state_, static_cast<Var>(values().size())});
    blocks_.emplace_back();
  }

  void enter_else() {
    VC_CHECK(!open_.empty());
    OpenIf& open = open_.back();
    open.in_else = true;
    open.then_end = std::exchange(state_, std::move(open.before));
    blocks_.emplace_back();
  }

  void leave_if() {
    VC_CHECK(!open_.empty());
    if (!open_.back().in_else) enter_else();
    OpenIf open = std::move(open_.back());
    open_.pop_back();
    Block otherwise = std::move(block());
    blocks_.pop_back();
    Block then = std::move(block());
    blocks_.pop_back();
    State end = std::move(state_);
    state_ = {};
    result_.work += end.stack.size();
    Merge merge{open.binding, then, otherwise, open.first_inner, {}};
    state_.goes_on = open.then_end.goes_on || end.goes_on;
    if (open.then_end.goes_on && end.goes_on) {
      const std::size_t height = end.stack.size();
      if (open.then_end.stack.size() != height)
        return refuse("the branches of an IF leave different numbers of values");
      for (std::size_t k = 0; k < height; ++k)
        state_.stack.push_back(unite(open.then_end.stack[k], end.stack[k], merge));
    } else if (state_.goes_on) {
      const bool from_then = open.then_end.goes_on;
      for (const StackValue& value : (from_then ? open.then_end : end).stack)
        state_.stack.push_back(take_out(value, from_then, merge));
    }
    open.binding.blocks.push_back(std::move(then));
    open.binding.blocks.push_back(std::move(otherwise));
    block().bindings.push_back(std::move(open.binding));
  }

  struct Merge {
    Binding& binding;
    Block &then, &otherwise;
    Var first_inner;
    std::map<std::pair<Var, Var>, Var> united;
  };

  StackValue unite(const StackValue& a, const StackValue& b, Merge& merge) {
    if (a == b) return a;
    if (a.var == kNoVar && b.var == kNoVar) {
      const Pair pair_a = pairs_[a.pair], pair_b = pairs_[b.pair];
      const StackValue first = unite(pair_a.first, pair_b.first, merge);
      return pair(first, unite(pair_a.second, pair_b.second, merge));
    }
    if (a.var == kNoVar || b.var == kNoVar || kind(a.var) != kind(b.var)) {
      refuse("the branches of an IF leave values of different kinds");
      return a;
    }
    return {unite(a.var, b.var, merge)};
  }

  Var unite(Var a, Var b, Merge& merge) {
    auto [it, is_new] = merge.united.try_emplace({a, b}, kNoVar);
    if (!is_new) return it->second;
    it->second = make_value(kind(a), values()[a].scalar && values()[b].scalar);
    merge.then.results.push_back(a);
    merge.otherwise.results.push_back(b);
    merge.binding.results.push_back(it->second);
    return it->second;
  }

  /// Makes a result of IF from a value of the only branch that returns. The other branch yields a constant that is
  /// never used.
  StackValue take_out(const StackValue& value, bool from_then, Merge& merge) {
    if (value.var == kNoVar) {
      const Pair parts = pairs_[value.pair];
      const StackValue first = take_out(parts.first, from_then, merge);
      return pair(first, take_out(parts.second, from_then, merge));
    }
    if (value.var < merge.first_inner) return value;
    if (auto it = merge.united.find({value.var, value.var}); it != merge.united.end()) return {it->second};
    const Var result = make_value(kind(value.var), values()[value.var].scalar);
    merge.united[{value.var, value.var}] = result;
    const Var unseen = add_unseen(kind(value.var), from_then ? merge.otherwise : merge.then);
    merge.then.results.push_back(from_then ? value.var : unseen);
    merge.otherwise.results.push_back(from_then ? unseen : value.var);
    merge.binding.results.push_back(result);
    return {result};
  }

  Var add_unseen(Kind kind, Block& to) {
    Constant constant;
    switch (kind) {
      case Kind::kFloat:
        constant = {.type = Suffix::kFloat, .floats = {0}};
        break;
      case Kind::kBool:
        constant = {.type = Suffix::kBool, .bools = {0}};
        break;
      case Kind::kSegdes:
        constant = {.type = Suffix::kSegdes, .ints = {0}};
        break;
      case Kind::kInt:
      case Kind::kByte:
        constant = {.type = suffix_of(kind), .ints = {0}};
        break;
      case Kind::kPair:
        VC_CHECK(kind != Kind::kPair);
        break;
    }
    constants_.push_back(std::move(constant));
    Binding binding{.form = Binding::Form::kConst, .target = static_cast<std::uint32_t>(constants_.size() - 1)};
    binding.results = {make_value(kind, true)};
    to.bindings.push_back(std::move(binding));
    return to.bindings.back().results[0];
  }

  const vcode::Program& program_;
  const StackEffects& stack_effects_;
  const std::vector<Instruction>& body_;
  Callees& callees_;
  std::vector<Constant>& constants_;
  Conversion result_;
  std::vector<Block> blocks_ = std::vector<Block>(1);  ///< blocks being written, the innermost last
  State state_;
  std::vector<OpenIf> open_;
  std::vector<Pair> pairs_;
  std::uint32_t at_ = 0;           ///< number of the instruction being run
  std::uint32_t place_ = kNoSite;  ///< the last site that named a location
  Var timed_ = kNoVar;             ///< first number of values bound since the last timer was started
};

}  // namespace

Conversion convert_function(const vcode::Program& program, const StackEffects& stack_effects, std::uint32_t function,
                            const TypeWords& inputs, Callees& callees, std::vector<Constant>& constants) {
  return FunctionConverter(program, stack_effects, function, callees, constants).run(inputs);
}

}  // namespace vcode::letform
