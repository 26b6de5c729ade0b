#include "case_session.h"

#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "fcode-opt/check_output.h"
#include "vcode/reader.h"

namespace nesl_cases {

namespace {

/// The rest of the line after `mark`, if the text has it; the text is truncated before `mark`.
std::optional<std::string> take_line_after(std::string& text, const std::string& mark) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + mark.size();
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  text.resize(at);
  return line;
}

/// The lines of a report below the line with the caret, without their indentation.
std::string details_of(const std::string& report) {
  std::istringstream lines(report);
  std::string details;
  bool below = false;
  for (std::string line; std::getline(lines, line);) {
    if (below && line.starts_with("  ")) details += (details.empty() ? "" : "\n") + line.substr(2);
    below = below || line.find_first_not_of(" ^~") == std::string::npos;
  }
  return details;
}

/// Reads "FILE:1:2: run-time error in FUNCTION: MESSAGE" into the reply. The program itself has printed the argument of
/// error().
void classify_failure(Reply& reply, const std::string& report) {
  if (const auto stopped = take_line_after(reply.printed, "\nERROR: ")) {
    reply.error_class = "user";
    reply.error_text = *stopped;
    return;
  }
  reply.error_class = "runtime";
  reply.error_details = details_of(report);
  const std::string head = report.substr(0, report.find('\n'));
  const std::size_t kind = head.find("error");
  const std::size_t colon = kind == std::string::npos ? kind : head.find(": ", kind);
  reply.error_text = colon == std::string::npos ? head : head.substr(colon + 2);
}

/// Names the operations of a program that a target lacks.
std::string check_operations(const std::string& text, const vcode::letform::Target& target) {
  const base::Source source("<output>", text);
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  if (!program) return base::render(source, diagnostics);
  std::string complaints;
  const auto check = [&](vcode::Op op) {
    if (!target.has(op)) complaints += fmt::format("the target has no {}\n", vcode::info(op).text);
  };
  for (const vcode::Kernel& kernel : program->kernels)
    for (const vcode::Kernel::Step& step : kernel.steps) check(step.op);
  for (const vcode::Function& function : program->functions)
    for (const vcode::Instruction& instruction : function.body)
      if (instruction.statement == vcode::Statement::kOp) check(instruction.op);
  return complaints;
}

}  // namespace

CaseSession::CaseSession(const nesl_cli::Flags& flags)
    : target_(flags.optimize.target),
      top_level_(flags, {.say = [this](std::string_view text) { said_.emplace_back(text); },
                         .complain = [this](std::string_view text) { messages_ += text; },
                         .programs = printed_.descriptor(),
                         .errors = printed_.descriptor()}) {}

Reply CaseSession::answer(const std::string& statement) {
  said_.clear();
  messages_.clear();
  printed_.clear();
  const nesl_cli::Outcome outcome = top_level_.run_text("statement", statement);
  Reply reply;
  reply.printed = printed_.content();
  for (const std::string& text : said_)
    if (text != "\n") reply.value += text;  // "\n" only ends a line that the program left open
  if (!reply.value.empty()) reply.value.pop_back();
  if (outcome == nesl_cli::Outcome::kDone) return reply;
  for (const base::Diagnostic& diagnostic : top_level_.diagnostics().all())
    if (diagnostic.severity == base::Severity::kError && reply.error_class.empty()) reply.error_class = diagnostic.code;
  if (reply.error_class.empty()) classify_failure(reply, messages_);
  return reply;
}

std::string CaseSession::check_program(const std::string& statement) {
  said_.clear();
  if (top_level_.show_vcode(statement) != nesl_cli::Outcome::kDone) return "";
  std::string complaints;
  for (const std::string& text : said_) {
    if (text.starts_with("{ on the stack:")) return "";
    complaints += fcode_opt::check_output(text) + check_operations(text, target_);
  }
  return complaints;
}

}  // namespace nesl_cases
