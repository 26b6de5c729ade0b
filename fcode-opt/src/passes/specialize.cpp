#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "fcode-opt/passes.h"
#include "ir/call_graph.h"
#include "ir/scalars.h"
#include "ir/walk.h"

namespace vcode::letform {
namespace {

/// For each parameter, the constant it is, or kOneSegment, or kUnknown.
using Arguments = std::vector<std::uint32_t>;
constexpr std::uint32_t kUnknown = UINT32_MAX;
/// A descriptor of one segment, which the function does not know of its parameter.
constexpr std::uint32_t kOneSegment = UINT32_MAX - 1;

bool is_constant(std::uint32_t argument) { return argument < kOneSegment; }

std::size_t size_of(const Function& function) {
  std::size_t size = 0;
  for_each_binding(function.body, [&](const Binding&) { ++size; });
  return size;
}

/// Whether an IF is decided by these arguments and constants alone.
bool decides(const Function& function, const Arguments& arguments) {
  std::vector<bool> known(function.values.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) known[function.parameters[k]] = is_constant(arguments[k]);
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

/// Marks what is scalar because of the parameters and operations that are. True if that is the result of an operation.
bool spread_scalars(const Block& block, std::vector<ValueInfo>& values) {
  bool found = false;
  for (const Binding& binding : block.bindings) {
    for (const Block& inner : binding.blocks) found = spread_scalars(inner, values) || found;
    for (std::size_t k = 0; k < binding.results.size() && binding.form == Binding::Form::kIf; ++k)
      if (values[binding.blocks[0].results[k]].scalar && values[binding.blocks[1].results[k]].scalar)
        values[binding.results[k]].scalar = true;
    if (binding.form != Binding::Form::kOp) continue;
    std::vector<bool> before;
    for (Var v : binding.results) before.push_back(values[v].scalar);
    note_scalar_results(binding, values);
    for (std::size_t k = 0; k < before.size(); ++k) found = found || values[binding.results[k]].scalar != before[k];
  }
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
    // The entry's parameters come from outside; a function that is being looked at has no body to copy just now.
    if (call.target == program_.entry || call.target == function_) return call.target;
    const Function& callee = program_.functions[call.target];
    Arguments arguments;
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
      const ValueInfo& given = program_.functions[function_].values[call.operands[k]];
      const bool one_segment =
          given.kind == Kind::kSegdes && given.scalar && !callee.values[callee.parameters[k]].scalar;
      arguments.push_back(one_segment ? kOneSegment : constant_of_[call.operands[k]]);
    }
    return version(call.target, std::move(arguments));
  }
  std::uint32_t version(std::uint32_t original, Arguments arguments) {
    if (std::count(arguments.begin(), arguments.end(), kUnknown) == std::ssize(arguments)) return original;
    const auto known = versions_.find({original, arguments});
    if (known != versions_.end()) return known->second;
    Arguments useful = useful_of(program_.functions[original], arguments);
    const std::uint32_t made =
        useful == arguments ? make_version(original, arguments) : version(original, std::move(useful));
    return versions_[{original, std::move(arguments)}] = made;
  }

  /// Those for which a version is worth while: constants if they decide an IF, descriptors of one segment if they make
  /// something scalar.
  static Arguments useful_of(const Function& function, const Arguments& arguments) {
    const bool constants = decides(function, arguments);
    std::vector<ValueInfo> values = function.values;
    spread_scalars(function.body, values);
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (arguments[k] == kOneSegment) values[function.parameters[k]].scalar = true;
    const bool segments = spread_scalars(function.body, values);
    Arguments useful = arguments;
    for (std::uint32_t& argument : useful)
      if (is_constant(argument) ? !constants : !segments) argument = kUnknown;
    return useful;
  }

  std::uint32_t make_version(std::uint32_t original, const Arguments& arguments) {
    const Function& function = program_.functions[original];
    const std::size_t size = size_of(function);
    if (size > left_ || function.linkage == Linkage::kExternal) return original;
    left_ -= size;
    Function copy = function;
    copy.linkage = Linkage::kInternal;
    copy.original = kNoFunction;
    std::vector<Binding> constants;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      Var& parameter = copy.parameters[k];
      if (arguments[k] == kOneSegment) copy.values[parameter].scalar = true;
      if (!is_constant(arguments[k])) continue;
      constants.push_back({.form = Binding::Form::kConst, .target = arguments[k], .results = {parameter}});
      copy.values.push_back(copy.values[parameter]);
      parameter = static_cast<Var>(copy.values.size() - 1);
    }
    copy.body.bindings.insert(copy.body.bindings.begin(), constants.begin(), constants.end());
    spread_scalars(copy.body, copy.values);
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

/// Pass "specialize": a function called with constants that decide one of its IFs becomes one for these constants, and
/// one called with descriptors of a single segment, among others, if something in it is scalar then.
///   before:  function f (x, up)  y = IF up then ... else ...  ret y     entry main (a)  t = CONST T  b = CALL f a t
///   after:   function f (x, v)  up = CONST T  y = IF up ...   ret y     entry main (a)  t = CONST T  b = CALL f a t
/// The original stays for the calls that have other arguments. A recursion that hands the constants on calls the new
/// function. simplify() then decides the IF, and remove_dead_parameters() takes the parameter away. At most `growth`
/// bindings are added; O(size of the result + size of a function for each kind of call of it).
void specialize(Program& program, std::size_t growth) { Specializer(program, growth).run(); }

}  // namespace vcode::letform
