#include "case_session.h"

#include <iterator>
#include <sstream>
#include <stdexcept>

#include "fcode-opt/check_output.h"
#include "program/executable.h"
#include "text/result_text.h"
#include "vcode/printer.h"

namespace nesl_cases {

namespace {

interp::RunOptions options_with(vcode::Widths widths, int input, int output) {
  interp::RunOptions options;
  options.widths = widths;
  options.allow_spawn = true;
  options.standard_files = {input, output, output};
  return options;
}

/// The rest of the line after `mark`, if the text has it; the text is cut off there.
std::optional<std::string> take_line_after(std::string& text, const std::string& mark) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + mark.size();
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  text.resize(at);
  return line;
}

/// A check or error() has printed its message; an instruction that failed itself is in the report only.
void classify_failure(Reply& reply, std::string report) {
  if (const auto stopped = take_line_after(reply.printed, "\nERROR: ")) {
    reply.error_class = "user";
    reply.error_text = *stopped;
    return;
  }
  reply.error_class = "runtime";
  if (const auto failed = take_line_after(reply.printed, "\nRUNTIME ERROR: ")) {
    reply.error_text = *failed;
    return;
  }
  const std::string head = report.substr(0, report.find('\n'));
  const std::size_t kind = head.find("error");
  const std::size_t colon = kind == std::string::npos ? kind : head.find(": ", kind);
  reply.error_text = colon == std::string::npos ? head : head.substr(colon + 2);
}

}  // namespace

CaseSession::CaseSession(cvl::Backend& backend, vcode::Widths widths)
    : interpreter_(backend, options_with(widths, input_.descriptor(), printed_.descriptor())) {}

Reply CaseSession::answer(const std::string& statement) {
  Reply reply;
  messages_.clear();
  const vcode::Source& source = session_.add_source("statement", statement);
  vcode::Diagnostics diagnostics;
  session_.read(source, true, diagnostics,
                [&](nesl::Unit& unit) { return answer(unit, reply, diagnostics) && reply.error_class.empty(); });
  messages_ += render(source, diagnostics);
  for (const vcode::Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.severity == vcode::Severity::kError && reply.error_class.empty()) {
      reply.error_class = diagnostic.code;
    }
  }
  return reply;
}

bool CaseSession::answer(nesl::Unit& unit, Reply& reply, vcode::Diagnostics& diagnostics) {
  switch (unit.kind) {
    case nesl::Unit::Kind::kCommand:
      command(unit.text);
      return true;
    case nesl::Unit::Kind::kDefinition:
      reply.value = unit.name + " = fn : " + unit.type;
      return true;
    case nesl::Unit::Kind::kValue:
      break;
  }
  if (on_value && !on_value(unit)) return false;
  const std::optional<nesl::Compiled> compiled = session_.compile(unit, false, diagnostics);
  if (!compiled) return false;
  run(unit, *compiled, reply);
  return true;
}

void CaseSession::run(const nesl::Unit& unit, const nesl::Compiled& compiled, Reply& reply) {
  std::vector<runtime::Value> inputs;
  for (const nesl::Definition* input : compiled.inputs) {
    const std::vector<runtime::Value>& entries = globals_.at(input);
    inputs.insert(inputs.end(), entries.begin(), entries.end());
  }
  const vcode::Source no_text("program", "");
  const vcode::Program program = nesl_cli::executable(compiled.program, {.level = optimization});
  // A program that finds values on the stack could not be written to a file.
  if (const std::string complaints = inputs.empty() ? fcode_opt::check_output(print_vcode(program)) : "";
      !complaints.empty())
    throw std::logic_error(complaints);
  interp::RunResult result = interpreter_.run(no_text, program, std::move(inputs));
  reply.printed = printed_.content();
  printed_.clear();
  if (!result.ended || result.status != 0) {
    messages_ += result.report;
    classify_failure(reply, result.report);
    return;
  }
  reply.value = unit.name + " = " +
                nesl_cli::result_text(compiled.result, result.stack, interpreter_.evaluator(), {print_length}).value() +
                " : " + unit.type;
  auto next = result.stack.begin();
  for (const nesl::Definition* global : session_.commit(unit)) {
    const auto end = next + static_cast<std::ptrdiff_t>(nesl_cli::entry_count(shape_of(*global)));
    globals_[global].assign(std::make_move_iterator(next), std::make_move_iterator(end));
    next = end;
  }
}

void CaseSession::command(const std::string& text) {
  std::istringstream words(text);
  std::string set, what;
  if (words >> set >> what && set == "set" && what == "print_length") words >> print_length;
}

}  // namespace nesl_cases
