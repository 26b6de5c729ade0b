#include "typed_tree_check.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace nesl {

namespace {

/// Compares the type of every node with the types of its parts.
class TypedTreeCheck {
 public:
  TypedTreeCheck(std::vector<Type*> quantified, std::uint32_t locals)
      : quantified_(std::move(quantified)), locals_(locals) {}

  void pattern(const Pattern& pattern) {
    type(pattern.type);
    switch (pattern.kind) {
      case Pattern::Kind::kVariable:
        require(pattern.local < locals_, "a local variable has a number that is too large");
        require(bound_.insert(pattern.local).second, "two local variables have the same number");
        break;
      case Pattern::Kind::kPair:
        is(pattern.type, Type::Kind::kPair, "a pair pattern has no pair type");
        break;
      case Pattern::Kind::kData:
        is(pattern.type, Type::Kind::kData, "a datatype pattern has another type");
        require(pattern.datatype != nullptr, "a datatype pattern has no datatype");
        break;
    }
    for (const PatternPtr& part : pattern.parts) this->pattern(*part);
  }

  void expression(const Expr& e) {
    type(e.type);
    if (problem_.empty()) std::visit([&](const auto& kind) { node(e, kind); }, e.node);
  }

  const std::string& problem() const { return problem_; }

 private:
  void require(bool good, std::string_view problem) {
    if (!good && problem_.empty()) problem_ = problem;
  }
  void type(Type* type) {
    if (type == nullptr) return require(false, "a node has no type");
    std::vector<Type*> variables;
    collect_variables(type, variables);
    for (Type* variable : variables)
      require(std::find(quantified_.begin(), quantified_.end(), variable) != quantified_.end(),
              "a type contains a variable that is not quantified");
  }
  void is(Type* type, Type::Kind kind, std::string_view problem) { require(resolve(type)->kind == kind, problem); }
  void equal(Type* left, Type* right, std::string_view what) {
    if (!same_type({quantified_, left}, {quantified_, right}))
      require(false, fmt::format("{}: {} and {}", what, to_text(left), to_text(right)));
  }

  template <class Literal>
  void node(const Expr&, const Literal&) {}
  void node(const Expr& e, const Name& name) {
    if (name.definition == nullptr) return require(bound_.contains(name.local), "a name refers to no local variable");
    const Scheme& scheme = name.definition->scheme;
    if (name.instantiation.size() != scheme.quantified.size())
      return require(false, fmt::format("{} is instantiated with the wrong number of types", name.name));
    for (std::size_t i = 0; i < scheme.quantified.size(); ++i) {
      type(name.instantiation[i]);
      require(is_member(name.instantiation[i], scheme.quantified[i]->type_class),
              "an instance is not in the class of its variable");
    }
    TypeStore types;
    equal(types.substitute(scheme.type, scheme.quantified, name.instantiation), e.type, "the instance of a name");
  }
  void node(const Expr& e, const Call& call) {
    expression(*call.function);
    expression(*call.argument);
    is(call.function->type, Type::Kind::kFunction, "what is called is no function");
    if (!problem_.empty()) return;
    Type* function = resolve(call.function->type);
    equal(function->arguments[0], call.argument->type, "an argument");
    equal(function->arguments[1], e.type, "a result");
  }
  void node(const Expr& e, const Pair& pair) {
    expression(*pair.first);
    expression(*pair.rest);
    is(e.type, Type::Kind::kPair, "a pair has another type");
    if (!problem_.empty()) return;
    equal(resolve(e.type)->arguments[0], pair.first->type, "the first of a pair");
    equal(resolve(e.type)->arguments[1], pair.rest->type, "the rest of a pair");
  }
  void node(const Expr& e, const If& conditional) {
    for (const ExprPtr* part : {&conditional.condition, &conditional.then_branch, &conditional.else_branch})
      expression(**part);
    if (!problem_.empty()) return;
    is(conditional.condition->type, Type::Kind::kBool, "a condition is no bool");
    equal(conditional.then_branch->type, e.type, "a then branch");
    equal(conditional.else_branch->type, e.type, "an else branch");
  }
  void node(const Expr& e, const Let& let) {
    for (const auto& [bound, value] : let.bindings) {
      expression(*value);
      pattern(*bound);
    }
    expression(*let.body);
    if (problem_.empty()) equal(let.body->type, e.type, "the body of a let");
  }
  void node(const Expr&, const Lambda& lambda) {
    pattern(*lambda.parameter);
    expression(*lambda.body);
  }
  void node(const Expr& e, const SequenceLiteral& literal) {
    is(e.type, Type::Kind::kSequence, "a sequence has another type");
    for (const ExprPtr& element : literal.elements) {
      expression(*element);
      if (problem_.empty()) equal(element->type, resolve(e.type)->arguments[0], "an element");
    }
  }
  void node(const Expr& e, const Each& each) {
    is(e.type, Type::Kind::kSequence, "an apply-to-each has no sequence type");
    for (const auto& [bound, sequence] : each.bindings) expression(*sequence);
    for (const auto& [bound, sequence] : each.bindings) {
      pattern(*bound);
      if (problem_.empty()) equal(resolve(sequence->type)->arguments[0], bound->type, "a binding");
    }
    if (each.filter != nullptr) {
      expression(*each.filter);
      if (problem_.empty()) is(each.filter->type, Type::Kind::kBool, "a filter is no bool");
    }
    expression(*each.body);
    if (problem_.empty()) equal(each.body->type, resolve(e.type)->arguments[0], "the body of an apply-to-each");
  }
  void node(const Expr& e, const Field& field) {
    expression(*field.record);
    is(field.record->type, Type::Kind::kData, "a field belongs to no datatype");
    require(field.datatype != nullptr, "a field has no datatype");
    if (!problem_.empty()) return;
    Type* record = resolve(field.record->type);
    require(record->datatype == field.datatype, "a field belongs to another datatype");
    const Scheme& scheme = field.datatype->scheme;
    TypeStore types;
    Type* part = types.substitute(scheme.type->arguments[0], scheme.quantified, record->arguments);
    for (std::size_t i = 0; i < field.position; ++i) part = resolve(part)->arguments[1];
    equal(field.position + 1 < field.datatype->fields.size() ? resolve(part)->arguments[0] : part, e.type, "a field");
  }
  void node(const Expr&, const Time& time) { expression(*time.expression); }
  void node(const Expr&, const OptionalArgument&) { require(false, "an optional argument is left"); }

  std::vector<Type*> quantified_;
  std::uint32_t locals_;
  std::set<std::uint32_t> bound_;
  std::string problem_;
};

}  // namespace

std::string check_typed_tree(const Definition& function) {
  for (const auto& special : function.specializations)
    if (std::string problem = check_typed_tree(*special); !problem.empty()) return problem;
  if (function.kind != Definition::Kind::kFunction || function.body == nullptr) return "";
  TypedTreeCheck check(function.scheme.quantified, function.locals);
  check.pattern(*function.parameter);
  check.expression(*function.body);
  return check.problem();
}

std::string check_typed_tree(const GlobalStatement& statement) {
  std::vector<Type*> quantified;
  collect_variables(statement.pattern->type, quantified);
  TypedTreeCheck check(std::move(quantified), statement.locals);
  check.expression(*statement.value);
  check.pattern(*statement.pattern);
  return check.problem();
}

}  // namespace nesl
