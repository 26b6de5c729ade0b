#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "infer.h"
#include "messages/near_name.h"

namespace nesl {

namespace {

/// Joins names to "a, b and c"; `last` is the last conjunction.
template <class Names>
std::string list_text(const Names& names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 < names.size() ? ", " : last, names[i]);
  return text;
}

}  // namespace

Type* Inference::node(Expr& e, Field& field) {
  infer(*field.record);
  const PendingField pending{&e, &field, fresh()};
  if (!settle(pending)) pending_fields_.push_back(pending);
  return pending.type;
}

void Inference::settle() {
  for (bool progress = true; progress;)
    progress = std::erase_if(pending_fields_, [this](const PendingField& pending) { return settle(pending); }) > 0;
  for (const PendingField& pending : pending_fields_) {
    std::vector<std::string> candidates;
    for (const Definition* datatype : environment_.datatypes_with_field(pending.field->name))
      candidates.push_back(datatype->name);
    VC_CHECK(candidates.size() > 1);
    base::Diagnostic& error = reporter_.error(
        pending.field->name_span, "type",
        fmt::format("the field {} could be that of {}", pending.field->name, list_text(candidates, " or of ")));
    add_note(error, fmt::format("give the parameter that it belongs to a type: function name(x : {}) = ...",
                                candidates.front()));
  }
  pending_fields_.clear();
  settle_literals(0);
}

// Resolves a field; false if its datatype is not known yet.
bool Inference::settle(const PendingField& pending) {
  Field& field = *pending.field;
  Type* type = resolve(field.record->type);
  Definition* datatype = nullptr;
  if (type->kind == Type::Kind::kData) {
    datatype = type->datatype;
  } else if (type->kind == Type::Kind::kVariable) {
    const std::vector<Definition*> candidates = environment_.datatypes_with_field(field.name);
    if (candidates.size() > 1) return false;
    if (!candidates.empty()) datatype = candidates.front();
  }
  if (datatype == nullptr) {
    report_no_record(pending, type);
    return true;
  }
  const auto at = std::find(datatype->fields.begin(), datatype->fields.end(), field.name);
  if (at == datatype->fields.end()) {
    report_no_field(pending, *datatype);
    return true;
  }
  field.datatype = datatype;
  field.position = static_cast<std::size_t>(at - datatype->fields.begin());
  note_use(field.name, {.place = {&reporter_.source(), field.name_span},
                        .declared = {datatype->source, datatype->field_spans[field.position]},
                        .type = pending.type});
  std::vector<Type*> instantiation;
  Type* constructor = instantiate(datatype->scheme, instantiation);
  require(*field.record, fmt::format("what has the field {}", field.name), constructor->arguments[1]);
  Type* part = constructor->arguments[0];
  for (std::size_t i = 0; i < field.position; ++i) part = resolve(part)->arguments[1];
  if (field.position + 1 < datatype->fields.size()) part = resolve(part)->arguments[0];
  require(pending.expression->span, "this field", pending.type, part);
  return true;
}

void Inference::report_no_field(const PendingField& pending, const Definition& datatype) {
  const Field& field = *pending.field;
  base::Diagnostic& error = reporter_.error(field.name_span, "unbound",
                                            fmt::format("the datatype {} has no field {}", datatype.name, field.name));
  if (datatype.fields.empty()) {
    add_note(error, fmt::format("its parts have no names; names are given where it is defined: datatype {}({} : ...)",
                                datatype.name, field.name));
    return;
  }
  NearName near(field.name);
  for (const std::string& name : datatype.fields) near.consider(name);
  add_note(error, near.best().empty() ? fmt::format("its field{} {}", datatype.fields.size() == 1 ? " is" : "s are",
                                                    list_text(datatype.fields, " and "))
                                      : near.suggestion());
}

void Inference::report_no_record(const PendingField& pending, Type* type) {
  const Field& field = *pending.field;
  if (type->kind == Type::Kind::kVariable) {
    base::Diagnostic& error =
        reporter_.error(field.name_span, "unbound", fmt::format("no datatype has a field {}", field.name));
    NearName near(field.name);
    for (const Definition* definition : environment_.sorted())
      if (definition->kind == Definition::Kind::kDatatype)
        for (const std::string& name : definition->fields) near.consider(name);
    if (!near.best().empty()) add_note(error, near.suggestion());
    return;
  }
  base::Diagnostic& error = reporter_.error(
      field.record->span, "type", fmt::format("only datatypes have fields, but this is {}", to_texts({type})[0]));
  const bool elements = type->kind == Type::Kind::kSequence && resolve(type->arguments[0])->kind == Type::Kind::kData;
  if (elements) add_note(error, fmt::format("the field of each element is {{x.{} : x in ...}}", field.name));
}

}  // namespace nesl
