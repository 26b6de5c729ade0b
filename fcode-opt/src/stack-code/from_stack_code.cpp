#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "fcode-opt/letform.h"
#include "fcode-opt/stack_code.h"
#include "function_converter.h"
#include "ir/walk.h"
#include "type_word.h"

namespace vcode::letform {
namespace {

/// Maximal number of combinations of kinds that a function is converted for; with more, it stays stack code.
constexpr std::uint32_t kMostInstances = 16;
/// Maximal number of conversions of a function, which is converted again when more becomes known about the results of
/// its callees.
constexpr int kMostRuns = 64;

class Converter final : Callees {
 public:
  explicit Converter(const vcode::Program& program)
      : program_(program),
        stack_effects_(infer_stack_effects(program, false)),
        constants_(program.constants),
        kept_(program.functions.size()),
        roots_(program.functions.size(), kNone),
        instances_of_(program.functions.size()) {
    std::size_t instructions = 0;
    for (const vcode::Function& function : program.functions) instructions += function.body.size();
    work_left_ = 10'000'000 + 200 * static_cast<std::int64_t>(instructions);
  }

  Converted run() {
    const std::uint32_t entry = find_entry();
    do {
      convert_waiting();
      if (leaves_pairs(instances_[entry])) keep(entry, "it leaves pairs");
      keep_callers();
      keep_incomplete();
      keep_callers();
    } while (keep_callees());
    return link(entry);
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// A function with one combination of kinds of its inputs.
  struct Instance {
    std::uint32_t function;
    TypeWords inputs;
    bool returns;
    std::optional<TypeWords> outputs;  ///< nothing: not known yet
    bool outputs_are_sure = false;     ///< they follow from the stack effect, also if the function stays stack code
    Function converted = {};
    std::vector<std::uint32_t> calls = {};    ///< instances that this one calls
    std::vector<std::uint32_t> waiting = {};  ///< instances that wait for the outputs of this one
    std::optional<KeptFunction> kept = {};
    bool kept_for_callee = false;  ///< the reason is a function that this instance calls
    bool is_queued = false;
    bool is_complete = false;
    int runs = 0;
  };

  // --- instances ----------------------------------------------------------------------------------------------

  std::uint32_t find_entry() {
    const StackEffect& effect = stack_effects_[program_.entry];
    const std::uint32_t entry = instance(program_.entry, {});
    if (!instances_[entry].kept && !effect.inputs.empty())
      keep(entry, "it is the entry and called as a function as well");
    return entry;
  }

  std::uint32_t instance(std::uint32_t function, TypeWords inputs) {
    const StackEffect& effect = stack_effects_[function];
    auto [it, is_new] = numbers_.try_emplace({function, inputs}, static_cast<std::uint32_t>(instances_.size()));
    if (!is_new) return it->second;
    Instance& made = instances_.emplace_back(Instance{function, std::move(inputs), effect.returns, std::nullopt});
    if (!effect.exact) {
      keep(it->second, "how many values it takes or leaves depends on the data");
      return it->second;
    }
    if (made.inputs.size() == effect.inputs.size()) made.outputs = output_types(effect, made.inputs);
    made.outputs_are_sure = made.outputs.has_value();
    if (++instances_of_[function] > kMostInstances)
      keep(it->second, fmt::format("it is called with more than {} combinations of kinds", kMostInstances));
    else
      enqueue(it->second);
    return it->second;
  }

  void enqueue(std::uint32_t number) {
    if (std::exchange(instances_[number].is_queued, true)) return;
    queue_.push_back(number);
  }

  void keep(std::uint32_t number, std::string reason, base::Span span = {}) {
    Instance& instance = instances_[number];
    if (!instance.kept) instance.kept = KeptFunction{instance.function, span, std::move(reason)};
  }

  Answer call(std::uint32_t function, TypeWords inputs) override {
    const std::uint32_t number = instance(function, std::move(inputs));
    Instance& callee = instances_[number];
    instances_[current_].calls.push_back(number);
    if (callee.kept && !can_be_called_as_stack_code(callee)) {
      instances_[current_].kept_for_callee = true;
      return {.refusal = refusal(callee)};
    }
    if (callee.outputs) return {number, callee.returns, &*callee.outputs, {}};
    if (callee.returns) callee.waiting.push_back(current_);
    return {number, callee.returns, nullptr, {}};
  }

  std::string refusal(const Instance& callee) const {
    return fmt::format("it calls {}, which stays stack code and leaves something unknown",
                       program_.functions[callee.function].name);
  }

  // --- the steps ----------------------------------------------------------------------------------------------

  void convert_waiting() {
    while (!queue_.empty()) {
      current_ = queue_.front();
      queue_.pop_front();
      instances_[current_].is_queued = false;
      if (!instances_[current_].kept) convert_current();
    }
  }

  /// Keeps instances that still wait for the outputs of a callee when the work list is empty.
  void keep_incomplete() {
    for (std::uint32_t number = 0; number < instances_.size(); ++number)
      if (!instances_[number].kept && !instances_[number].is_complete)
        keep(number, "the kinds of what a function it calls leaves could not be found out");
  }

  void convert_current() {
    if (++instances_[current_].runs > kMostRuns || work_left_ < 0) return keep(current_, "it is too complicated");
    instances_[current_].calls.clear();
    const std::uint32_t function = instances_[current_].function;
    Conversion conversion =
        convert_function(program_, stack_effects_, function, instances_[current_].inputs, *this, constants_);
    work_left_ -= static_cast<std::int64_t>(conversion.work);
    Instance& instance = instances_[current_];
    if (!conversion.refusal.empty()) return keep(current_, std::move(conversion.refusal), conversion.span);
    instance.converted = std::move(conversion.function);
    instance.is_complete = conversion.complete;
    if (!conversion.returns) return;
    if (!instance.outputs) {
      instance.outputs = std::move(conversion.outputs);
      for (std::uint32_t caller : std::exchange(instance.waiting, {})) enqueue(caller);
    } else if (*instance.outputs != conversion.outputs) {
      keep(current_, "the kinds of values it leaves depend on the data");
    }
  }

  /// Whether let-form can call an instance that stays stack code. A function that never returns cannot be called so: an
  /// endless recursion may take values from deeper and deeper on the stack, and then finds a value of another kind, or
  /// none.
  static bool can_be_called_as_stack_code(const Instance& callee) {
    return !has_pairs(callee.inputs) && callee.returns && callee.outputs_are_sure && !has_pairs(*callee.outputs);
  }

  /// Keeps instances that call a kept function which let-form cannot call.
  void keep_callers() {
    std::vector<std::vector<std::uint32_t>> callers(instances_.size());
    std::vector<std::uint32_t> kept;
    for (std::uint32_t number = 0; number < instances_.size(); ++number) {
      for (std::uint32_t callee : instances_[number].calls) callers[callee].push_back(number);
      if (instances_[number].kept) kept.push_back(number);
    }
    while (!kept.empty()) {
      const Instance& callee = instances_[kept.back()];
      const std::vector<std::uint32_t>& affected = callers[kept.back()];
      kept.pop_back();
      if (can_be_called_as_stack_code(callee)) continue;
      for (std::uint32_t caller : affected) {
        if (instances_[caller].kept) continue;
        keep(caller, refusal(callee));
        instances_[caller].kept_for_callee = true;
        kept.push_back(caller);
      }
    }
  }

  /// Makes the callees of kept functions roots, or keeps them. Returns whether there is more to convert.
  bool keep_callees() {
    std::vector<std::uint32_t> found;
    auto keep_function = [&](KeptFunction reason) {
      std::optional<KeptFunction>& kept = kept_[reason.function];
      if (kept) return;
      found.push_back(reason.function);
      kept = std::move(reason);
    };
    // A reason in the function itself is preferred to a reason in one of its callees.
    for (const bool for_callee : {false, true})
      for (const Instance& instance : instances_)
        if (instance.kept && instance.kept_for_callee == for_callee) keep_function(*instance.kept);
    for (std::uint32_t f = 0; f < roots_.size(); ++f)
      if (roots_[f] != kNone && !kept_[f] && leaves_pairs(instances_[roots_[f]]))
        keep_function({f, {}, "it hands pairs to stack code"});
    bool more = false;
    while (!found.empty()) {
      const std::uint32_t caller = found.back();
      found.pop_back();
      for (const Instruction& instruction : program_.functions[caller].body) {
        if (instruction.statement != Statement::kCall) continue;
        const std::uint32_t callee = instruction.target;
        if (kept_[callee] || roots_[callee] != kNone) continue;
        const StackEffect& effect = stack_effects_[callee];
        std::optional<TypeWords> inputs;
        if (effect.analysed && effect.exact && effect.needed == effect.inputs.size()) inputs = only_input_types(effect);
        if (inputs) {
          roots_[callee] = instance(callee, std::move(*inputs));
          more = true;
        } else {
          keep_function({callee,
                         {},
                         fmt::format("{} is stack code and calls it with kinds that are not known",
                                     program_.functions[caller].name)});
        }
      }
    }
    return more;
  }

  static bool leaves_pairs(const Instance& instance) { return instance.outputs && has_pairs(*instance.outputs); }

  // --- the result ---------------------------------------------------------------------------------------------

  Converted link(std::uint32_t entry) {
    std::vector<std::uint32_t> reached = reachable(entry), numbers(instances_.size());
    std::stable_sort(reached.begin(), reached.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return instances_[a].function < instances_[b].function; });
    for (std::uint32_t k = 0; k < reached.size(); ++k) numbers[reached[k]] = k;
    Converted result;
    for (std::uint32_t number : reached) {
      Function& function = result.program.functions.emplace_back(take_function(number));
      for_each_binding(function.body, [&](Binding& binding) {
        if (binding.form == Binding::Form::kCall) binding.target = numbers[binding.target];
      });
    }
    result.program.entry = numbers[entry];
    result.program.lengths_agree = false;
    result.program.from_stack_code = true;
    result.program.constants = std::move(constants_);
    for (const InstructionSite& site : program_.sites) result.program.sites.push_back(site.site);
    for (const vcode::InlinedCall& call : program_.inlined) {
      result.program.inlined.push_back({static_cast<std::uint32_t>(result.program.sites.size()), call.around});
      result.program.sites.push_back({call.file, call.line, call.column, call.function});
    }
    for (std::optional<KeptFunction>& kept : kept_)
      if (kept) result.kept.push_back(std::move(*kept));
    return result;
  }

  bool is_root(std::uint32_t number) const {
    const std::uint32_t function = instances_[number].function;
    return roots_[function] == number && !kept_[function];
  }

  std::vector<std::uint32_t> reachable(std::uint32_t entry) const {
    std::vector<std::uint32_t> reached{entry};
    for (std::uint32_t number = 0; number < instances_.size(); ++number)
      if (number != entry && is_root(number)) reached.push_back(number);
    std::vector<bool> seen(instances_.size());
    for (std::uint32_t number : reached) seen[number] = true;
    for (std::size_t k = 0; k < reached.size(); ++k) {
      if (instances_[reached[k]].kept) continue;
      for (std::uint32_t callee : instances_[reached[k]].calls) {
        if (seen[callee]) continue;
        seen[callee] = true;
        reached.push_back(callee);
      }
    }
    return reached;
  }

  /// Returns the converted function, or the declaration of a kept one.
  Function take_function(std::uint32_t number) {
    Instance& instance = instances_[number];
    if (!instance.kept) {
      if (is_root(number)) {
        instance.converted.linkage = Linkage::kRoot;
        instance.converted.original = instance.function;
      }
      return std::move(instance.converted);
    }
    Function declared;
    declared.name = program_.functions[instance.function].name;
    declared.linkage = Linkage::kExternal;
    declared.original = instance.function;
    declared.returns = instance.returns;
    if (!can_be_called_as_stack_code(instance)) return declared;  // happens only for the entry, which nothing calls
    auto declare = [&](const TypeWords& types, std::vector<Var>& to) {
      for (const TypeWord& type : types) {
        to.push_back(static_cast<Var>(declared.values.size()));
        declared.values.push_back({kind_of(type[0])});
      }
    };
    declare(instance.inputs, declared.parameters);
    if (instance.returns) declare(*instance.outputs, declared.body.results);
    return declared;
  }

  const vcode::Program& program_;
  StackEffects stack_effects_;
  std::vector<Constant> constants_;
  std::deque<Instance> instances_;
  std::map<std::pair<std::uint32_t, TypeWords>, std::uint32_t> numbers_;
  std::vector<std::optional<KeptFunction>> kept_;  ///< of each function of the program
  std::vector<std::uint32_t> roots_;               ///< of each function: the instance that stack code calls, or kNone
  std::vector<std::uint32_t> instances_of_;        ///< of each function: the number of its instances
  std::deque<std::uint32_t> queue_;
  std::uint32_t current_ = 0;  ///< the instance being converted
  std::int64_t work_left_ = 0;
};

}  // namespace

/// Pass "let-form": converts stack code to let-form.
///   before:  FUNC MAIN  CONST INT 2  CALL twice  RET       FUNC twice  COPY 1 0  + INT  RET
///   after:   entry MAIN ()  a = CONST INT 2  b = CALL twice a  ret b      function twice (c)  d = + INT c c  ret d
/// Runs each function with names in place of values, most functions once; O(size of the program × depth of its stacks).
Converted from_stack_code(const vcode::Program& program) { return Converter(program).run(); }

}  // namespace vcode::letform

// Note [Stack code that stays]
//
// An instance is a function with the kinds of the values that one or more calls pass to it. Each instance is converted
// on its own. infer_stack_effects() finds out beforehand how many values it takes and leaves, and mostly of which
// kinds. If the kinds of results do not follow from those of the inputs, callers wait until the function has been
// converted.
//
// An instance that cannot be converted is kept, and so is the function it is an instance of. Let-form can call a kept
// function if the values it takes and leaves are known without its body and contain no pairs (a pair is one value in
// stack code and several values in let-form); otherwise the caller is kept, too. A kept function can call let-form if
// the called function accepts only one combination of kinds: then that instance is a root, with the interface of the
// stack code. All other functions that a kept function calls are kept, too. A function can be both: let-form for some
// combinations of kinds, and stack code for those that only kept functions use.
