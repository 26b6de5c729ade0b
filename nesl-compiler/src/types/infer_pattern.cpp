#include <fmt/format.h>

#include "infer.h"
#include "messages/foreign_words.h"
#include "messages/near_name.h"
#include "mismatch_text.h"

namespace nesl {

void Inference::bind(Pattern& pattern, Type* type, std::string_view what) {
  pattern.type = type;
  if (pattern.declared != nullptr) require(pattern.span, what, declared_.convert(*pattern.declared), type);
  switch (pattern.kind) {
    case Pattern::Kind::kVariable:
      pattern.local = locals_++;
      scope_.add(pattern.name, {pattern.local, type, pattern.span});
      note_local(pattern.name, pattern.span, pattern.span, type, true);
      break;
    case Pattern::Kind::kPair:
      bind_pair(pattern, type, what);
      break;
    case Pattern::Kind::kData:
      bind_data(pattern, type, what);
      break;
  }
}

std::size_t count_parts(const Pattern& pattern) {
  std::size_t count = 1;
  for (const Pattern* rest = &pattern; rest->kind == Pattern::Kind::kPair; rest = rest->parts[1].get()) ++count;
  return count;
}

namespace {

/// Number of parts of a tuple type; 0 if the last part is a variable, which can stand for several.
std::size_t known_parts(Type* type) {
  std::size_t count = 1;
  for (type = resolve(type); type->kind == Type::Kind::kPair; type = resolve(type->arguments[1])) ++count;
  return type->kind == Type::Kind::kVariable ? 0 : count;
}

}  // namespace

void Inference::bind_pair(Pattern& pattern, Type* type, std::string_view what) {
  type = resolve(type);
  const std::size_t wanted = count_parts(pattern), given = known_parts(type);
  if (given > 1 && given < wanted) {
    reporter_.error(
        pattern.span, "type",
        fmt::format("this pattern has {} parts, but {} has only {}: {}", wanted, what, given, to_texts({type})[0]));
    type = fresh();
  }
  if (type->kind != Type::Kind::kPair) {
    Type* pair = types_.pair(fresh(), fresh());
    if (unifier_.unify(pair, type)) {
      base::Diagnostic& error =
          reporter_.error(pattern.span, "type",
                          fmt::format("this pattern takes a pair apart, but {} is {}", what, to_texts({type})[0]));
      if (type->kind == Type::Kind::kData && type->datatype->scheme.type != nullptr)
        add_note(error, fmt::format("to take a {0} apart write {0}( ... )", type->datatype->name));
    }
    type = pair;
  }
  bind(*pattern.parts[0], type->arguments[0], what);
  bind(*pattern.parts[1], type->arguments[1], what);
}

void Inference::report_no_datatype(const Pattern& pattern, std::string_view what) {
  base::Diagnostic& error =
      reporter_.error(pattern.span, "unbound-type", fmt::format("there is no datatype {}", pattern.name));
  const Pattern& inner = *pattern.parts[0];
  if (inner.kind == Pattern::Kind::kVariable && declared_.names_type(inner.name)) {
    error.message =
        fmt::format("a colon is missing between {} and its type: {} : {}", pattern.name, pattern.name, inner.name);
    return;
  }
  if (const char* hint = hint_for_word(pattern.name)) add_note(error, hint);
  NearName near(pattern.name);
  for (const Definition* known : environment_.datatypes()) near.consider(known->name);
  if (!near.best().empty())
    add_note(error, near.suggestion());
  else if (what == kAssigned)
    error.message =
        fmt::format("the word function is missing before {}, which is no datatype to take apart", pattern.name);
  else if (what == kBound)
    add_note(error,
             fmt::format("a function within an expression is defined by let {} = x => expression in", pattern.name));
}

bool Inference::takes_unknown_apart(const Pattern& pattern) const {
  return pattern.kind == Pattern::Kind::kData && environment_.find_datatype(pattern.name) == nullptr;
}

void Inference::bind_data(Pattern& pattern, Type* type, std::string_view what) {
  Definition* datatype = environment_.find_datatype(pattern.name);
  if (datatype == nullptr) {
    report_no_datatype(pattern, what);
    pattern.local = locals_++;  // a local variable for the intended function, so that uses of it are no errors
    scope_.add(pattern.name, {pattern.local, fresh(), pattern.span});
    bind(*pattern.parts[0], fresh(), what);
    return;
  }
  pattern.datatype = datatype;
  note_use(pattern.name, {.place = {&reporter_.source(), pattern.span}, .definition = datatype});
  std::vector<Type*> instantiation;
  Type* constructor = instantiate(datatype->scheme, instantiation);
  std::optional<Mismatch> mismatch = unify(constructor->arguments[1], type);
  if (mismatch) {
    std::vector<std::string> texts = to_texts({constructor->arguments[1], type});
    base::Diagnostic& error = reporter_.error(
        pattern.span, "type",
        fmt::format("this pattern takes a value of type {} apart, but {} is {}", texts[0], what, texts[1]));
    explain(error, constructor->arguments[1], type, *mismatch, nullptr);
  }
  bind(*pattern.parts[0], constructor->arguments[0], fmt::format("what is in the {}", pattern.name));
}

}  // namespace nesl
