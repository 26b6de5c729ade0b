#include "environment.h"

#include <algorithm>
#include <array>

namespace nesl {

namespace {

// Built-in names that programs may define anew.
constexpr std::array<std::string_view, 69> kRedefinable = {
    "->",
    "/",
    "<-",
    "^",
    "all",
    "any",
    "argmax",
    "argmin",
    "atan2",
    "bottop",
    "clock",
    "collect_pairs",
    "cond_put",
    "contains",
    "count",
    "date",
    "display",
    "dot",
    "drop",
    "elt",
    "enumerate",
    "exp_string",
    "filter",
    "fold",
    "format",
    "hash",
    "head_rest",
    "index",
    "int_collect_pairs",
    "interleave",
    "iseq",
    "join",
    "ln",
    "max_index",
    "max_int",
    "max_val",
    "mean",
    "min_index",
    "min_int",
    "min_val",
    "mod",
    "nesl_path",
    "next_char",
    "normal",
    "pack_scalar",
    "partition",
    "permute",
    "put",
    "rand",
    "reduce",
    "rem",
    "rest_tail",
    "rotate",
    "shuffle",
    "sort_by",
    "split",
    "sqrt",
    "start_timer",
    "stop_timer",
    "subseq",
    "sum",
    "take",
    "trace_string_depth",
    "trace_string_length",
    "transpose",
    "unique",
    "unpack",
    "user",
    "zip",
};

}  // namespace

Definition* Environment::find(std::string_view name) const {
  auto at = names_.find(name);
  return at == names_.end() ? nullptr : at->second;
}

Definition* Environment::find_datatype(std::string_view name) const {
  auto at = datatypes_.find(name);
  return at == datatypes_.end() ? nullptr : at->second;
}

std::vector<Definition*> Environment::sorted() const {
  std::vector<Definition*> definitions;
  definitions.reserve(names_.size());
  for (const auto& [name, definition] : names_) definitions.push_back(definition);
  std::sort(definitions.begin(), definitions.end(),
            [](const Definition* left, const Definition* right) { return left->name < right->name; });
  return definitions;
}

const vcode::Source& Environment::add_source(std::unique_ptr<vcode::Source> source) {
  return *sources_.emplace_back(std::move(source));
}

bool Environment::is_protected(std::string_view name) const {
  Definition* definition = find(name);
  return definition != nullptr && !definition->redefinable && !loading_prelude_;
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
  while (definitions_.size() > snapshot.definitions) definitions_.pop_back();
  sources_.resize(snapshot.sources);
}

Definition& Environment::create(Definition definition) {
  definition.prelude = loading_prelude_;
  // What the prelude does not describe is there for itself only: programs may use the name.
  const bool auxiliary = definition.doc.empty() && definition.kind != Definition::Kind::kGlobal;
  definition.redefinable = !loading_prelude_ || auxiliary ||
                           std::find(kRedefinable.begin(), kRedefinable.end(), definition.name) != kRedefinable.end();
  return definitions_.emplace_back(std::move(definition));
}

void Environment::bind(Definition& definition) {
  names_.insert_or_assign(definition.name, &definition);
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
  global->local = pattern.local;
  statement->globals.push_back(global);
}

}  // namespace nesl
