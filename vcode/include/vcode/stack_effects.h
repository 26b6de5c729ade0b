#pragma once

#include <cstdint>
#include <vector>

#include "vcode/program.h"

namespace vcode {

/// A set of kinds that a value can have, as a set of 1 << Kind.
using KindSet = std::uint8_t;
namespace kinds {
constexpr KindSet one(Kind k) { return static_cast<KindSet>(1u << static_cast<int>(k)); }
inline constexpr KindSet kVector = one(Kind::kInt) | one(Kind::kBool) | one(Kind::kFloat) | one(Kind::kByte);
inline constexpr KindSet kAny = kVector | one(Kind::kSegdes) | one(Kind::kPair);
}  // namespace kinds

/// Index of a ValueType in its StackEffect. The first five are Int, Bool, Float, Byte and Segdes.
using TypeId = std::uint32_t;
inline constexpr TypeId kNoType = UINT32_MAX;
inline constexpr TypeId kGroundTypes = 5;

/// The instruction of a function that requires a kind or an input; for a CALL, also the type or input of the callee's
/// stack effect that it comes from.
struct Demand {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t instruction = kNone;
  std::uint32_t operand = 0;  ///< operand number, or TypeId or input number of the called function
};

/// Knowledge of a value. A type that occurs twice in an effect stands for one and the same value.
struct ValueType {
  KindSet kinds = kinds::kAny;               ///< kinds possible once the function has returned
  KindSet required = kinds::kAny;            ///< inputs only: with any other kind the call certainly fails
  TypeId first = kNoType, second = kNoType;  ///< parts, if it is a known pair
  Demand demand = {};                        ///< the instruction that last restricted `required`
};

/// The effect of a call of a function on the stack.
struct StackEffect {
  bool analysed = false;  ///< false: not reachable from the entry
  bool returns = false;   ///< some path reaches RET
  bool exits = false;     ///< some path ends the program with EXIT
  /// False if the numbers of inputs and outputs depend on values known only at run time: then an unknown part of the
  /// stack is consumed or new, and `outputs` are only the topmost values.
  bool exact = true;
  std::uint32_t needed = 0;           ///< with fewer values on the stack the call certainly fails
  std::vector<TypeId> inputs;         ///< from the top of the stack down
  std::vector<Demand> input_demands;  ///< for each input: the instruction that first reaches down to it
  std::vector<TypeId> outputs;        ///< the topmost last
  std::vector<ValueType> types;
};

/// The effect of each function of a program.
using StackEffects = std::vector<StackEffect>;

/// Infers the effects by running the functions on stacks of types, callees first. Recursive functions are iterated from
/// "never returns" until nothing changes. Always terminates, in time and memory proportional to the program's size, up
/// to a limit beyond which effects are no longer exact. `strict` as in validate().
StackEffects infer_stack_effects(const Program& program, bool strict);

}  // namespace vcode
