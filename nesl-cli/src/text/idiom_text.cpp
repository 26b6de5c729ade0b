#include "idiom_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostics.h"

namespace nesl_cli {

std::string idiom_line(const nesl::SlowIdiom& idiom) {
  return fmt::format("{}:{}:{}: {}", base::printable(idiom.file), idiom.line, idiom.column, idiom.advice);
}

std::string idiom_costs(const std::vector<nesl::SlowIdiom>& idioms, const interp::Profile& profile) {
  using Costly = std::pair<const nesl::SlowIdiom*, const interp::ProfileRow*>;
  std::vector<Costly> reached;
  for (const nesl::SlowIdiom& idiom : idioms)
    if (const auto line = profile.lines().find({idiom.file, idiom.line}); line != profile.lines().end())
      reached.emplace_back(&idiom, &line->second.all);
  std::stable_sort(reached.begin(), reached.end(),
                   [](const Costly& a, const Costly& b) { return a.second->seconds > b.second->seconds; });
  std::string text;
  for (const auto& [idiom, row] : reached)
    text += fmt::format("{}\n  its line took {:.3f} ms, {} elements, {} bytes\n", idiom_line(*idiom),
                        row->seconds * 1e3, row->elements, row->bytes);
  return text.empty() ? "" : "\nslow idioms\n" + text;
}

}  // namespace nesl_cli
