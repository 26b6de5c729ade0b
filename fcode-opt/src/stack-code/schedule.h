#pragma once

#include <vector>

#include "fcode-opt/letform.h"
#include "fcode-opt/shapes.h"

namespace vcode::letform {

struct ScheduleEntry;

/// Way in which a value gets to the top of the stack, above the operands before it.
struct Operand {
  enum class How : std::uint8_t {
    kCopy,   ///< var has later uses
    kMove,   ///< this is the last use of var
    kConst,  ///< var is this constant, which is kept nowhere
    kStep,   ///< the results of a step that runs right here
  };
  How how = How::kCopy;
  Var var = kNoVar;
  std::uint32_t index = 0;  ///< number of the constant or the step
};

/// A binding, or the results of a block (then `binding` is null and the operands stay where they are).
struct ScheduleEntry {
  const Binding* binding = nullptr;
  std::vector<Operand> operands = {};      ///< in the order in which they are put on the stack
  std::vector<std::uint32_t> blocks = {};  ///< of IF: indices into Schedule::blocks
  std::vector<Var> dead = {};              ///< unused results, and values whose last use is the nest
  std::uint32_t end = 0;                   ///< the steps between this one and `end` compute its operands
};

struct BlockSchedule {
  /// A value from outside that leaves its slot on the stack in this block, and the step in which that happens.
  struct Departure {
    Var var;
    std::uint32_t step;
  };
  std::vector<Var> unneeded;         ///< values on the stack at the beginning that are used neither here nor later
  std::vector<std::uint32_t> steps;  ///< in the order in which they run; the last one yields the results
  std::vector<Departure> departures;
};

/// Order in which a function's bindings run, and the last use of every value.
struct Schedule {
  std::vector<ScheduleEntry> steps;
  std::vector<BlockSchedule> blocks;
  std::vector<std::uint32_t> departure;  ///< of each value, the step in which it leaves its slot; if an IF contains
                                         ///< that step, the step of the IF
  std::uint32_t body = 0;                ///< block of the function's body; its unneeded values are parameters
};

/// Chooses an order that suits a stack: see Note [Schedules]. `lengths` and `effects` as in safety.h.
Schedule make_schedule(const Program& program, const Function& function, const ShapeFacts& lengths,
                       const std::vector<bool>& effects);

}  // namespace vcode::letform
