#include "report/nest_path.h"

#include <algorithm>

#include <fmt/format.h>

#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
#include "report/stack_heights.h"

namespace interp {

using runtime::Value;
using vcode::InstructionSite;

namespace {

// Most indices of a path that are shown; recursion can make longer paths.
constexpr std::size_t kShownLevels = 16;

/// Walks outward from an element, one nesting level at a time.
class Walk {
 public:
  explicit Walk(std::int64_t element) : element_(element) {}

  /// Renumbers the element from the instances of a piece to the instances of the whole call.
  void leave_piece(const PieceOf& piece) { element_ += piece.first_instance; }

  /// Goes to the enclosing nesting level, described by a value of `evaluator`. False if the value does not fit the
  /// element.
  bool step(const Value& level, runtime::Evaluator& evaluator) {
    evaluator_ = &evaluator;
    if (level.is_segdes()) return step_descriptor(level);
    if (level.is_vector() && level.kind() == vcode::Kind::kBool) return step_flags(level);
    if (!level.is_vector() || level.kind() != vcode::Kind::kInt || element_ >= level.length()) return false;
    const void* data = evaluator_->heap().host_data(level);
    if (data == nullptr) return false;
    element_ = cvl::integer_at({level.type(), level.length(), data}, element_);
    return element_ >= 0;
  }

  NestPath path;

 private:
  bool step_descriptor(const Value& level) {
    if (element_ >= level.elements()) return false;
    std::int64_t segment = 0, start = 0;
    if (level.tag() == Value::Tag::kSegdes) {
      if (level.segdes()->regular_length > 0) {
        segment = element_ / level.segdes()->regular_length;
        start = segment * level.segdes()->regular_length;
      } else if (!find_segment(level, segment, start)) {
        return false;
      }
    }
    path.positions.push_back(element_ - start);
    element_ = segment;
    return true;
  }

  /// Renumbers the element, which is one of those with a true flag, among all flags.
  bool step_flags(const Value& level) {
    const auto* flags = static_cast<const bool*>(evaluator_->heap().host_data(level));
    if (flags == nullptr) return false;
    std::int64_t location = 0, before = 0;
    while (location < level.length() && !(flags[location] && before++ == element_)) ++location;
    element_ = location;
    return location < level.length();
  }

  bool find_segment(const Value& level, std::int64_t& segment, std::int64_t& start) {
    const Value lengths = evaluator_->lengths_of(level);
    if (lengths.tag() == Value::Tag::kNone) return false;
    const cvl::Operand operand{lengths.type(), lengths.length(), evaluator_->heap().host_data(lengths)};
    if (operand.data == nullptr) return false;
    for (; segment < operand.length; ++segment) {
      const std::int64_t length = cvl::integer_at(operand, segment);
      if (element_ < start + length) return true;
      start += length;
    }
    return false;
  }

  runtime::Evaluator* evaluator_ = nullptr;
  std::int64_t element_;
};

/// The site with this number; null if it is kNoSite or has only a location.
const InstructionSite* full_site(const vcode::Program& program, std::uint32_t site) {
  return site == vcode::kNoSite || program.sites[site].location_only ? nullptr : &program.sites[site];
}

/// The kernel with the failed step; or null.
const vcode::Kernel* failed_kernel(const vcode::Program& program, const Machine& machine) {
  if (!machine.failed_step()) return nullptr;
  const LinkedProgram::Origin where = machine.where();
  return &program.kernels[program.functions[where.function].body[where.instruction].target];
}

}  // namespace

const InstructionSite* site_of(const vcode::Program& program, LinkedProgram::Origin origin) {
  const vcode::Function& function = program.functions[origin.function];
  return origin.instruction >= function.body.size() ? nullptr
                                                    : full_site(program, function.body[origin.instruction].site);
}

const InstructionSite* present_site(const vcode::Program& program, const Machine& machine) {
  if (const vcode::Kernel* kernel = failed_kernel(program, machine))
    if (const InstructionSite* site = full_site(program, kernel->steps[*machine.failed_step()].site)) return site;
  return site_of(program, machine.where());
}

const InstructionSite* present_location(const vcode::Program& program, const Machine& machine) {
  if (const vcode::Kernel* kernel = failed_kernel(program, machine))
    if (const InstructionSite* site = last_location(program, kernel->steps, *machine.failed_step() + 1)) return site;
  return location_of(program, machine.where());
}

std::string NestPath::text() const {
  if (positions.empty()) return "";
  std::string text = complete ? "" : "…";
  const std::size_t n = positions.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (n > kShownLevels && k == kShownLevels / 2) {
      text += "…";
      k = n - kShownLevels / 2;
    }
    text += fmt::format("[{}]", positions[n - 1 - k]);
  }
  return text;
}

NestPath trace_nest(const Machine& failed, const vcode::Program& program, std::optional<std::int64_t> element,
                    bool strict) {
  const Machine* machine = &failed;
  LinkedProgram::Origin at = machine->where();
  const InstructionSite* site = present_site(program, failed);
  if (!element || site == nullptr) return {};
  Walk walk(*element);
  // Values on the stack of a calling function below the reach of its callees are unchanged since the call.
  std::int64_t height = machine->stack_end() - machine->stack_begin(), intact = height;
  auto go_outward = [&](std::size_t first) {
    for (std::size_t k = first; k < site->nest.size(); ++k) {
      const std::int64_t slot = height - 1 - static_cast<std::int64_t>(site->nest[k]);
      if (slot < 0 || slot >= intact || !walk.step(machine->stack_begin()[slot], machine->evaluator())) return false;
    }
    return true;
  };
  const vcode::Function& function = program.functions[at.function];
  const bool is_exit = function.body[at.instruction].statement == vcode::Statement::kOp &&
                       function.body[at.instruction].op == vcode::Op::kExit;
  if (!go_outward(is_exit ? 1 : 0)) return std::move(walk.path);

  std::optional<StackHeights> heights;
  for (std::size_t up = 0, own = machine->own_calls(); !site->outermost; ++up) {
    if (up == failed.call_depth()) break;
    if (!heights) heights.emplace(program, strict);
    const Machine::Caller caller = failed.caller(up);
    if (up == own) {
      // The operands of the call of which this is a piece are still on its caller's stack.
      walk.leave_piece(machine->piece());
      machine = machine->piece().caller;
      own += 1 + machine->own_calls();
      height = intact = machine->stack_end() - machine->stack_begin();
    } else {
      const std::optional<std::int64_t> above = heights->before(at), reach = heights->reach(at.function);
      if (!above || !reach) return std::move(walk.path);
      height -= *above;
      intact = std::min(intact, height - *reach);
    }
    at = caller.origin;
    site = site_of(program, at);
    if (site == nullptr || !go_outward(0)) return std::move(walk.path);
    // Of repeated tail calls only the values of the last call remain, so the path ends here if earlier calls matter.
    const bool matters = !site->nest.empty() || heights->before(at) != std::optional<std::int64_t>(0);
    if (caller.times > 1 && matters && !site->outermost) return std::move(walk.path);
  }
  walk.path.complete = true;
  return std::move(walk.path);
}

std::optional<std::int64_t> first_false(const Value& flags, runtime::Evaluator& evaluator) {
  if (!flags.is_vector() || flags.kind() != vcode::Kind::kBool) return std::nullopt;
  const auto* data = static_cast<const bool*>(evaluator.heap().host_data(flags));
  if (data == nullptr) return std::nullopt;
  const bool* end = data + flags.length();
  const bool* found = std::find(data, end, false);
  return found == end ? std::nullopt : std::optional<std::int64_t>(found - data);
}

}  // namespace interp
