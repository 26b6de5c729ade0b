// nesl_show(): the steps of an expression.
#include "program/executable.h"
#include "session_scope.h"
#include "show/showing.h"
#include "show/watched_statement.h"
#include "text/result_text.h"
#include "text_failure.h"

namespace nesl_c {

Scope::Shown Scope::show(const std::string& expression, const nesl_cli::ShowLimits& limits) {
  if (engine->job() != nullptr) refuse("steps are shown by sessions of one process, not of several ranks");
  Shown shown;
  engine->on_deep_stack([&] {
    const base::Source& source = compiler_->add_expression(texts_->add("<show>", expression), expression);
    base::Diagnostics diagnostics;
    bool is_shown = false;
    compiler_->read(source, diagnostics, [&](const nesl::Unit& unit) {
      if (is_shown || unit.kind != nesl::Unit::Kind::kValue) {
        diagnostics.error(unit.span, "one expression or assignment is shown, and no other statement");
        return false;
      }
      is_shown = true;
      shown = show(unit, expression, limits, diagnostics);
      return true;
    });
    throw_errors(source, diagnostics);
    if (!is_shown) refuse("there is no expression to show");
  });
  return shown;
}

Scope::Shown Scope::show(const nesl::Unit& unit, const std::string& title, const nesl_cli::ShowLimits& limits,
                         base::Diagnostics& diagnostics) {
  const nesl_cli::WatchedStatement statement(*compiler_, engine->settings().optimize,
                                             [&] { return compiler_->compile(unit, false, diagnostics); });
  const std::optional<nesl::Compiled> compiled = statement.watched();
  if (!compiled) return {};
  nesl_cli::Showing showing;
  showing.loops = statement.loops();
  vcode::Program watched = nesl_cli::executable(compiled->program, nesl_cli::kShowOptions);
  nesl_cli::Recorder recorder(compiled->watch_points, watched, engine->evaluator(), limits);
  const std::vector<runtime::Value> stack =
      engine->run_watched(std::move(watched), inputs_of(*compiled), *texts_,
                          [&](std::uint32_t function, const runtime::Value* top) { recorder.note(function, top); });
  const std::optional<std::string> value = nesl_cli::result_text(compiled->result, stack, engine->evaluator());
  if (!value) engine->fail_evaluation();
  showing.title = title;
  showing.steps = recorder.steps();
  showing.omitted = recorder.omitted();
  showing.result = unit.name + " = " + *value + " : " + unit.type;
  return {nesl_cli::show_text(showing, false) + showing.result + "\n", nesl_cli::show_fragment(showing)};
}

}  // namespace nesl_c
