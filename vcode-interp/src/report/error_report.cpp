#include "report/error_report.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "report/call_cycles.h"
#include "report/nest_path.h"

namespace interp {

using cvl::FaultKind;
using vcode::InstructionSite;
using vcode::Site;

namespace {

constexpr std::size_t kShownCallers = 8;
constexpr std::int64_t kShownValues = 12;

base::Span span_of(const vcode::Program& program, LinkedProgram::Origin origin) {
  const vcode::Function& function = program.functions[origin.function];
  return origin.instruction < function.body.size() ? function.body[origin.instruction].span : function.ret_span;
}

std::string show_stack(const Machine& machine) {
  if (machine.found_late()) return "the backend found out later, when stack and calls were others";
  const std::int64_t size = machine.stack_end() - machine.stack_begin();
  if (size == 0) return "the stack is empty";
  std::string text = "the stack, top last:";
  if (size > kShownValues) text += fmt::format(" … {} more …", size - kShownValues);
  for (const runtime::Value* v = machine.stack_end() - std::min(size, kShownValues); v != machine.stack_end(); ++v)
    text += fmt::format(" {}", describe_value(*v));
  return text;
}

/// A call of the machine, with the members that find_call_cycles() requires.
struct MachineCall {
  std::uint64_t times;
  bool in_turn;
  LinkedProgram::Origin origin;

  bool same_location(const MachineCall& other) const {
    return origin.function == other.origin.function && origin.instruction == other.origin.instruction;
  }
};

template <class Call>
std::string show_times(const Call& call) {
  if (call.times == 1) return "";
  return fmt::format(", {} times{}", call.times, call.in_turn ? "" : " in a row");
}

std::string show_cycle(std::size_t calls, std::uint64_t times) {
  return fmt::format("these {} calls {} times in a row", calls, times);
}

/// The report for a program without sites of a source language.
std::string report_vcode(const FailedRun& run, const std::string& message) {
  const LinkedProgram::Origin where = run.machine.where();
  if (run.source.text().empty())
    return fmt::format("run-time error: {}\n  VCODE: in function {}\n", message,
                       run.program.functions[where.function].name);
  base::Diagnostic diagnostic{base::Severity::kError, span_of(run.program, where), message};
  diagnostic.notes.push_back(
      {{},
       fmt::format("in function {}; {}", run.program.functions[where.function].name, show_stack(run.machine)),
       false});
  std::size_t up = 0;
  const auto next = [&]() -> std::optional<MachineCall> {
    if (up == run.machine.call_depth()) return std::nullopt;
    const Machine::Caller caller = run.machine.caller(up++);
    return MachineCall{caller.times, caller.in_turn, caller.origin};
  };
  const auto calls = find_call_cycles<MachineCall>(next, kShownCallers);
  for (const auto& cycle : calls.cycles) {
    for (const MachineCall& call : cycle.calls)
      diagnostic.notes.push_back(
          {span_of(run.program, call.origin),
           fmt::format("called from {}{}", run.program.functions[call.origin.function].name, show_times(call))});
    if (cycle.times > 1) diagnostic.notes.push_back({{}, show_cycle(cycle.calls.size(), cycle.times), false});
  }
  if (calls.more > 0) diagnostic.notes.push_back({{}, fmt::format("and {} calls more", calls.more), false});
  return base::render(run.source, diagnostic);
}

/// A call in the source language, in a file of the user.
struct SourceCall {
  std::uint64_t times;
  bool in_turn;
  std::string_view file, function;
  std::uint32_t line, column;

  bool same_location(const SourceCall& other) const {
    return line == other.line && column == other.column && function == other.function && file == other.file;
  }
};

template <class Location>
SourceCall call_at(const Location& location, std::uint64_t times, bool in_turn) {
  return {times, in_turn, location.file, location.function, location.line, location.column};
}

struct SourceView {
  const Site* location = nullptr;  ///< the innermost location
  std::string message = {};        ///< message of the innermost site that has one
  std::string values = {};         ///< words for the values at fault, of the same site
  CallCycles<SourceCall> calls;
};

SourceView view_source(const vcode::Program& program, const Machine& machine) {
  SourceView view;
  // Returns true if an earlier site had a location. The message of a site applies only to its own instruction.
  const auto visit = [&](const Site& site, bool own) {
    if (view.location != nullptr) return true;
    if (view.message.empty() && own) {
      view.message = site.message;
      view.values = site.values;
    }
    if (!site.file.empty()) view.location = &site;
    return false;
  };
  // The innermost inlined call around the last visited site; `times` and `in_turn` are those of that site.
  std::uint32_t inlined = vcode::kNoCall;
  std::uint64_t times = 1;
  bool in_turn = false;
  if (const InstructionSite* site = present_location(program, machine)) {
    visit(site->site, site == present_site(program, machine));
    inlined = site->inlined;
  }
  std::size_t up = 0;
  const auto next = [&]() -> std::optional<SourceCall> {
    while (inlined != vcode::kNoCall || up < machine.call_depth()) {
      if (inlined != vcode::kNoCall) {
        const vcode::InlinedCall& call = program.inlined[inlined];
        inlined = call.around;
        return call_at(call, times, in_turn);
      }
      const Machine::Caller caller = machine.caller(up++);
      const InstructionSite* site = location_of(program, caller.origin);
      if (site == nullptr) continue;
      times = caller.times;
      in_turn = caller.in_turn;
      inlined = site->inlined;
      const std::uint64_t callers = visit(site->site, site == site_of(program, caller.origin)) ? times : times - 1;
      if (!site->site.file.empty() && callers > 0) return call_at(site->site, callers, in_turn);
    }
    return std::nullopt;
  };
  view.calls = find_call_cycles<SourceCall>(next, kShownCallers);
  return view;
}

/// The words of a site, with %a and %b replaced by the operands of REQUIRE.
std::string told(std::string words, const cvl::Fault& fault) {
  for (const auto& [name, number] : {std::pair{"%a", fault.bound}, std::pair{"%b", fault.value}})
    if (const std::size_t at = words.find(name); at != words.npos) words.replace(at, 2, std::to_string(number));
  return base::printable(words);
}

/// The values at fault as text. `words` are the words of the site for these values.
std::string offending_values(const cvl::Fault& fault, const std::string& words) {
  switch (fault.kind) {
    case FaultKind::kIndexRange:
    case FaultKind::kOutside:
      return fmt::format("index {}, but the sequence has length {}", fault.value, fault.bound);
    case FaultKind::kUnmet:
      return told(words, fault);
    case FaultKind::kShiftCount:
      return fmt::format("shift count {}", fault.value);
    case FaultKind::kDuplicateTarget:
      return fmt::format("index {} occurs twice", fault.value);
    case FaultKind::kNegativeLength:
      return fmt::format("length {}", fault.value);
    default:
      return "";
  }
}

std::string show_source_line(const RunOptions& options, const Site& location) {
  const std::string line = options.source_line ? options.source_line(location.file, location.line) : "";
  const std::size_t begin = std::max(location.column, 1u) - 1;
  return line.empty() ? "" : base::show_source(line, begin, begin + 1);
}

std::string head_of(const Site& location, const std::string& message, std::string_view what = "run-time error") {
  std::string head = fmt::format("{}:{}:{}: {}", base::printable(location.file), location.line, location.column, what);
  if (!location.function.empty()) head += fmt::format(" in {}", base::printable(location.function));
  if (!message.empty()) head += fmt::format(": {}", base::printable(message));
  return head + "\n";
}

std::string show_callers(const SourceView& view) {
  std::string text;
  for (const auto& cycle : view.calls.cycles) {
    for (const SourceCall& call : cycle.calls) {
      text += "  called from ";
      if (!call.function.empty()) text += fmt::format("{} ", base::printable(call.function));
      text += fmt::format("({}:{}:{}){}\n", base::printable(call.file), call.line, call.column, show_times(call));
    }
    if (cycle.times > 1) text += fmt::format("  {}\n", show_cycle(cycle.calls.size(), cycle.times));
  }
  if (view.calls.more > 0) text += fmt::format("  and from {} calls more\n", view.calls.more);
  return text;
}

std::string show_path(const NestPath& path) {
  const std::string text = path.text();
  return text.empty() ? "" : fmt::format("  at element {}\n", text);
}

void note_location(const SourceView& view, const NestPath& path, RunFailure& failure) {
  failure.location = *view.location;
  failure.path.assign(path.positions.rbegin(), path.positions.rend());
  failure.path_complete = path.complete;
}

/// The failed instruction in one line; empty if the program was not read from a VCODE file.
std::string show_instruction(const FailedRun& run, const std::string& message) {
  if (run.source.text().empty()) return "";
  const LinkedProgram::Origin where = run.machine.where();
  return fmt::format("  VCODE: {}:{}: in function {}: {}\n", base::printable(run.source.name()),
                     run.source.position(span_of(run.program, where).begin).line,
                     run.program.functions[where.function].name, message);
}

}  // namespace

ErrorReport report_error(const FailedRun& run, const RunError& error) {
  const SourceView view = view_source(run.program, run.machine);
  ErrorReport report;
  report.failure.kind = error.exit_status() != 1                          ? RunFailure::Kind::kStopped
                        : error.blame() == RunError::Blame::kSurroundings ? RunFailure::Kind::kSurroundings
                                                                          : RunFailure::Kind::kProgram;
  report.failure.message = error.what();
  if (view.location == nullptr) {
    report.text = report_vcode(run, error.what());
    return report;
  }
  const cvl::Fault& fault = error.fault();
  // The message of a site describes only the usual failure of its instruction.
  const bool own_words = error.blame() == RunError::Blame::kSurroundings || view.message.empty() ||
                         fault.kind == FaultKind::kDivideOverflow || fault.kind == FaultKind::kLengthOverflow;
  const bool about_element = fault.kind != FaultKind::kNone && fault.kind != FaultKind::kOutOfMemory &&
                             fault.kind != FaultKind::kLengthOverflow;
  const std::string values = own_words ? "" : offending_values(fault, view.values);
  if (!own_words) report.failure.message = values.empty() ? view.message : view.message + " " + values;
  const NestPath path = trace_nest(run.machine, run.program,
                                   about_element ? std::optional(fault.position) : std::nullopt, run.options.strict);
  note_location(view, path, report.failure);
  report.text = head_of(*view.location, own_words ? error.what() : view.message);
  report.text += show_source_line(run.options, *view.location);
  if (!values.empty()) report.text += fmt::format("  {}\n", values);
  report.text += show_path(path) + show_callers(view) + show_instruction(run, error.what());
  return report;
}

std::string report_warning(const FailedRun& run, const std::string& message) {
  const SourceView view = view_source(run.program, run.machine);
  if (view.location == nullptr)
    return fmt::format("warning: in {}: {}\n", run.program.functions[run.machine.where().function].name, message);
  return head_of(*view.location, message, "warning") + show_source_line(run.options, *view.location);
}

ErrorReport report_check(const FailedRun& run, std::optional<std::int64_t> element) {
  const SourceView view = view_source(run.program, run.machine);
  ErrorReport report;
  report.failure.message = view.message;
  if (view.location == nullptr) return report;
  const NestPath path = trace_nest(run.machine, run.program, element, run.options.strict);
  note_location(view, path, report.failure);
  report.text = head_of(*view.location, view.message) + show_source_line(run.options, *view.location) +
                show_path(path) + show_callers(view);
  return report;
}

ErrorReport report_exit(const FailedRun& run) {
  std::optional<std::int64_t> element;
  const InstructionSite* site = present_site(run.program, run.machine);
  VC_CHECK(site != nullptr);
  const std::vector<std::uint32_t>& nest = site->nest;
  const std::int64_t height = run.machine.stack_end() - run.machine.stack_begin();
  if (!nest.empty() && nest[0] < height)
    element = first_false(run.machine.stack_end()[-1 - static_cast<std::int64_t>(nest[0])], run.machine.evaluator());
  return report_check(run, element);
}

}  // namespace interp
