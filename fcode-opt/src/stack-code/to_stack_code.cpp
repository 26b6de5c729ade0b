#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "fcode-opt/stack_code.h"
#include "inlined_calls.h"
#include "ir/make_kernel.h"
#include "ir/walk.h"
#include "kept_code.h"
#include "labels.h"
#include "schedule.h"
#include "shapes/safety.h"
#include "split_deep_ifs.h"
#include "stack_model.h"

namespace vcode::letform {
namespace {

/// Depth, beyond the number of operands, to which the first operand of an instruction is searched for on the stack.
constexpr std::uint32_t kLooksBelow = 16;

/// Writes the instructions of one function.
class Writer {
 public:
  Writer(const Program& program, const Function& function, const Schedule& schedule,
         const std::vector<std::uint32_t>& numbers, InlinedCalls& calls, vcode::Program& result)
      : program_(program),
        function_(function),
        schedule_(schedule),
        numbers_(numbers),
        calls_(calls),
        result_(result),
        departure_(schedule.departure),
        slot_of_(function.values.size()) {
    for (Var v : function.parameters) push(v);
  }

  std::vector<Instruction> run() {
    write_block(schedule_.body);
    VC_CHECK(pending_.size() == function_.body.results.size() && stack_.size() == pending_.size());
    return std::move(out_);
  }

 private:
  using How = Operand::How;

  struct PendingOperand {
    Slot slot;
    Var var;
  };

  /// Writes a block and leaves its results on top, in pending_.
  void write_block(std::uint32_t block) {
    drop(schedule_.blocks[block].unneeded);
    for (auto [v, step] : schedule_.blocks[block].departures) departure_[v] = step;
    for (std::uint32_t number : schedule_.blocks[block].steps) {
      if (!schedule_.steps[number].binding) return push_operands(number);
      const std::size_t base = pending_.size();
      run_step(number);
      pending_.resize(base);
      drop(schedule_.steps[number].dead);
    }
  }

  /// Runs a step and leaves its results on top, in pending_.
  void run_step(std::uint32_t number) {
    const ScheduleEntry& step = schedule_.steps[number];
    const Binding& binding = *step.binding;
    const std::size_t base = pending_.size();
    push_operands(number);
    Instruction& instruction = out_.emplace_back();
    instruction.site = make_site(binding, base);
    switch (binding.form) {
      case Binding::Form::kOp:
        instruction.op = binding.op;
        instruction.suffix = binding.suffix;
        break;
      case Binding::Form::kConst:
        instruction.statement = Statement::kConst;
        instruction.target = binding.target;
        break;
      case Binding::Form::kCall:
        instruction.statement = Statement::kCall;
        instruction.target = numbers_[binding.target];
        break;
      case Binding::Form::kIf:
        instruction.statement = Statement::kIf;
        break;
      case Binding::Form::kFused:
        instruction.statement = Statement::kFused;
        instruction.target = write_kernel(binding, base);
        break;
      case Binding::Form::kLiftedIf:
      case Binding::Form::kSteps:
        VC_CHECK(false);  // choose_masks() has replaced it
        break;
    }
    take_operands(base);
    if (binding.form == Binding::Form::kIf)
      write_branches(step);
    else
      for (Var v : binding.results) pending_.push_back({push(v), v});
  }

  void write_branches(const ScheduleEntry& step) {
    const std::size_t base = pending_.size(), slots_mark = old_slots_.size(), stack_mark = stack_.mark();
    const std::size_t if_at = out_.size() - 1;
    write_block(step.blocks[0]);
    pending_.resize(base);
    stack_.roll_back(stack_mark);
    for (; old_slots_.size() > slots_mark; old_slots_.pop_back())
      slot_of_[old_slots_.back().first] = old_slots_.back().second;
    const std::size_t else_at = out_.size();
    out_.emplace_back().statement = Statement::kElse;
    write_block(step.blocks[1]);
    if (out_.size() == else_at + 1) {
      out_.pop_back();
      out_[if_at].target = static_cast<std::uint32_t>(else_at);
    } else {
      out_[if_at].target = static_cast<std::uint32_t>(else_at);
      out_[else_at].target = static_cast<std::uint32_t>(out_.size());
    }
    out_.emplace_back().statement = Statement::kEndif;
    VC_CHECK(pending_.size() - base == step.binding->results.size());
    for (std::size_t k = base; k < pending_.size(); ++k) {
      pending_[k].var = step.binding->results[k - base];
      name(pending_[k].slot, pending_[k].var);
    }
  }

  // --- operands -----------------------------------------------------------------------------------------------

  void push_operands(std::uint32_t step) {
    std::vector<Operand> operands = schedule_.steps[step].operands;
    if (better_turned(step)) std::swap(operands[0], operands[1]);
    std::size_t k = in_place(step, operands);
    for (std::size_t i = 0; i < k; ++i) pending_.push_back({slot_of_[operands[i].var], operands[i].var});
    while (k < operands.size()) {
      const Operand& operand = operands[k];
      if (operand.how == How::kConst) {
        Instruction& instruction = out_.emplace_back();
        instruction.statement = Statement::kConst;
        instruction.target = operand.index;
        pending_.push_back({push(operand.var), operand.var});
        ++k;
      } else if (operand.how == How::kStep) {
        run_step(operand.index);
        drop(schedule_.steps[operand.index].dead);
        ++k;
      } else {
        k = push_neighbours(operands, k);
      }
    }
  }

  /// Whether more operands are in place already if the two operands are exchanged.
  bool better_turned(std::uint32_t number) const {
    const ScheduleEntry& step = schedule_.steps[number];
    if (!step.binding || step.binding->form != Binding::Form::kOp || step.operands.size() != 2 ||
        !info(step.binding->op).commutes())
      return false;
    const Operand &first = step.operands[0], &second = step.operands[1];
    // A copy made before a step cannot be made after the step, which may move the original.
    if (first.how == How::kCopy && second.how == How::kStep) return false;
    // Two steps may have effects, so they stay in order.
    if (first.how == How::kStep && second.how == How::kStep) return false;
    return begins_in_place(number, {second, first}) > begins_in_place(number, {first, second});
  }
  std::size_t begins_in_place(std::uint32_t step, const std::vector<Operand>& operands) const {
    if (operands.empty()) return 0;
    const std::size_t count = in_place(step, operands);
    if (count == operands.size() || operands[count].how != How::kStep) return count;
    return count + begins_in_place(operands[count].index, schedule_.steps[operands[count].index].operands);
  }

  /// Number of operands that need not be moved: they are in order, and all other values above the first of them will
  /// have left when the instruction runs.
  std::size_t in_place(std::uint32_t step, const std::vector<Operand>& operands) const {
    if (operands.empty() || operands[0].how != How::kMove) return 0;
    const std::uint32_t depth = stack_.depth(slot_of_[operands[0].var]);
    if (depth > operands.size() + kLooksBelow) return 0;
    for (std::uint32_t d = 0; d < depth; ++d) {
      const Var above = var_at_[stack_.at_depth(d)];
      if (above == kNoVar) return 0;
      const bool leaves = departure_[above] > step && departure_[above] < schedule_.steps[step].end;
      const bool moves = departure_[above] == step &&
                         std::any_of(operands.begin(), operands.end(),
                                     [&](const Operand& o) { return o.how == How::kMove && o.var == above; });
      if (!leaves && !moves) return 0;
    }
    std::size_t count = 1;
    while (count < operands.size() && operands[count].how == How::kMove &&
           slot_of_[operands[count].var] > slot_of_[operands[count - 1].var])
      ++count;
    return count;
  }

  /// Copies or moves operand k and the operands after it that are next to it on the stack in the same order. Returns
  /// the index of the next operand.
  std::size_t push_neighbours(const std::vector<Operand>& operands, std::size_t k) {
    const How how = operands[k].how;
    const std::size_t first = k;
    std::uint32_t depth = stack_.depth(slot_of_[operands[k].var]);
    for (++k; k < operands.size() && operands[k].how == how && depth > 0; ++k) {
      if (stack_.depth(slot_of_[operands[k].var]) != depth - 1) break;
      --depth;
    }
    move(how == How::kCopy ? Statement::kCopy : Statement::kCpop, k - first, depth);
    for (std::size_t i = first; i < k; ++i) {
      Var v = operands[i].var;
      if (how == How::kMove) stack_.remove(slot_of_[v]);
      pending_.push_back({push(how == How::kMove ? v : kNoVar), v});
    }
    return k;
  }

  void take_operands(std::size_t base) {
    for (; pending_.size() > base; pending_.pop_back()) stack_.remove(pending_.back().slot);
  }

  // --- the stack ----------------------------------------------------------------------------------------------

  void move(Statement statement, std::size_t count, std::uint32_t depth) {
    Instruction& instruction = out_.emplace_back();
    instruction.statement = statement;
    instruction.count = static_cast<std::int64_t>(count);
    instruction.depth = depth;
  }

  /// Removes values from the stack, adjacent ones with one instruction.
  void drop(const std::vector<Var>& values) {
    std::vector<Slot> slots;
    for (Var v : values) slots.push_back(slot_of_[v]);
    std::sort(slots.rbegin(), slots.rend());
    for (std::size_t k = 0; k < slots.size();) {
      const std::uint32_t top = stack_.depth(slots[k]);
      std::uint32_t count = 1;
      while (k + count < slots.size() && stack_.depth(slots[k + count]) == top + count) ++count;
      move(Statement::kPop, count, top);
      for (std::uint32_t i = 0; i < count; ++i) stack_.remove(slots[k++]);
    }
  }

  /// Pushes a value; kNoVar is a copy.
  Slot push(Var v) {
    const Slot slot = stack_.push();
    name(slot, v);
    return slot;
  }
  void name(Slot slot, Var v) {
    if (slot >= var_at_.size()) var_at_.resize(slot + 1);
    var_at_[slot] = v;
    if (v == kNoVar) return;
    old_slots_.push_back({v, slot_of_[v]});
    slot_of_[v] = slot;
  }

  std::uint32_t write_kernel(const Binding& binding, std::size_t base) {
    Kernel kernel = make_kernel(function_, binding);
    const auto number = static_cast<std::uint32_t>(result_.kernels.size());
    kernel.number = number;
    kernel.name = fmt::format("{}.{}", function_.name, number);
    const std::optional<Location> outside = std::exchange(location_, std::nullopt);
    for (std::size_t k = 0; k < kernel.steps.size(); ++k)
      kernel.steps[k].site = make_site(binding.blocks[0].bindings[k], base);
    location_ = outside;
    result_.kernels.push_back(std::move(kernel));
    result_.is_fcode = true;
    return number;
  }

  /// Makes the site of an instruction; none if only its location is known and is the last one named. The depths of
  /// nests are those before the instruction runs, when its operands, in pending_ from `base`, are on top.
  std::uint32_t make_site(const Binding& binding, std::size_t base) {
    if (binding.site == kNoSite) return kNoSite;
    const Location location{&program_.sites[binding.site], calls_.take(binding.inlined)};
    InstructionSite site{*location.site, {}, binding.outermost, binding.location_only, location.inlined};
    if (binding.location_only) {
      site.site.message.clear();
      site.site.values.clear();
      if (location_ && location.inlined == location_->inlined && same_location(site.site, *location_->site))
        return kNoSite;
    }
    location_ = location;
    for (Var v : binding.nest) {
      if (reads_clock(binding)) break;  // readers of the program find the timed values on the stack
      // The operands of a call do not stay on the stack.
      const Slot slot = binding.form == Binding::Form::kCall ? slot_of_[v] : find(v, base);
      site.nest.push_back(stack_.depth(slot));
    }
    result_.sites.push_back(std::move(site));
    return static_cast<std::uint32_t>(result_.sites.size() - 1);
  }

  /// Slot of a value of a nest. If the value is also an operand, the operand is used, so no copy of it need stay on the
  /// stack.
  Slot find(Var v, std::size_t base) const {
    const auto operand = std::find_if(pending_.begin() + static_cast<std::ptrdiff_t>(base), pending_.end(),
                                      [v](const PendingOperand& o) { return o.var == v; });
    return operand != pending_.end() ? operand->slot : slot_of_[v];
  }

  struct Location {
    const Site* site;
    std::uint32_t inlined;  ///< as in an InstructionSite
  };
  static bool same_location(const Site& a, const Site& b) {
    return a.line == b.line && a.column == b.column && a.file == b.file && a.function == b.function;
  }

  const Program& program_;
  const Function& function_;
  const Schedule& schedule_;
  const std::vector<std::uint32_t>& numbers_;  ///< of each function: its number in the result
  InlinedCalls& calls_;
  vcode::Program& result_;  ///< gets the sites and kernels
  std::vector<Instruction> out_;
  StackModel stack_;
  std::vector<std::uint32_t> departure_;              ///< departures of the schedule, as seen from the block being
                                                      ///< written
  std::vector<Slot> slot_of_;                         ///< of each value on the stack: its slot
  std::vector<Var> var_at_;                           ///< of each slot: its value; kNoVar for copies
  std::vector<std::pair<Var, Slot>> old_slots_ = {};  ///< slots to restore before the other branch
  std::vector<PendingOperand> pending_;               ///< values on top of the stack that wait for their instruction
  std::optional<Location> location_;                  ///< the last location named
};

/// Functions with input, output, random numbers or EXIT, perhaps from inlined calls, are not run in pieces.
void remove_cuts_that_act(vcode::Program& program) {
  const std::vector<bool> acts = functions_that_act(program);
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    PieceOperands& piece_operands = program.functions[f].piece_operands;
    if (acts[f]) piece_operands.clear();
    program.is_fcode = program.is_fcode || !piece_operands.empty();
  }
}

}  // namespace

/// Pass "stack-code": converts let-form to VCODE.
///   before:  function f (a: Int, b: Int)   c = * INT a a   d = + INT c b   ret d
///   after:   FUNC f  CPOP 1 1  COPY 1 0  * INT  + INT  RET
/// Needs a program that verify() accepts. make_schedule() chooses the order; Writer puts operands on the stack, most of
/// which are in place already. O(n log n).
vcode::Program to_stack_code(const Program& program) { return to_stack_code(program, {}); }

vcode::Program to_stack_code(const Program& program, const vcode::Program& original) {
  VC_CHECK(verify(program).empty());
  vcode::Program result;
  result.constants = program.constants;
  Labels labels;
  InlinedCalls calls(program, result);
  KeptCode kept(program, original, calls, result);
  // The entry becomes the first function. No other function is named MAIN, so the entry need not have that name.
  std::vector<std::uint32_t> order{program.entry}, numbers(program.functions.size());
  for (std::uint32_t f = 0; f < program.functions.size(); ++f)
    if (f != program.entry) order.push_back(f);
  std::uint32_t next = 0;
  for (std::uint32_t f : order) {
    const bool is_external = program.functions[f].linkage == Linkage::kExternal;
    numbers[f] = is_external && f != program.entry ? kNoFunction : next++;
    kept.place(program.functions[f], numbers[f]);
  }
  result.functions.resize(next);
  for (std::uint32_t f : order)
    if (numbers[f] == kNoFunction) numbers[f] = kept.number_of(program.functions[f].original);
  const std::string entry = labels.make(program.functions[program.entry].name);
  if (entry != "MAIN") labels.make("MAIN");
  const ShapeFacts lengths = length_facts(program);
  const std::vector<bool> effects = functions_with_effects(program, lengths);
  for (std::uint32_t f : order) {
    const Function& function = program.functions[f];
    if (function.linkage == Linkage::kExternal) continue;
    vcode::Function& written = result.functions[numbers[f]];
    written.name = f == program.entry ? entry : labels.make(function.name);
    const Schedule schedule = make_schedule(program, function, lengths, effects);
    written.body = Writer(program, function, schedule, numbers, calls, result).run();
    written.piece_operands = function.piece_operands;
  }
  kept.write(labels);
  split_deep_ifs(result, labels);
  remove_cuts_that_act(result);
  return result;
}

}  // namespace vcode::letform
