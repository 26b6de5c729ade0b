#include "explanation.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "executable.h"
#include "vcode-interp/explain_program.h"
#include "vcode-interp/rank_moves.h"

namespace nesl_cli {

namespace {

/// Lines in the order of the text; what is in no file comes last.
using Place = std::tuple<bool, std::string, std::uint32_t, std::string>;

Place place_of(const vcode::Site& site) {
  const bool is_unknown = site.file.empty();
  return {is_unknown, site.file, site.line, is_unknown ? site.function : ""};
}

std::string apart_text(const fcode_opt::KeptApart& apart) {
  const vcode::Site &maker = apart.maker, &reader = apart.reader;
  std::string where;
  if (!maker.file.empty() && !reader.file.empty() && reader.file != maker.file)
    where = fmt::format(" of {}:{}", base::printable(reader.file), reader.line);
  else if (!maker.file.empty() && !reader.file.empty() && reader.line != maker.line)
    where = fmt::format(" of line {}", reader.line);
  return fmt::format("{} and {}{} stay apart: {}", apart.made_by, apart.read_by, where, apart.reason);
}

}  // namespace

std::string explanation(nesl::Compiled compiled, cvl::Backend& backend, const Flags& flags,
                        const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line) {
  std::string text;
  for (const std::string& remark : compiled.remarks) text += remark + "\n";
  const FusionExplained explained = explain_fusion(std::move(compiled.program));
  for (const std::string& remark : explained.remarks) text += remark + "\n";
  std::map<Place, std::vector<std::string>> lines;
  const auto add = [&](const vcode::Site& site, std::string sentence) {
    std::vector<std::string>& sentences = lines[place_of(site)];
    if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end())
      sentences.push_back(std::move(sentence));
  };
  for (const nesl::SlowIdiom& idiom : compiled.slow_idioms)
    add({.file = idiom.file, .line = idiom.line, .column = idiom.column}, idiom.advice);
  for (interp::PlacedText& placed : interp::explain_program(explained.program, backend, flags.run.widths))
    add(placed.location, std::move(placed.text));
  for (const fcode_opt::KeptApart& apart : explained.kept_apart)
    add(apart.maker.file.empty() ? apart.reader : apart.maker, apart_text(apart));
  for (const auto& [place, sentences] : lines) {
    const auto& [is_unknown, file, line, function] = place;
    if (is_unknown)
      text += function.empty() ? "in the library\n" : fmt::format("in {} of the library\n", function);
    else
      text += fmt::format("{}:{}: {}\n", base::printable(file), line, base::printable(source_line(file, line)));
    for (const std::string& sentence : sentences) text += "  " + sentence + "\n";
  }
  if (lines.empty()) text += "nothing to fuse: no operation over vectors\n";
  if (const std::string moves = flags.run.job != nullptr ? interp::describe_moves(explained.program) : "";
      !moves.empty())
    text += "between ranks, of vectors that are divided:\n" + moves;
  return text;
}

}  // namespace nesl_cli
