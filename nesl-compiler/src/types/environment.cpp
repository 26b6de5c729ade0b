#include "environment.h"

#include <algorithm>

#include "base/check.h"

namespace nesl {

Definition* Environment::find(std::string_view name) const {
  auto at = names_.find(name);
  return at == names_.end() ? nullptr : at->second;
}

Definition* Environment::find_datatype(std::string_view name) const {
  auto at = datatypes_.find(name);
  return at == datatypes_.end() ? nullptr : at->second;
}

Definition* Environment::find_in_library(std::string_view name) const {
  auto at = library_.find(name);
  return at == library_.end() ? nullptr : at->second;
}

std::vector<Definition*> Environment::by_name(const Names& names) {
  std::vector<Definition*> definitions;
  definitions.reserve(names.size());
  for (const auto& [name, definition] : names) definitions.push_back(definition);
  std::sort(definitions.begin(), definitions.end(),
            [](const Definition* left, const Definition* right) { return left->name < right->name; });
  return definitions;
}

std::vector<Definition*> Environment::sorted() const { return by_name(names_); }

std::vector<Definition*> Environment::datatypes() const { return by_name(datatypes_); }

std::vector<Definition*> Environment::datatypes_with_field(std::string_view field) const {
  std::vector<Definition*> found = datatypes();
  std::erase_if(found, [&](const Definition* datatype) {
    return std::find(datatype->fields.begin(), datatype->fields.end(), field) == datatype->fields.end();
  });
  return found;
}

const base::Source& Environment::add_source(std::unique_ptr<base::Source> source) {
  return *sources_.emplace_back(std::move(source));
}

Definition& Environment::checked_operation(Definition& called) const {
  constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
      {"+", "add"}, {"-", "subtract"}, {"*", "multiply"}, {"/", "divide"}, {"^", "raise"}};
  if (!checks_operations_ || loading_prelude_ || !called.prelude) return called;
  std::string_view name = called.name;
  for (const auto& [symbol, word] : kOperators)
    if (symbol == name) name = word;
  Definition* const checked = find_in_library("checked_" + std::string(name));
  return checked == nullptr ? called : *checked;
}

void Environment::hide_auxiliary_names() {
  std::erase_if(names_, [](const auto& entry) {
    const Definition& definition = *entry.second;
    const bool is_code =
        definition.kind == Definition::Kind::kFunction || definition.kind == Definition::Kind::kPrimitive;
    return is_code && definition.prelude && definition.doc.empty();
  });
}

Environment::Snapshot Environment::snapshot() const {
  Snapshot now;
  now.definitions = definitions_.size();
  now.sources = sources_.size();
  now.names = names_;
  now.datatypes = datatypes_;
  return now;
}

void Environment::return_to(const Snapshot& snapshot) {
  names_ = snapshot.names;
  datatypes_ = snapshot.datatypes;
  failed_.clear();
  calls_changed_ = false;
  VC_CHECK(snapshot.definitions <= definitions_.size() && snapshot.sources <= sources_.size());
  while (definitions_.size() > snapshot.definitions) definitions_.pop_back();
  sources_.resize(snapshot.sources);
}

Definition& Environment::create(Definition definition) {
  definition.prelude = loading_prelude_;
  return definitions_.emplace_back(std::move(definition));
}

void Environment::bind(Definition& definition) {
  VC_CHECK(definition.prelude == loading_prelude_);
  names_.insert_or_assign(definition.name, &definition);
  if (loading_prelude_) library_.insert_or_assign(definition.name, &definition);
  if (definition.kind == Definition::Kind::kDatatype) datatypes_.insert_or_assign(definition.name, &definition);
}

Definition* Environment::replaced_by(const std::string& name, Definition::Kind kind, const Scheme& scheme) const {
  Definition* old = find(name);
  if (old == nullptr || old->kind != kind || old->prelude != loading_prelude_) return nullptr;
  return same_type(old->scheme, scheme) ? old : nullptr;
}

void Environment::commit(const std::shared_ptr<GlobalStatement>& statement) {
  statement->globals.clear();
  std::vector<Type*> quantified;
  collect_variables(statement->pattern->type, quantified);
  commit(statement, *statement->pattern, quantified);
}

void Environment::commit(const std::shared_ptr<GlobalStatement>& statement, const Pattern& pattern,
                         const std::vector<Type*>& quantified) {
  for (const PatternPtr& part : pattern.parts) commit(statement, *part, quantified);
  if (pattern.kind != Pattern::Kind::kVariable) return;
  Scheme scheme{quantified, pattern.type};
  Definition* global = replaced_by(pattern.name, Definition::Kind::kGlobal, scheme);
  if (global == nullptr) {
    global = &create({.kind = Definition::Kind::kGlobal, .name = pattern.name});
    bind(*global);
  }
  global->scheme = std::move(scheme);
  global->source = statement->source;
  global->span = pattern.span;
  global->statement = statement;
  if (name_uses_ != nullptr) name_uses_->define({global->source, global->span}, *global);
  global->local = pattern.local;
  statement->globals.push_back(global);
}

}  // namespace nesl
