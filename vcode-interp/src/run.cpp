#include "vcode-interp/run.h"

#include <string.h>

#include <new>

#include <fmt/format.h>

#include "machine.h"
#include "run_error.h"
#include "value_text.h"

namespace interp {

namespace {

constexpr std::size_t kShownCallers = 8;
constexpr std::int64_t kShownValues = 12;

vcode::Span span_of(const vcode::Program& program, LinkedProgram::Origin origin) {
  const vcode::Function& function = program.functions[origin.function];
  return origin.instruction < function.body.size() ? function.body[origin.instruction].span : function.ret_span;
}

std::string show_stack(const Machine& machine) {
  const std::int64_t size = machine.stack_end() - machine.stack_begin();
  if (size == 0) return "the stack is empty";
  std::string text = "the stack, top last:";
  if (size > kShownValues) text += fmt::format(" … {} more …", size - kShownValues);
  for (const cvl::Value* v = machine.stack_end() - std::min(size, kShownValues); v != machine.stack_end(); ++v)
    text += fmt::format(" {}", describe_value(*v));
  return text;
}

vcode::Diagnostic explain(const RunError& error, const vcode::Program& program, const Machine& machine) {
  const LinkedProgram::Origin where = machine.where();
  vcode::Diagnostic diagnostic{vcode::Severity::kError, span_of(program, where), error.what()};
  diagnostic.notes.push_back(
      {{}, fmt::format("in function {}; {}", program.functions[where.function].name, show_stack(machine)), false});
  std::size_t shown = 0;
  for (const Machine::Caller& caller : machine.callers(kShownCallers)) {
    std::string note = fmt::format("called from {}", program.functions[caller.origin.function].name);
    if (caller.times > 1) note += fmt::format(", {} times in a row", caller.times);
    diagnostic.notes.push_back({span_of(program, caller.origin), std::move(note)});
    shown += caller.times;
  }
  if (machine.call_depth() > shown)
    diagnostic.notes.push_back({{}, fmt::format("and {} calls more", machine.call_depth() - shown), false});
  return diagnostic;
}

int report(StreamTable& streams, const std::string& text, int status) {
  streams.flush_all();
  streams.errors().put(text);
  streams.errors().flush();
  return status;
}

/// Prints the stack a program leaves, bottom first.
void print_stack(const Machine& machine, cvl::Evaluator& evaluator, Stream& output) {
  // What needs memory comes before the first character, so that a failure leaves no partial result.
  for (const cvl::Value* v = machine.stack_begin(); v != machine.stack_end(); ++v)
    if (v->tag() == cvl::Value::Tag::kSegdes && evaluator.lengths_of(*v).tag() == cvl::Value::Tag::kNone)
      throw RunError(evaluator.failure());
  for (const cvl::Value* v = machine.stack_begin(); v != machine.stack_end(); ++v)
    if (!print_value(evaluator, *v, output)) throw RunError(evaluator.failure());
}

}  // namespace

int run_program(const vcode::Source& source, const vcode::Program& program, cvl::Backend& backend,
                const RunOptions& options) {
  cvl::Evaluator evaluator(backend, options.widths);
  evaluator.seed(options.seed);
  SystemOps system(evaluator, options);
  vcode::Diagnostics diagnostics;
  const std::optional<LinkedProgram> linked = link_program(program, evaluator, diagnostics);
  if (!linked) return report(system.streams(), vcode::render(source, diagnostics), 1);
  Machine machine(program, *linked, evaluator, system, options);
  try {
    if (machine.run()) print_stack(machine, evaluator, system.streams().output());
  } catch (const RunError& error) {
    return report(system.streams(), vcode::render(source, explain(error, program, machine)), error.exit_status());
  } catch (const std::bad_alloc&) {
    const RunError error("out of memory: what is read does not fit (see --memory)");
    return report(system.streams(), vcode::render(source, explain(error, program, machine)), error.exit_status());
  }
  if (const auto failed = system.streams().flush_all()) {
    const Stream& stream = *system.streams().find(*failed);
    const std::string name = *failed == 1 ? "standard output" : fmt::format("stream {}", *failed);
    return report(system.streams(),
                  fmt::format("vinterp: {} could not be written: {}\n", name, strerror(stream.error())), 1);
  }
  return 0;
}

}  // namespace interp
