// Measurements of the observed loop of the machine for --profile, and its lines for --trace (-d).

#include <algorithm>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "io/value_text.h"
#include "machine/machine.h"
#include "vcode/printer.h"

namespace interp {

using runtime::Value;

namespace {

/// Elements of each vector that --trace prints.
constexpr std::int64_t kTracedElements = 100;

/// The address of the elements of a vector that is no scalar held in place.
const std::byte* memory_of(const Value& value) {
  const runtime::VectorObject& object = *value.vector();
  return static_cast<const std::byte*>(object.device != nullptr ? object.device : object.host);
}

bool is_append(vcode::Op op) { return op == vcode::Op::kAppend || op == vcode::Op::kAppend3; }

}  // namespace

std::string describe_value(const Value& value) {
  if (value.tag() == Value::Tag::kNone) return "-";
  if (value.is_vector()) return fmt::format("{}[{}]", vcode::kind_name(value.kind()), value.length());
  if (value.is_segdes()) return fmt::format("Segdes[{} of {}]", value.segments(), value.elements());
  return fmt::format("Pair({},{})", vcode::kind_name(value.pair()->first.kind()),
                     vcode::kind_name(value.pair()->second.kind()));
}

void measure_value(const Value& value, std::uint64_t& elements, std::uint64_t& bytes) {
  if (value.is_vector()) {
    const auto length = static_cast<std::uint64_t>(value.length());
    elements = std::max(elements, length);
    bytes += length * vcode::elem_size(value.type());
  } else if (value.tag() == Value::Tag::kSegdes && value.segdes()->regular_length < 0) {
    bytes += static_cast<std::uint64_t>(value.segments()) * sizeof(std::int64_t);
  }
}

void Machine::observe_begin(const Code& code) {
  if (options_.trace.any()) trace(code);
  if (options_.watch_calls) watch(code);
  observed_ = {&code};
  if (options_.profile == nullptr) return;
  observed_.rows = &rows_of(code);
  measure_operands(code);
  observed_.begin = options_.profile->now();
}

void Machine::watch(const Code& code) {
  const LinkedProgram::Origin origin = linked_.origins[static_cast<std::size_t>(&code - linked_.code.data())];
  const std::vector<vcode::Instruction>& body = program_.functions[origin.function].body;
  if (origin.instruction < body.size() && body[origin.instruction].statement == vcode::Statement::kCall)
    options_.watch_calls(body[origin.instruction].target, top_);
}

void Machine::measure_operands(const Code& code) {
  auto look_into = [&](const Value& operand) {
    if (operand.is_vector()) observed_.looked_into += vcode::elem_size(operand.type());
  };
  if (code.opcode == static_cast<std::uint16_t>(Control::kFused)) {
    const vcode::Kernel& kernel = linked_.kernels[code.a].kernel();
    if (top_ - bottom_ < kernel.input_count) return;
    const Value* inputs = top_ - kernel.input_count;
    std::vector<bool> gone_through(kernel.input_count);
    for (const vcode::Kernel::Step& step : kernel.steps)
      for (std::size_t k = 0; k < step.operands.size(); ++k) {
        const vcode::KernelVar v = step.operands[k];
        if (v >= kernel.input_count) continue;
        if (vcode::is_looked_into(vcode::info(step.op), static_cast<int>(k)))
          look_into(inputs[v]);
        else
          gone_through[v] = true;
      }
    for (vcode::KernelVar v = 0; v < kernel.input_count; ++v)
      if (gone_through[v]) measure_value(inputs[v], observed_.elements, observed_.bytes);
  } else if (code.opcode <= static_cast<std::uint16_t>(Control::kSystem)) {
    const vcode::OpInfo& row = vcode::info(static_cast<vcode::Op>(code.op));
    const int operands = row.signature.operand_count;
    if (top_ - bottom_ < operands) return;
    const auto roles = std::span(row.signature.operands).first(static_cast<std::size_t>(operands));
    observed_.is_kept = operands > 0 && std::ranges::all_of(roles, [](const vcode::Role& role) {
                          return role.type == vcode::RoleType::kSegdes;
                        });
    if (observed_.is_kept) return;
    for (int o = 0; o < operands; ++o) {
      const Value& operand = top_[o - operands];
      const vcode::Role& role = roles[static_cast<std::size_t>(o)];
      const bool is_looked_into = vcode::is_looked_into(row, o);
      if (is_looked_into) look_into(operand);
      const bool has_result_like_operand =
          row.op_class == vcode::OpClass::kVector || row.op_class == vcode::OpClass::kAccumulate;
      const bool may_be_result = has_result_like_operand && role.type == vcode::RoleType::kSuffix &&
                                 (is_looked_into || role.length == row.signature.results[0].length);
      if (may_be_result && operand.tag() == Value::Tag::kVector) {
        Observation::Source& source = observed_.sources[static_cast<std::size_t>(observed_.source_count++)];
        source.begin = memory_of(operand);
        source.is_traversed = !is_looked_into;
        measure_value(operand, source.elements, source.bytes);
      } else if (!is_looked_into) {
        measure_value(operand, observed_.elements, observed_.bytes);
      }
    }
  }
}

/// Measures the results of the observed instruction, but for one whose elements were there before.
void Machine::measure_results(std::ptrdiff_t results) {
  if (observed_.is_kept || top_ - bottom_ < results) return;
  const std::span sources(observed_.sources.data(), static_cast<std::size_t>(observed_.source_count));
  const auto was_there = [&](const Value& result) {
    if (result.tag() != Value::Tag::kVector) return false;
    const std::byte* const memory = memory_of(result);
    return std::ranges::any_of(sources, [&](const Observation::Source& source) {
      return memory >= source.begin && memory < source.begin + source.bytes;
    });
  };
  const bool has_own_memory = results == 0 || !was_there(top_[-results]);
  for (const Observation::Source& source : sources)
    if (has_own_memory && source.is_traversed) {
      observed_.elements = std::max(observed_.elements, source.elements);
      observed_.bytes += source.bytes;
    }
  for (const Value* result = has_own_memory ? top_ - results : top_ - results + 1; result < top_; ++result)
    measure_value(*result, observed_.elements, observed_.bytes);
  if (has_own_memory) observed_.bytes += observed_.looked_into * observed_.elements;
}

/// Measures an APPEND that has left an operand where it was, and extended it: what it has copied. False if there is
/// none.
bool Machine::measure_extended() {
  if (top_ == bottom_ || top_[-1].tag() != Value::Tag::kVector) return false;
  const Value& result = top_[-1];
  const std::span sources(observed_.sources.data(), static_cast<std::size_t>(observed_.source_count));
  std::uint64_t elements = 0, bytes = 0;
  measure_value(result, elements, bytes);
  const std::byte* const memory = memory_of(result);
  const auto kept = std::ranges::find_if(sources, [&](const Observation::Source& source) {
    return source.bytes > 0 && source.begin >= memory && source.begin + source.bytes <= memory + bytes;
  });
  if (kept == sources.end()) return false;
  observed_.elements = elements - kept->elements;
  observed_.bytes = 2 * (bytes - kept->bytes);
  return true;
}

void Machine::observe_end() {
  if (observed_.code == nullptr || options_.profile == nullptr) return;
  const Code& code = *observed_.code;
  const bool fused = code.opcode == static_cast<std::uint16_t>(Control::kFused);
  if (fused || code.opcode <= static_cast<std::uint16_t>(Control::kSystem)) {
    const auto results = fused ? static_cast<std::ptrdiff_t>(linked_.kernels[code.a].kernel().outputs.size())
                               : vcode::info(static_cast<vcode::Op>(code.op)).signature.result_count;
    const bool is_extended = !fused && is_append(static_cast<vcode::Op>(code.op)) && measure_extended();
    if (!is_extended) measure_results(results);
  }
  options_.profile->note_memory(evaluator_.heap().live());
  record_observed();
  record_call();
  observed_.code = nullptr;
}

void Machine::trace(const Code& code) {
  Stream& out = system_.streams().errors();
  const LinkedProgram::Origin origin = linked_.origins[static_cast<std::size_t>(&code - linked_.code.data())];
  const vcode::Function& function = program_.functions[origin.function];
  const bool is_return = origin.instruction == function.body.size();
  if (options_.trace.stack || options_.trace.values) {
    for (const Value* v = bottom_; v != top_; ++v) {
      const bool vector = v->is_vector();
      const std::int64_t length = vector ? v->length() : v->is_segdes() ? v->segments() : 2;
      out.put(fmt::format("{}({}) ", length, vcode::kind_name(v->kind())));
    }
    out.put("\n");
  }
  if (options_.trace.values)
    for (const Value* v = bottom_; v != top_; ++v) print_value(evaluator_, *v, out, {.most_elements = kTracedElements});
  if (options_.trace.memory) {
    const cvl::MemoryUse use = evaluator_.heap().device().memory_use();
    out.put(fmt::format("memory: {} bytes live, {} held\n", use.live, use.held));
  }
  if (options_.trace.calls) {
    if (is_return)
      out.put(fmt::format("leave {} (depth {})\n", function.name, own_calls()));
    else if (function.body[origin.instruction].statement == vcode::Statement::kCall)
      out.put(fmt::format("call {} (depth {})\n", program_.functions[function.body[origin.instruction].target].name,
                          own_calls() + (tail_call_before(&code + 1) == nullptr ? 1 : 0)));
  }
  if (options_.trace.commands)
    out.put(is_return ? "RET\n" : vcode::print_instruction(program_, function.body[origin.instruction], 16) + "\n");
  out.flush();
}

}  // namespace interp
