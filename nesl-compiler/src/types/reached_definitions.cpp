#include "reached_definitions.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/strong_components.h"

namespace nesl {

void update_flags(Environment& environment) {
  if (!environment.calls_changed()) return;
  environment.set_calls_changed(false);
  std::vector<Definition*> definitions;
  std::unordered_map<const Definition*, std::uint32_t> numbers;
  const auto number = [&](Definition& definition) {
    const auto [at, is_new] = numbers.try_emplace(&definition, static_cast<std::uint32_t>(definitions.size()));
    if (is_new) definitions.push_back(&definition);
    return at->second;
  };
  for (Definition& definition : environment.all()) {
    number(definition);
    if (definition.kind == Definition::Kind::kFunction) definition.serial_only = false;
  }
  std::vector<std::vector<std::uint32_t>> used;
  std::vector<std::uint32_t> all;
  for (std::uint32_t n = 0; n < definitions.size(); ++n) {
    all.push_back(n);
    used.emplace_back();
    for (const Definition::Use& use : definitions[n]->uses) used[n].push_back(number(*use.definition));
  }
  for (const std::vector<std::uint32_t>& component : base::strong_components(used, all)) {
    bool recursive = component.size() > 1, serial_only = false;
    for (const std::uint32_t n : component)
      for (const std::uint32_t m : used[n]) {
        recursive = recursive || m == n;
        serial_only = serial_only || definitions[m]->serial_only;
      }
    for (const std::uint32_t n : component) {
      if (definitions[n]->kind != Definition::Kind::kFunction) continue;
      definitions[n]->recursive = recursive;
      definitions[n]->serial_only = serial_only;
    }
  }
}

void check_reachable(const std::vector<Definition::Use>& uses, Reporter& reporter) {
  std::unordered_set<const Definition*> seen;
  std::vector<const Definition*> open;
  auto check = [&](Span span, const Definition::Use& use, const Definition* from) {
    const Definition& used = *use.definition;
    bool first = seen.insert(&used).second;
    if (first) open.push_back(&used);
    if (first && used.kind == Definition::Kind::kFunction && used.body == nullptr)
      reporter.error(span, "no-body",
                     fmt::format("the function {}{} has been declared but never defined", used.name,
                                 from == nullptr ? "" : fmt::format(", which {} calls,", from->name)));
    if (from != nullptr && use.parallel && used.serial_only)
      reporter.error(span, "serial-only", fmt::format("cannot call {} in parallel, as {} does", used.name, from->name));
  };
  for (const Definition::Use& start : uses) {
    check(start.span, start, nullptr);
    while (!open.empty()) {
      const Definition* from = open.back();
      open.pop_back();
      for (const Definition::Use& use : from->uses) check(start.span, use, from);
    }
  }
}

}  // namespace nesl
