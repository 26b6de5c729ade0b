#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "base/check.h"
#include "fcode-opt/passes.h"
#include "ir/call_graph.h"
#include "ir/scalars.h"
#include "ir/walk.h"

namespace vcode::letform {
namespace {

/// For each parameter, the index of the constant it is, or kOneSegment, or kUnknown.
using Arguments = std::vector<std::uint32_t>;
constexpr std::uint32_t kUnknown = UINT32_MAX;
/// The argument is a descriptor of one segment, and the parameter is not marked scalar.
constexpr std::uint32_t kOneSegment = UINT32_MAX - 1;

bool is_constant(std::uint32_t argument) { return argument < kOneSegment; }

/// Whether these arguments and constants alone decide an IF.
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

/// Marks values as scalar because values they are computed from are scalar. Returns whether it has marked the result of
/// an operation.
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

  /// The function to call in place of the callee: perhaps a version for these arguments.
  std::uint32_t version(const Binding& call) {
    // The entry's parameters come from outside. The body of the function being visited has been moved out of it.
    if (call.target == program_.entry || call.target == function_) return call.target;
    const Function& callee = program_.functions[call.target];
    VC_CHECK(call.operands.size() == callee.parameters.size());
    Arguments arguments;
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
      const ValueInfo& given = program_.functions[function_].values[call.operands[k]];
      const bool one_segment =
          given.kind == Kind::kSegdes && given.scalar && !callee.values[callee.parameters[k]].scalar;
      // An operand that is divided is not this constant in a piece.
      const bool is_divided =
          !callee.piece_operands.empty() && callee.piece_operands[k].how != PieceOperand::How::kShared;
      arguments.push_back(one_segment ? kOneSegment : is_divided ? kUnknown : constant_of_[call.operands[k]]);
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

  /// Arguments that justify a version: constants if they decide an IF, descriptors of one segment if they make the
  /// result of an operation scalar.
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
    const std::size_t size = count_bindings(function);
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

  /// Whether a binding is a recursive call that passes these arguments on unchanged.
  static bool hands_on(const Binding& binding, std::uint32_t number, const Function& function,
                       const Arguments& arguments) {
    if (binding.form != Binding::Form::kCall || binding.target != number) return false;
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (arguments[k] != kUnknown && binding.operands[k] != function.parameters[k]) return false;
    return true;
  }

  Program& program_;
  std::size_t left_;  ///< number of bindings that may still be added
  std::deque<std::uint32_t> waiting_;
  std::uint32_t function_ = 0;              ///< function being visited
  std::vector<std::uint32_t> constant_of_;  ///< of each value of that function: its constant
  std::map<std::pair<std::uint32_t, Arguments>, std::uint32_t> versions_;
};

}  // namespace

/// Pass "specialize": clones functions for constant arguments that decide one of their IFs, and for descriptors of one
/// segment that make the result of an operation scalar.
///   before:  function f (x, up)  y = IF up then ... else ...  ret y     entry main (a)  t = CONST T  b = CALL f a t
///   after:   function f (x, v)  up = CONST T  y = IF up ...   ret y     entry main (a)  t = CONST T  b = CALL f a t
/// The original stays for calls with other arguments. A recursive call that passes the constants on calls the new
/// version. simplify() then decides the IF, and remove_dead_parameters() removes the parameter. Adds at most `growth`
/// bindings; O(size of the result + size of a function for each combination of arguments it is called with).
void specialize(Program& program, std::size_t growth) { Specializer(program, growth).run(); }

}  // namespace vcode::letform
