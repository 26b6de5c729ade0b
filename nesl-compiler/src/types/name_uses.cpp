#include "nesl-compiler/name_uses.h"

#include <algorithm>

#include "definition.h"
#include "syntax/nesl_lexer.h"

namespace nesl {

void NameUses::add(std::string_view name, NameUse use) {
  Span& span = use.place.span;
  const std::string_view text = use.place.source->text();
  if (span.begin < text.size() && text[span.begin] == '\'' && name != "'") ++span.begin;
  if (fold_case(text.substr(span.begin, name.size())) != name) return;
  span.end = span.begin + static_cast<std::uint32_t>(name.size());
  std::vector<NameUse>& here = uses_[key(use.place)];
  const auto is_same = [&](const NameUse& other) {
    return other.definition == use.definition && other.declared == use.declared && other.binds == use.binds;
  };
  if (std::none_of(here.begin(), here.end(), is_same)) here.push_back(use);
}

void NameUses::define(const Place& place, const Definition& definition) { definitions_[key(place)] = &definition; }

void NameUses::clear() {
  uses_.clear();
  definitions_.clear();
}

const NameUse* NameUses::find(const base::Source& source, std::uint32_t offset) const {
  auto at = uses_.upper_bound({&source, offset});
  if (at == uses_.begin()) return nullptr;
  --at;
  const NameUse& first = at->second.front();
  return first.place.source == &source && offset <= first.place.span.end ? &first : nullptr;
}

// The place where a declared name is defined in the end. In {a}, where the binding's place is also a use of another
// name, both names are one.
Place NameUses::resolved(const Place& declared) const {
  if (const auto defined = definitions_.find(key(declared)); defined != definitions_.end())
    return {defined->second->source, defined->second->span};
  if (const auto here = uses_.find(key(declared)); here != uses_.end())
    for (const NameUse& use : here->second)
      if (use.definition != nullptr || key(use.declared) != key(declared)) return declaration(use);
  return declared;
}

const Definition* NameUses::definition(const NameUse& use) const {
  if (use.definition != nullptr) return use.definition;
  const auto defined = definitions_.find(key(use.declared));
  return defined == definitions_.end() ? nullptr : defined->second;
}

Place NameUses::declaration(const NameUse& use) const {
  return use.definition != nullptr ? Place{use.definition->source, use.definition->span} : resolved(use.declared);
}

std::vector<NameUse> NameUses::in_text(const base::Source& source) const {
  std::vector<NameUse> found;
  for (auto at = uses_.lower_bound({&source, 0}); at != uses_.end() && at->first.first == &source; ++at)
    found.push_back(at->second.front());
  return found;
}

std::vector<NameUse> NameUses::every() const {
  std::vector<NameUse> found;
  for (const auto& [place, here] : uses_) found.insert(found.end(), here.begin(), here.end());
  return found;
}

}  // namespace nesl
