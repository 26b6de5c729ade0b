// The command :show.
#include <unistd.h>

#include <fmt/format.h>

#include "program/executable.h"
#include "show/show_command.h"
#include "show/watched_statement.h"
#include "top_level.h"

namespace nesl_cli {

Outcome TopLevel::show_steps(const std::string& text) {
  if (flags_.run.job != nullptr) return fail(":show needs a session of one process, not of several ranks");
  constexpr std::string_view kHtml = "--html=";
  ShowFlags show;
  show.what = text;
  if (text.starts_with(kHtml)) {
    const std::size_t end = std::min(text.find(' '), text.size());
    show.html = text.substr(kHtml.size(), end - kHtml.size());
    show.what = text.substr(std::min(text.find_first_not_of(' ', end), text.size()));
    if (flags_.run.sandbox) return fail(":show --html is refused: the session runs with --sandbox");
  }
  if (show.what.empty()) return fail(":show needs an expression");
  return read(session_.add_expression("<show>", show.what), true, [&](const nesl::Unit& unit, Reading& reading) {
    if (unit.kind != nesl::Unit::Kind::kValue) return fail("only an expression or assignment is shown");
    const WatchedStatement statement(session_, flags_.optimize,
                                     [&] { return session_.compile(unit, false, reading.diagnostics); });
    std::optional<nesl::Compiled> compiled = statement.watched();
    Showing showing;
    if (compiled) showing.loops = statement.loops();
    explain(reading);
    if (!compiled || !start_backend()) return Outcome::kFailed;
    showing.title = show.what;
    Run run{std::move(*compiled), {}, 0, 0};
    const vcode::Program watched = executable(run.compiled.program, kShowOptions);
    Recorder recorder(run.compiled.watch_points, watched, interpreter_->evaluator(), show.limits);
    interpreter_->options().watch_calls = [&](std::uint32_t function, const runtime::Value* top) {
      recorder.note(function, top);
    };
    reading.outcome = Outcome::kFailed;
    execute(unit, watched, reading, run);
    interpreter_->options().watch_calls = nullptr;
    showing.steps = recorder.steps();
    showing.omitted = recorder.omitted();
    const std::string failure = deliver(showing, show, output_.programs == STDOUT_FILENO && has_colours(), output_.say);
    if (!failure.empty()) return fail(failure);
    if (reading.outcome == Outcome::kDone)
      if (const auto value = result_text(run.compiled.result, run.stack, interpreter_->evaluator(), style_))
        output_.say(fmt::format("{} = {} : {}\n", unit.name, *value, unit.type));
    return reading.outcome;
  });
}

}  // namespace nesl_cli
