#include "report/explain_updates.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "machine/source_location.h"
#include "vcode/kernel_rules.h"
#include "vcode/stack_effects.h"

namespace interp {

namespace {

using vcode::Instruction;
using vcode::Statement;

/// Number of the operand that an operation updates; -1 if it updates none.
int updated_operand(vcode::Op op) {
  if (vcode::info(op).op_class == vcode::OpClass::kAccumulate) return 2;
  return op == vcode::Op::kReplace ? 0 : vcode::defaults_of(op);
}

/// Conditions of conditionals, by the numbers of their values, and whether they are true; in order.
using Conditions = std::vector<std::pair<std::uint32_t, bool>>;

/// A vector that a value of the stack may be, and the conditions without which it is not.
struct Possible {
  std::uint32_t vector;
  Conditions when = {};
  friend bool operator==(const Possible&, const Possible&) = default;
};

/// All vectors that a value of the stack may be, in the order of the numbers of vectors: parameters of the function by
/// their depth at entry, constants of the program, and other values as they are made.
using Vectors = std::vector<Possible>;

template <class Combine>
Vectors merge(const Vectors& a, const Vectors& b, Combine&& combine) {
  Vectors both;
  auto x = a.begin(), y = b.begin();
  while (x != a.end() || y != b.end()) {
    if (y == b.end() || (x != a.end() && x->vector < y->vector)) {
      both.push_back(*x++);
    } else if (x == a.end() || y->vector < x->vector) {
      both.push_back(*y++);
    } else {
      both.push_back({x->vector, combine(x->when, y->when)});
      ++x, ++y;
    }
  }
  return both;
}

/// All that one of two values may be.
Vectors unite(const Vectors& a, const Vectors& b) {
  return merge(a, b, [](const Conditions& x, const Conditions& y) {
    Conditions common;
    std::ranges::set_intersection(x, y, std::back_inserter(common));
    return common;
  });
}

Conditions all_of(const Conditions& a, const Conditions& b) {
  Conditions both;
  std::ranges::set_union(a, b, std::back_inserter(both));
  return both;
}

/// The same with one more condition on what only one of two branches yields.
void require(Vectors& vectors, const Vectors& other_branch, std::uint32_t condition, bool value) {
  for (Possible& possible : vectors)
    if (!std::ranges::binary_search(other_branch, possible.vector, {}, &Possible::vector))
      possible.when = all_of(possible.when, {{condition, value}});
}

/// An update, or an argument of a call.
struct Use {
  std::uint32_t instruction;
  std::uint32_t operand;  ///< of a call: the parameter, by its depth
  Vectors vectors;
  bool is_shared = false;                    ///< another value on the stack may be the same vector
  std::optional<std::uint32_t> next_reader;  ///< if shared: the instruction that reads the other value next
};

/// The vectors that the values on the stack of a function may be, found by running it on a stack of sets of vectors.
class FunctionRun {
 public:
  /// `returned` tells of each function which of its parameters each of its results may be.
  FunctionRun(const vcode::Program& program, const vcode::StackEffects& effects,
              const std::vector<std::vector<Vectors>>& returned, std::uint32_t function)
      : program_(program),
        effects_(effects),
        returned_(returned),
        body_(program.functions[function].body),
        parameters_(static_cast<std::uint32_t>(effects[function].inputs.size())),
        made_(parameters_ + static_cast<std::uint32_t>(program.constants.size())) {
    for (std::uint32_t p = parameters_; p-- > 0;) stack_.push_back({{p}});
  }

  bool is_parameter(std::uint32_t vector) const { return vector < parameters_; }
  bool is_constant(std::uint32_t vector) const {
    return vector >= parameters_ && vector < parameters_ + program_.constants.size();
  }
  const std::vector<Use>& updates() const { return updates_; }
  const std::vector<Use>& arguments() const { return arguments_; }
  /// The stack at the end, the topmost last.
  const std::vector<Vectors>& stack() const { return stack_; }

  void run() {
    for (std::uint32_t at = 0; at < body_.size(); ++at) {
      const Instruction& in = body_[at];
      if (in.statement == Statement::kElse)
        enter_else(in);
      else if (in.statement == Statement::kEndif)
        leave_if();
      else if (goes_on_)
        step(at, in);
      else if (in.statement == Statement::kIf)
        open_.push_back({at, kUnknown, stack_, {}});
    }
  }

 private:
  static constexpr std::uint32_t kUnknown = UINT32_MAX;

  struct OpenIf {
    std::uint32_t begin, condition;
    std::vector<Vectors> before, after_first;
    bool has_else = false, first_goes_on = false;
  };
  /// A use that shares its vector, and whose next reader is looked for from instruction `from` on.
  struct Search {
    bool is_update;
    std::size_t number;
    std::uint32_t instruction, from;
    Conditions path;
  };

  /// The conditions of the branches around the current instruction.
  Conditions path() const {
    Conditions path;
    for (const OpenIf& open : open_)
      if (open.condition != kUnknown) path = all_of(path, {{open.condition, !open.has_else}});
    return path;
  }

  /// Whether conditions can hold together, as far as they are conjunctions of each other.
  bool agree(const Conditions& conditions) const {
    const auto holds = [&](std::uint32_t condition, bool value) {
      return std::ranges::binary_search(conditions, std::pair(condition, value));
    };
    return std::ranges::none_of(conditions, [&](const auto& condition) {
      const auto [number, value] = condition;
      if (holds(number, !value)) return true;
      const auto conjunction = conjunctions_.find(number);
      if (conjunction == conjunctions_.end()) return false;
      const auto [a, b] = conjunction->second;
      return value ? holds(a, false) || holds(b, false) : holds(a, true) && holds(b, true);
    });
  }

  /// Whether two values may be the same vector under conditions.
  bool may_be_equal(const Vectors& a, const Vectors& b, const Conditions& path) const {
    auto x = a.begin(), y = b.begin();
    while (x != a.end() && y != b.end()) {
      if (x->vector != y->vector)
        ++(x->vector < y->vector ? x : y);
      else if (agree(all_of(path, all_of(x->when, y->when))))
        return true;
      else
        ++x;
    }
    return false;
  }

  static std::uint32_t number_of(const Vectors& vectors) {
    return vectors.size() == 1 ? vectors.front().vector : kUnknown;
  }

  void enter_else(const Instruction& in) {
    OpenIf& open = open_.back();
    open.has_else = true;
    open.first_goes_on = std::exchange(goes_on_, true);
    open.after_first = std::exchange(stack_, open.before);
    for (Search& search : searches_)
      if (search.instruction > open.begin) search.from = in.target;
  }

  void leave_if() {
    OpenIf open = std::move(open_.back());
    open_.pop_back();
    std::vector<Vectors>& first = open.has_else ? open.after_first : open.before;
    const bool first_goes_on = !open.has_else || open.first_goes_on;
    if (goes_on_ && first_goes_on && stack_.size() == first.size())
      for (std::size_t k = 0; k < first.size(); ++k) {
        const Vectors second = stack_[k];
        if (open.condition != kUnknown) {
          require(stack_[k], first[k], open.condition, false);
          require(first[k], second, open.condition, true);
        }
        stack_[k] = unite(stack_[k], first[k]);
      }
    else if (!goes_on_)
      stack_ = std::move(first);
    goes_on_ = goes_on_ || first_goes_on;
  }

  void step(std::uint32_t at, const Instruction& in) {
    const auto count = static_cast<std::ptrdiff_t>(in.count);
    const auto end = stack_.end() - static_cast<std::ptrdiff_t>(in.depth);
    switch (in.statement) {
      case Statement::kConst:
        stack_.push_back({{parameters_ + in.target}});
        break;
      case Statement::kCopy: {
        const std::vector<Vectors> block(end - count, end);
        stack_.insert(stack_.end(), block.begin(), block.end());
        break;
      }
      case Statement::kPop:
        stack_.erase(end - count, end);
        break;
      case Statement::kCpop:
        std::rotate(end - count, end, stack_.end());
        break;
      case Statement::kPair: {
        const Vectors second = take(1).front();
        stack_.back() = unite(stack_.back(), second);
        break;
      }
      case Statement::kUnpair:
        stack_.push_back(stack_.back());
        break;
      case Statement::kIf: {
        const std::uint32_t condition = number_of(take(1).front());
        open_.push_back({at, condition, stack_, {}});
        break;
      }
      case Statement::kOp: {
        const vcode::Signature& signature = vcode::info(in.op).signature;
        const std::vector<Vectors> operands = take(static_cast<std::size_t>(signature.operand_count));
        note_reads(at, operands);
        if (const int k = updated_operand(in.op); k >= 0)
          note_use(true, at, static_cast<std::uint32_t>(k), operands[static_cast<std::size_t>(k)], operands);
        if (in.op == vcode::Op::kAnd) conjunctions_[made_] = {number_of(operands[0]), number_of(operands[1])};
        make(static_cast<std::size_t>(signature.result_count));
        goes_on_ = in.op != vcode::Op::kExit;
        break;
      }
      case Statement::kFused: {
        const vcode::Kernel& kernel = program_.kernels[in.target];
        note_reads(at, take(kernel.input_count));
        make(kernel.outputs.size());
        break;
      }
      case Statement::kCall:
        call(at, in.target);
        break;
      case Statement::kElse:
      case Statement::kEndif:
        break;
    }
  }

  void call(std::uint32_t at, std::uint32_t callee) {
    const vcode::StackEffect& effect = effects_[callee];
    goes_on_ = effect.exact && effect.returns;
    const std::vector<Vectors> arguments = take(effect.inputs.size());
    note_reads(at, arguments);
    for (std::size_t k = 0; k < arguments.size(); ++k)
      note_use(false, at, static_cast<std::uint32_t>(arguments.size() - 1 - k), arguments[k], arguments);
    for (std::size_t r = 0; r < effect.outputs.size(); ++r) {
      Vectors result;
      if (r < returned_[callee].size())
        for (const Possible& p : returned_[callee][r])
          result = unite(result, arguments[arguments.size() - 1 - p.vector]);
      stack_.push_back(unite(result, {{made_++}}));
    }
  }

  /// Takes so many values from the stack, the topmost last.
  std::vector<Vectors> take(std::size_t count) {
    const auto begin = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<Vectors> taken(std::make_move_iterator(begin), std::make_move_iterator(stack_.end()));
    stack_.erase(begin, stack_.end());
    return taken;
  }
  void make(std::size_t count) {
    for (std::size_t r = 0; r < count; ++r) stack_.push_back({{made_++}});
  }

  void note_reads(std::uint32_t at, const std::vector<Vectors>& operands) {
    const Conditions path = searches_.empty() ? Conditions() : this->path();
    std::erase_if(searches_, [&](const Search& search) {
      if (at < search.from) return false;
      Use& use = (search.is_update ? updates_ : arguments_)[search.number];
      const Conditions both = all_of(path, search.path);
      const bool found = std::ranges::any_of(
          operands, [&](const Vectors& operand) { return may_be_equal(operand, use.vectors, both); });
      if (found) use.next_reader = at;
      return found;
    });
  }

  void note_use(bool is_update, std::uint32_t at, std::uint32_t operand, const Vectors& vectors,
                const std::vector<Vectors>& operands) {
    std::vector<Use>& uses = is_update ? updates_ : arguments_;
    Use use{at, operand, vectors, false, {}};
    const Conditions path = this->path();
    const auto is_it = [&](const Vectors& other) { return may_be_equal(other, vectors, path); };
    const bool is_twice = std::ranges::count_if(operands, is_it) > 1;
    use.is_shared = is_twice || std::ranges::any_of(stack_, is_it);
    if (is_twice) use.next_reader = at;
    if (use.is_shared && !is_twice) searches_.push_back({is_update, uses.size(), at, at + 1, path});
    uses.push_back(std::move(use));
  }

  const vcode::Program& program_;
  const vcode::StackEffects& effects_;
  const std::vector<std::vector<Vectors>>& returned_;
  const std::vector<Instruction>& body_;
  const std::uint32_t parameters_;
  std::uint32_t made_;  ///< number of the next vector
  bool goes_on_ = true;
  std::vector<Vectors> stack_;
  std::vector<OpenIf> open_;
  std::vector<Use> updates_, arguments_;
  std::vector<Search> searches_;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> conjunctions_;  ///< the operands of AND
};

/// The call that hands a vector over which the caller, or a caller of it, still refers to.
struct SharingCall {
  std::uint32_t function;
  Use argument;
  bool is_constant = false;
};

class UpdateReport {
 public:
  explicit UpdateReport(const vcode::Program& program)
      : program_(program), effects_(vcode::infer_stack_effects(program, false)), returned_(program.functions.size()) {
    for (std::uint32_t f = 0; f < program.functions.size(); ++f)
      if (effects_[f].analysed && effects_[f].exact) functions_.push_back(f);
    find_returned();
    find_sharing_calls();
  }

  std::vector<PlacedText> texts() const {
    std::vector<PlacedText> texts;
    for (const auto& [function, run] : runs_)
      for (const Use& update : run.updates()) {
        const Instruction& in = program_.functions[function].body[update.instruction];
        std::string operation(vcode::info(in.op).text);
        if (in.suffix != vcode::Suffix::kNone) (operation += ' ') += vcode::suffix_name(in.suffix);
        const std::string reason = reason_for_copy(function, run, update);
        texts.push_back({location(function, update.instruction),
                         reason.empty()
                             ? operation + " updates its vector in place"
                             : fmt::format("{} {} the vector that it updates: {}", operation,
                                           copies_always(function, update) ? "copies" : "may copy", reason)});
      }
    return texts;
  }

 private:
  /// Runs all functions until it is known which parameters they may return: sets only grow.
  void find_returned() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t f : functions_) {
        FunctionRun run(program_, effects_, returned_, f);
        run.run();
        std::vector<Vectors> results;
        const std::size_t count = std::min(effects_[f].outputs.size(), run.stack().size());
        for (std::size_t r = run.stack().size() - count; r < run.stack().size(); ++r) {
          Vectors result = run.stack()[r];
          std::erase_if(result, [&](const Possible& possible) { return !run.is_parameter(possible.vector); });
          for (Possible& possible : result) possible.when.clear();
          results.push_back(std::move(result));
        }
        changed = changed || results != returned_[f];
        returned_[f] = std::move(results);
      }
    }
    for (std::uint32_t f : functions_) {
      FunctionRun run(program_, effects_, returned_, f);
      run.run();
      runs_.emplace(f, std::move(run));
    }
  }

  void find_sharing_calls() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [function, run] : runs_)
        for (const Use& argument : run.arguments()) {
          const Instruction& in = program_.functions[function].body[argument.instruction];
          const auto parameter = std::pair(in.target, argument.operand);
          if (sharing_.contains(parameter)) continue;
          if (const std::optional<SharingCall> call = sharing_of(function, run, argument)) {
            sharing_.emplace(parameter, *call);
            changed = true;
          }
        }
    }
  }

  std::optional<SharingCall> sharing_of(std::uint32_t function, const FunctionRun& run, const Use& use) const {
    if (use.is_shared) return SharingCall{function, use, false};
    for (const Possible& possible : use.vectors) {
      if (run.is_constant(possible.vector)) return SharingCall{function, use, true};
      if (!run.is_parameter(possible.vector)) continue;
      if (const auto found = sharing_.find({function, possible.vector}); found != sharing_.end()) return found->second;
    }
    return std::nullopt;
  }

  /// Why an update copies its vector; empty if it does not.
  std::string reason_for_copy(std::uint32_t function, const FunctionRun& run, const Use& update) const {
    const std::optional<SharingCall> sharing = sharing_of(function, run, update);
    if (!sharing) return {};
    const vcode::Site here = location(function, update.instruction);
    if (sharing->is_constant) return "it is a constant of the program";
    std::string old = "the old value";
    if (sharing->function != function || sharing->argument.instruction != update.instruction)
      old = fmt::format("the argument of the call {}",
                        place(location(sharing->function, sharing->argument.instruction), here));
    if (!sharing->argument.next_reader) return old + " is part of a result, too";
    return fmt::format("{} is read {}, too", old,
                       place(location(sharing->function, *sharing->argument.next_reader), here));
  }

  /// Whether an update that has a reason to copy its vector has it in all calls of the function.
  bool copies_always(std::uint32_t function, const Use& update) const {
    if (update.vectors.size() != 1 || update.is_shared) return update.vectors.size() == 1;
    return std::ranges::all_of(runs_, [&](const auto& other) {
      return std::ranges::all_of(other.second.arguments(), [&](const Use& argument) {
        const Instruction& call = program_.functions[other.first].body[argument.instruction];
        return call.target != function || argument.operand != update.vectors.front().vector ||
               sharing_of(other.first, other.second, argument);
      });
    });
  }

  vcode::Site location(std::uint32_t function, std::uint32_t instruction) const {
    const vcode::Site* const line = line_of(program_, {function, instruction});
    return line != nullptr ? *line : vcode::Site{.function = source_function(program_, function)};
  }

  static std::string place(const vcode::Site& site, const vcode::Site& here) {
    if (site.file.empty()) return "in " + shown_name(site.function);
    if (site.file == here.file) return fmt::format("in line {}", site.line);
    return fmt::format("in {}:{}", base::printable(site.file), site.line);
  }

  const vcode::Program& program_;
  const vcode::StackEffects effects_;
  std::vector<std::uint32_t> functions_;
  std::vector<std::vector<Vectors>> returned_;
  std::map<std::uint32_t, FunctionRun> runs_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, SharingCall> sharing_;  ///< by function and parameter
};

}  // namespace

std::vector<PlacedText> explain_updates(const vcode::Program& program) { return UpdateReport(program).texts(); }

}  // namespace interp
