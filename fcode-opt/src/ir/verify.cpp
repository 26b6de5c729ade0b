#include <fmt/format.h>

#include "fcode-opt/letform.h"
#include "make_kernel.h"
#include "vcode/kernel_rules.h"
#include "walk.h"

namespace vcode::letform {
namespace {

/// Verifies one function and keeps the first complaint.
class Verifier {
 public:
  Verifier(const Program& program, const Function& function)
      : program_(program), function_(function), state_(function.values.size(), State::kUnbound) {}

  std::string run() {
    for (Var v : function_.parameters) bind(v, "parameters");
    check_piece_operands();
    if (function_.linkage == Linkage::kExternal) {
      expect_count("bindings", function_.body.bindings.size(), 0, "an external function");
      for (Var v : function_.body.results) bind(v, "results");
    }
    check_block(function_.body);
    return complaint_.empty() ? complaint_ : fmt::format("in function {}: {}", function_.name, complaint_);
  }

 private:
  enum class State : std::uint8_t { kUnbound, kVisible, kGone };

  template <class... Args>
  void complain(fmt::format_string<Args...> format, Args&&... args) {
    if (complaint_.empty()) complaint_ = fmt::format(format, std::forward<Args>(args)...);
  }
  std::string name(Var v) const {
    const bool has_name = v < function_.values.size() && !function_.values[v].name.empty();
    return has_name ? fmt::format("{}.{}", function_.values[v].name, v) : fmt::format("v{}", v);
  }
  Kind kind(Var v) const { return function_.values[v].kind; }

  void bind(Var v, std::string_view where) {
    if (v >= state_.size()) return complain("{} does not exist, in {}", name(v), where);
    if (state_[v] != State::kUnbound) complain("{} is bound twice, the second time in {}", name(v), where);
    if (kind(v) == Kind::kPair) complain("{} is a pair", name(v));
    state_[v] = State::kVisible;
    bound_.push_back(v);
  }
  /// Complains, and returns false, if the value is not visible.
  bool use(Var v, std::string_view where) {
    if (v < state_.size() && state_[v] == State::kVisible) return true;
    complain("{} is not visible in {}", name(v), where);
    return false;
  }
  void expect_count(std::string_view what, std::size_t actual, std::size_t expected, std::string_view where) {
    if (actual != expected) complain("{} needs {} {}, not {}", where, expected, what, actual);
  }
  void expect_kind(Var v, Kind expected, std::string_view where) {
    if (v < state_.size() && kind(v) != expected)
      complain("{} must be {} in {} but is {}", name(v), kind_name(expected), where, kind_name(kind(v)));
  }

  void check_piece_operands() {
    if (function_.piece_operands.empty() || !complaint_.empty()) return;
    expect_count("cuts", function_.piece_operands.size(), function_.parameters.size(), "a function with pieces");
    if (const std::string broken = complaint_about(function_.piece_operands); !broken.empty()) complain("{}", broken);
    for (std::size_t k = 0; complaint_.empty() && k < function_.piece_operands.size(); ++k) {
      const PieceOperand& cut = function_.piece_operands[k];
      if (cut.how == PieceOperand::How::kShared) continue;
      if (cut.how == PieceOperand::How::kWhole) expect_kind(function_.parameters[k], Kind::kSegdes, "a cut");
      if (cut.of != kIndexSpace) expect_kind(function_.parameters[cut.of], Kind::kSegdes, "a cut");
    }
  }

  /// `may_lack`: results of the block can be kNoVar.
  void check_block(const Block& block, bool may_lack = false) {
    const std::size_t outer = bound_.size();
    for (const Binding& binding : block.bindings) {
      if (!complaint_.empty()) return;
      check(binding);
    }
    for (Var v : block.results)
      if (v != kNoVar || !may_lack) use(v, "the results of a block");
    for (; bound_.size() > outer; bound_.pop_back()) state_[bound_.back()] = State::kGone;
  }

  void check(const Binding& binding) {
    const std::string where = describe(binding);
    bool visible = true;
    for (Var v : binding.operands) visible = use(v, where) && visible;
    for (Var v : binding.nest) {
      if (!use(v, where)) continue;
      if ((kind(v) == Kind::kFloat || kind(v) == Kind::kByte) && !reads_clock(binding))
        complain("{} cannot be in the nest of {}", name(v), where);
    }
    if (binding.site != kNoSite && binding.site >= program_.sites.size()) complain("{} has no such site", where);
    if (!visible) return;
    switch (binding.form) {
      case Binding::Form::kOp:
        check_op(binding, where);
        break;
      case Binding::Form::kConst:
        check_constant(binding, where);
        break;
      case Binding::Form::kCall:
        check_call(binding, where);
        break;
      case Binding::Form::kIf:
        check_if(binding, where);
        break;
      case Binding::Form::kFused:
        check_fused(binding, where);
        break;
      case Binding::Form::kLiftedIf:
        check_lifted_if(binding, where);
        break;
      case Binding::Form::kSteps:
        return check_steps(binding, where);
    }
    if (binding.form <= Binding::Form::kCall) expect_count("blocks", binding.blocks.size(), 0, where);
    for (Var v : binding.results) bind(v, where);
  }

  std::string describe(const Binding& binding) const {
    switch (binding.form) {
      case Binding::Form::kOp:
        return fmt::format("{}{}{}", info(binding.op).text, binding.suffix == Suffix::kNone ? "" : " ",
                           suffix_name(binding.suffix));
      case Binding::Form::kConst:
        return "CONST";
      case Binding::Form::kCall:
        return binding.target < program_.functions.size()
                   ? fmt::format("CALL {}", program_.functions[binding.target].name)
                   : fmt::format("CALL of function {}, which does not exist", binding.target);
      case Binding::Form::kIf:
        return "IF";
      case Binding::Form::kFused:
        return "FUSED";
      case Binding::Form::kLiftedIf:
        return "LIFTED IF";
      case Binding::Form::kSteps:
        return "STEPS";
    }
    return {};
  }

  void check_op(const Binding& binding, const std::string& where) {
    const OpInfo& row = info(binding.op);
    if (!row.takes(binding.suffix)) return complain("{} does not exist", where);
    check_roles(row.signature.operands, row.signature.operand_count, binding.operands, binding.suffix, "operands",
                where);
    check_roles(row.signature.results, row.signature.result_count, binding.results, binding.suffix, "results", where);
  }

  void check_roles(const std::array<Role, Signature::kMaxRoles>& roles, int count, const std::vector<Var>& values,
                   Suffix suffix, std::string_view what, const std::string& where) {
    expect_count(what, values.size(), static_cast<std::size_t>(count), where);
    for (std::size_t k = 0; complaint_.empty() && k < values.size(); ++k)
      if (roles[k].type != RoleType::kAnything) expect_kind(values[k], Signature::kind(roles[k], suffix), where);
  }

  void check_constant(const Binding& binding, const std::string& where) {
    if (binding.target >= program_.constants.size()) return complain("there is no constant {}", binding.target);
    expect_count("operands", binding.operands.size(), 0, where);
    expect_count("results", binding.results.size(), 1, where);
    if (complaint_.empty())
      expect_kind(binding.results[0], suffix_kind(program_.constants[binding.target].type), where);
  }

  void check_call(const Binding& binding, const std::string& where) {
    if (binding.target >= program_.functions.size()) return complain("{}", where);
    const Function& callee = program_.functions[binding.target];
    auto check_values = [&](const std::vector<Var>& actual, const std::vector<Var>& formal, std::string_view what) {
      expect_count(what, actual.size(), formal.size(), where);
      for (std::size_t k = 0; complaint_.empty() && k < actual.size(); ++k)
        if (formal[k] < callee.values.size()) expect_kind(actual[k], callee.values[formal[k]].kind, where);
    };
    check_values(binding.operands, callee.parameters, "operands");
    check_values(binding.results, callee.body.results, "results");
  }

  void check_if(const Binding& binding, const std::string& where) {
    expect_count("operands", binding.operands.size(), 1, where);
    expect_count("blocks", binding.blocks.size(), 2, where);
    if (!complaint_.empty()) return;
    expect_kind(binding.operands[0], Kind::kBool, where);
    check_blocks(binding, where);
  }

  void check_lifted_if(const Binding& binding, const std::string& where) {
    expect_count("operands", binding.operands.size(), kLiftedIfOperands, where);
    expect_count("blocks", binding.blocks.size(), 2, where);
    if (!complaint_.empty()) return;
    for (std::size_t k = 0; k < kLiftedIfOperands; ++k)
      expect_kind(binding.operands[k], k == kAll ? Kind::kSegdes : Kind::kBool, where);
    check_blocks(binding, where);
    for (std::size_t k = 0; complaint_.empty() && k < binding.results.size(); ++k)
      if (binding.blocks[0].results[k] == kNoVar && binding.blocks[1].results[k] == kNoVar)
        complain("{} leaves a result unspecified", where);
  }

  void check_steps(const Binding& binding, const std::string& where) {
    expect_count("blocks", binding.blocks.size(), 1, where);
    expect_count("results", binding.results.size(), binding.operands.size(), where);
    if (!complaint_.empty()) return;
    for (Var v : binding.results) bind(v, where);
    for (std::size_t k = 0; complaint_.empty() && k < binding.operands.size(); ++k)
      expect_kind(binding.operands[k], kind(binding.results[k]), where);
    const Block& block = binding.blocks[0];
    expect_count("results", block.results.size(), binding.results.size() + 1, "a step of " + where);
    check_block(block);
    for (std::size_t k = 0; complaint_.empty() && k < block.results.size(); ++k)
      expect_kind(block.results[k], k < binding.results.size() ? kind(binding.results[k]) : Kind::kBool, where);
  }

  void check_blocks(const Binding& binding, const std::string& where) {
    for (const Block& block : binding.blocks) {
      expect_count("results", block.results.size(), binding.results.size(), "a branch of " + where);
      check_block(block, binding.form == Binding::Form::kLiftedIf);
      for (std::size_t k = 0; complaint_.empty() && k < block.results.size(); ++k)
        if (binding.results[k] < state_.size() && block.results[k] != kNoVar)
          expect_kind(block.results[k], kind(binding.results[k]), "a branch of " + where);
    }
  }

  void check_fused(const Binding& binding, const std::string& where) {
    expect_count("blocks", binding.blocks.size(), 1, where);
    if (binding.target >= binding.operands.size()) complain("{} goes over an operand it does not have", where);
    if (!complaint_.empty()) return;
    const Block& steps = binding.blocks[0];
    expect_count("results", steps.results.size(), binding.results.size(), "a kernel");
    if (binding.state.size() > binding.operands.size()) return complain("{} has more loop values than operands", where);
    // Only the operands and the nest are visible inside.
    std::vector<State> outside = state_;
    for (State& state : state_)
      if (state == State::kVisible) state = State::kGone;
    for (std::size_t k = binding.state.size(); k < binding.operands.size(); ++k)
      state_[binding.operands[k]] = State::kVisible;
    for (Var v : binding.nest) state_[v] = State::kVisible;
    for (Var v : binding.state) bind(v, where);
    for (std::size_t k = 0; complaint_.empty() && k < binding.state.size(); ++k)
      expect_kind(binding.operands[k], kind(binding.state[k]), where);
    check_block(steps);
    for (Var v : binding.state) state_[v] = State::kGone;
    for (std::size_t k = 0; complaint_.empty() && k < steps.results.size(); ++k)
      if (binding.results[k] < state_.size()) expect_kind(steps.results[k], kind(binding.results[k]), "a kernel");
    for (std::size_t v = 0; v < outside.size(); ++v)
      if (outside[v] != State::kUnbound) state_[v] = outside[v];
    if (!complaint_.empty()) return;
    const KernelFacts facts = look_at(make_kernel(function_, binding));
    if (!facts.error.empty()) complain("{}: {}", where, facts.error);
  }

  const Program& program_;
  const Function& function_;
  std::vector<State> state_;
  std::vector<Var> bound_;  ///< the visible values, in the order in which they were bound
  std::string complaint_;
};

}  // namespace

std::string verify(const Program& program) {
  if (program.entry >= program.functions.size()) return "the program has no entry";
  for (const Function& function : program.functions)
    if (std::string complaint = Verifier(program, function).run(); !complaint.empty()) return complaint;
  return {};
}

}  // namespace vcode::letform
