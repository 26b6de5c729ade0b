#include <deque>
#include <map>
#include <utility>

#include "call_graph.h"
#include "walk.h"

namespace vcode::letform {
namespace {

/// For each parameter, the constant it is, or kUnknown.
using Arguments = std::vector<std::uint32_t>;
constexpr std::uint32_t kUnknown = UINT32_MAX;

std::size_t size_of(const Function& function) {
  std::size_t size = 0;
  for_each_binding(function.body, [&](const Binding&) { ++size; });
  return size;
}

/// Whether an IF is decided by these arguments and constants alone.
bool decides(const Function& function, const Arguments& arguments) {
  std::vector<bool> known(function.values.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) known[function.parameters[k]] = arguments[k] != kUnknown;
  bool found = false;
  for_each_binding(function.body, [&](const Binding& binding) {
    bool all = true;
    for (Var v : binding.operands) all = all && known[v];
    if (binding.form == Binding::Form::kIf) found = found || all;
    const bool computed =
        all && binding.form == Binding::Form::kOp && info(binding.op).op_class == OpClass::kElementwise;
    if (computed || binding.form == Binding::Form::kConst) known[binding.results[0]] = true;
  });
  return found;
}

class Specializer {
 public:
  Specializer(Program& program, std::size_t growth) : program_(program), left_(growth) {}

  void run() {
    for (std::uint32_t f : make_call_graph(program_).order) waiting_.push_back(f);
    while (!waiting_.empty()) {
      function_ = waiting_.front();
      waiting_.pop_front();
      constant_of_.assign(program_.functions[function_].values.size(), kUnknown);
      Block body = std::exchange(program_.functions[function_].body, {});
      look_at(body);
      program_.functions[function_].body = std::move(body);
    }
    remove_unreachable_functions(program_);
  }

 private:
  void look_at(Block& block) {
    for (Binding& binding : block.bindings) {
      if (binding.form == Binding::Form::kConst && program_.constants[binding.target].size() == 1)
        constant_of_[binding.results[0]] = binding.target;
      if (binding.form == Binding::Form::kCall) binding.target = version(binding);
      for (Block& inner : binding.blocks) look_at(inner);
    }
  }

  /// The function to call in place of the one a binding calls: perhaps one made for these arguments.
  std::uint32_t version(const Binding& call) {
    Arguments arguments;
    bool any = false;
    for (Var v : call.operands) {
      arguments.push_back(constant_of_[v]);
      any = any || arguments.back() != kUnknown;
    }
    // The entry's parameters come from outside; a function that is being looked at has no body to copy just now.
    if (!any || call.target == program_.entry || call.target == function_) return call.target;
    auto [it, is_new] = versions_.try_emplace({call.target, std::move(arguments)}, call.target);
    if (is_new) it->second = make_version(call.target, it->first.second);
    return it->second;
  }

  std::uint32_t make_version(std::uint32_t original, const Arguments& arguments) {
    const Function& function = program_.functions[original];
    const std::size_t size = size_of(function);
    if (size > left_ || !decides(function, arguments)) return original;
    left_ -= size;
    Function copy = function;
    copy.linkage = Linkage::kInternal;
    copy.original = kNoFunction;
    std::vector<Binding> constants;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (arguments[k] == kUnknown) continue;
      Var& parameter = copy.parameters[k];
      constants.push_back({.form = Binding::Form::kConst, .target = arguments[k], .results = {parameter}});
      copy.values.push_back(copy.values[parameter]);
      parameter = static_cast<Var>(copy.values.size() - 1);
    }
    copy.body.bindings.insert(copy.body.bindings.begin(), constants.begin(), constants.end());
    const auto number = static_cast<std::uint32_t>(program_.functions.size());
    for_each_binding(copy.body, [&](Binding& binding) {
      if (hands_on(binding, original, function, arguments)) binding.target = number;
    });
    program_.functions.push_back(std::move(copy));
    waiting_.push_back(number);
    return number;
  }

  /// Whether a call of the function in itself has the same constants as arguments, handed on.
  static bool hands_on(const Binding& binding, std::uint32_t number, const Function& function,
                       const Arguments& arguments) {
    if (binding.form != Binding::Form::kCall || binding.target != number) return false;
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (arguments[k] != kUnknown && binding.operands[k] != function.parameters[k]) return false;
    return true;
  }

  Program& program_;
  std::size_t left_;  ///< so many bindings may be added
  std::deque<std::uint32_t> waiting_;
  std::uint32_t function_ = 0;              ///< being looked at
  std::vector<std::uint32_t> constant_of_;  ///< its values
  std::map<std::pair<std::uint32_t, Arguments>, std::uint32_t> versions_;
};

}  // namespace

/// Pass "specialize": a function called with constants that decide one of its IFs becomes one for these constants.
///   before:  function f (x, up)  y = IF up then ... else ...  ret y     entry main (a)  t = CONST T  b = CALL f a t
///   after:   function f (x, v)  up = CONST T  y = IF up ...   ret y     entry main (a)  t = CONST T  b = CALL f a t
/// The original stays for the calls that have other arguments. A recursion that hands the constants on calls the new
/// function. simplify() then decides the IF, and remove_dead_parameters() takes the parameter away. At most `growth`
/// bindings are added; O(size of the result + size of a function for each kind of call of it).
void specialize(Program& program, std::size_t growth) { Specializer(program, growth).run(); }

}  // namespace vcode::letform
