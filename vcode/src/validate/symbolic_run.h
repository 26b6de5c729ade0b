#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "type_table.h"
#include "vcode/stack_effects.h"

namespace vcode {

/// Bounds the work on hostile programs. One unit is about one value inspected.
class WorkBudget {
 public:
  explicit WorkBudget(const Program& program);
  void spend(std::size_t units) { left_ -= static_cast<std::int64_t>(units); }
  bool exhausted() const { return left_ < 0; }

 private:
  std::int64_t left_;
};

/// The demand of an instruction on an operand (counted from the deepest).
struct OperandRule {
  std::string_view name;
  KindSet kinds;
};
int operand_count(const Program& program, const Instruction& instruction);
OperandRule operand_rule(const Program& program, const Instruction& instruction, int operand, bool strict);

/// Receives the events of a run.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void reached(std::uint32_t instruction) = 0;
  /// The instruction needs `needed` values, but the stack has only `available` ("1", "at most 1"); for a CALL, `input`
  /// is the first missing input.
  virtual void underflow(std::uint32_t instruction, std::uint64_t needed, std::uint32_t input, std::string available,
                         std::string stack) = 0;
  /// Operand `operand` cannot be `actual`. For a CALL, `operand` is a type in the called function's effect.
  virtual void wrong_kind(std::uint32_t instruction, std::uint32_t operand, KindSet actual, std::string stack) = 0;
};

/// Runs one function on a stack of types. See Note [Criteria for errors].
class SymbolicRun {
 public:
  struct Setting {
    const Program& program;
    const StackEffects& effects;  ///< effects of the called functions
    WorkBudget& budget;
    bool strict = false;
    bool on_empty_stack = false;  ///< whether the stack is known to be empty at the start, as for the entry
    RunObserver* observer = nullptr;
  };

  SymbolicRun(const Setting& setting, const Function& function) : setting_(setting), function_(function) {}

  StackEffect run();

 private:
  struct State {
    std::vector<TypeId> stack;   ///< the topmost last
    std::uint32_t consumed = 0;  ///< number of inputs taken from below `stack`
    std::uint32_t needed = 0;    ///< number of inputs that every run needs
    std::uint64_t hidden = 0;    ///< largest number of values, of unknown types, that lie below `stack`
    bool goes_on = true;         ///< false behind EXIT or a call that does not return
    bool exits = false;          ///< some path has ended in EXIT
    bool succeeds() const { return goes_on || exits; }
  };
  struct OpenIf {
    std::size_t mark;
    State before;
    bool in_else = false;
    State then_end = {};
    TypeTable::Branch then_branch = {};
  };

  void step(const Instruction& instruction);
  void enter_if();
  void enter_else();
  void leave_if();
  State unite(State& a, State& b);

  void move_block(const Instruction& instruction);
  void call(std::uint32_t callee);
  void bind_input(const StackEffect& effect, TypeId formal, TypeId actual, bool certain);
  TypeId instantiate(const StackEffect& effect, TypeId formal);
  void check_operands(const Instruction& instruction, int count);
  void demand(TypeId type, const OperandRule& rule, std::uint32_t operand);

  void need(std::uint64_t count, bool is_call = false);
  void extend_below(std::size_t count, bool certain, bool is_call);
  void forget_stack();
  void push(TypeId type) { state_.stack.push_back(type); }
  std::string stack_text() const;

  StackEffect effect() const;

  Setting setting_;
  const Function& function_;
  TypeTable types_;
  State state_;
  std::vector<OpenIf> open_;
  std::vector<TypeId> inputs_;
  std::vector<Demand> input_demands_;
  std::vector<TypeId> bound_;  ///< types of the called function, during call()
  std::uint32_t at_ = 0;       ///< the instruction being run
};

/// The effect of a function about which nothing is known.
StackEffect unknown_effect();

}  // namespace vcode
