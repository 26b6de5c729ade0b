#include "element_evaluator.h"

#include <algorithm>

namespace evaluator {
namespace {

using nesl::Definition;
using nesl::Expr;
using nesl::Pattern;
using nesl::Type;

// Limit of steps, enough for any test: a program that exceeds it never ends.
constexpr long kMaxSteps = 20'000'000;

void bind(const Pattern& pattern, const ValuePtr& value, Locals& locals) {
  switch (pattern.kind) {
    case Pattern::Kind::kVariable:
      locals[pattern.local] = value;
      break;
    case Pattern::Kind::kPair:
      bind(*pattern.parts[0], value->first(), locals);
      bind(*pattern.parts[1], value->rest(), locals);
      break;
    case Pattern::Kind::kData:
      bind(*pattern.parts[0], value, locals);
      break;
  }
}

bool same(Type* a, Type* b) {
  a = nesl::resolve(a);
  b = nesl::resolve(b);
  if (a == b) return true;
  if (a->kind != b->kind || a->datatype != b->datatype || a->arguments.size() != b->arguments.size()) return false;
  return a->kind != Type::Kind::kVariable &&
         std::equal(a->arguments.begin(), a->arguments.end(), b->arguments.begin(), same);
}

/// Finds types for the variables of a specialization that make it the wanted instance.
bool match(Type* pattern, Type* wanted, Substitution& found) {
  pattern = nesl::resolve(pattern);
  wanted = nesl::resolve(wanted);
  if (pattern->kind == Type::Kind::kVariable) {
    const auto known = std::find(found.variables.begin(), found.variables.end(), pattern);
    if (known != found.variables.end()) return same(found.types[known - found.variables.begin()], wanted);
    found.variables.push_back(pattern);
    found.types.push_back(wanted);
    return nesl::is_member(wanted, pattern->type_class);
  }
  if (pattern->kind != wanted->kind || pattern->datatype != wanted->datatype) return false;
  return std::equal(pattern->arguments.begin(), pattern->arguments.end(), wanted->arguments.begin(),
                    [&found](Type* a, Type* b) { return match(a, b, found); });
}

template <class... Alternatives>
struct Overloaded : Alternatives... {
  using Alternatives::operator()...;
};
template <class... Alternatives>
Overloaded(Alternatives...) -> Overloaded<Alternatives...>;

}  // namespace

ValuePtr Evaluator::evaluate(const nesl::GlobalStatement& statement) {
  Frame frame{Locals(statement.locals), std::make_shared<Substitution>()};
  return evaluate(*statement.value, frame);
}

void Evaluator::spend() {
  if (++steps_ > kMaxSteps) throw Unsupported("the program takes too many steps");
}

std::vector<Type*> Evaluator::concrete(const std::vector<Type*>& types, const Frame& frame) {
  std::vector<Type*> result;
  for (Type* type : types) {
    result.push_back(types_.substitute(type, frame.substitution->variables, frame.substitution->types));
  }
  return result;
}

ValuePtr Evaluator::evaluate(const Expr& expr, Frame& frame) {
  spend();
  return std::visit(
      Overloaded{
          [](const nesl::IntLiteral& node) {
            std::uint32_t value = 0;
            for (const char digit : node.digits) value = value * 10 + static_cast<std::uint32_t>(digit - '0');
            return make(static_cast<std::int32_t>(value));
          },
          [](const nesl::FloatLiteral& node) { return make(node.value); },
          [](const nesl::BoolLiteral& node) { return make(node.value); },
          [](const nesl::CharLiteral& node) { return make(Character{node.code}); },
          [](const nesl::StringLiteral& node) { return make_string(node.text); },
          [&](const nesl::Name& node) { return evaluate_name(node, frame); },
          [&](const nesl::Call& node) {
            const ValuePtr function = evaluate(*node.function, frame);
            const ValuePtr argument = evaluate(*node.argument, frame);
            return apply(std::get<Function>(function->content), argument);
          },
          [&](const nesl::Pair& node) {
            ValuePtr first = evaluate(*node.first, frame);
            ValuePtr rest = evaluate(*node.rest, frame);
            return make(std::pair(std::move(first), std::move(rest)));
          },
          [&](const nesl::If& node) {
            return evaluate(evaluate(*node.condition, frame)->as_bool() ? *node.then_branch : *node.else_branch, frame);
          },
          [&](const nesl::Let& node) {
            for (const auto& [pattern, value] : node.bindings) bind(*pattern, evaluate(*value, frame), frame.locals);
            return evaluate(*node.body, frame);
          },
          [&](const nesl::Lambda& node) {
            return make(Function{.lambda = &node,
                                 .captured = std::make_shared<const Locals>(frame.locals),
                                 .substitution = frame.substitution});
          },
          [&](const nesl::SequenceLiteral& node) {
            Sequence elements;
            for (const auto& element : node.elements) elements.push_back(evaluate(*element, frame));
            return make(std::move(elements));
          },
          [](const nesl::EmptySequence&) { return make(Sequence{}); },
          [&](const nesl::Field& node) {
            // The value of a datatype is its contents.
            ValuePtr part = evaluate(*node.record, frame);
            for (std::size_t k = 0; k < node.position; ++k) part = part->rest();
            return node.position + 1 < node.datatype->fields.size() ? part->first() : part;
          },
          [&](const nesl::Each& node) { return evaluate_each(node, frame); },
          [&](const nesl::Time& node) { return make(std::pair(evaluate(*node.expression, frame), make(0.0))); },
          [](const nesl::OptionalArgument&) -> ValuePtr {
            throw std::logic_error("analysis removes optional arguments");
          },
      },
      expr.node);
}

ValuePtr Evaluator::evaluate_name(const nesl::Name& name, const Frame& frame) {
  if (name.definition == nullptr) return frame.locals[name.local];
  if (name.definition->kind == Definition::Kind::kGlobal) return global(*name.definition);
  return make(Function{.definition = name.definition, .instantiation = concrete(name.instantiation, frame)});
}

ValuePtr Evaluator::global(const Definition& definition) {
  const nesl::GlobalStatement& statement = *definition.statement;
  auto known = globals_.find(&statement);
  if (known == globals_.end()) {
    Frame frame{Locals(statement.locals), std::make_shared<Substitution>()};
    bind(*statement.pattern, evaluate(*statement.value, frame), frame.locals);
    known = globals_.emplace(&statement, std::move(frame)).first;
  }
  return known->second.locals[definition.local];
}

ValuePtr Evaluator::evaluate_each(const nesl::Each& each, Frame& frame) {
  std::vector<ValuePtr> sequences;
  for (const auto& [pattern, sequence] : each.bindings) sequences.push_back(evaluate(*sequence, frame));
  const std::size_t length = sequences[0]->as_sequence().size();
  for (const ValuePtr& sequence : sequences) {
    if (sequence->as_sequence().size() != length) throw Failure{{"Length mismatch in an apply-to-each."}};
  }
  Sequence results;
  std::set<std::string> messages;
  for (std::size_t k = 0; k < length; ++k) {
    try {
      for (std::size_t b = 0; b < sequences.size(); ++b) {
        bind(*each.bindings[b].first, sequences[b]->as_sequence()[k], frame.locals);
      }
      if (each.filter != nullptr && !evaluate(*each.filter, frame)->as_bool()) continue;
      results.push_back(evaluate(*each.body, frame));
    } catch (const Failure& failure) {
      messages.insert(failure.messages.begin(), failure.messages.end());
      if (each.serial) throw;
    }
  }
  if (!messages.empty()) throw Failure{messages};
  return make(std::move(results));
}

ValuePtr Evaluator::apply(const Function& function, const ValuePtr& argument) {
  if (function.definition != nullptr) return call(*function.definition, function.instantiation, argument);
  Frame frame{*function.captured, function.substitution};
  bind(*function.lambda->parameter, argument, frame.locals);
  return evaluate(*function.lambda->body, frame);
}

ValuePtr Evaluator::call(const Definition& definition, std::vector<Type*> instantiation, const ValuePtr& argument) {
  spend();
  if (definition.kind == Definition::Kind::kDatatype) return argument;
  Type* const type = types_.substitute(definition.scheme.type, definition.scheme.quantified, instantiation);
  if (definition.prelude) {
    if (const Native native = find_native(definition.name)) return native(*this, argument, *nesl::resolve(type));
  }
  for (const auto& specialization : definition.specializations) {
    const auto substitution = std::make_shared<Substitution>();
    if (match(specialization->scheme.type, type, *substitution)) {
      return call_body(*specialization, substitution, argument);
    }
  }
  if (definition.body == nullptr) throw Unsupported("there is no native " + definition.name);
  const auto substitution = std::make_shared<Substitution>();
  substitution->variables = definition.scheme.quantified;
  substitution->types = std::move(instantiation);
  return call_body(definition, substitution, argument);
}

ValuePtr Evaluator::call_body(const Definition& definition, SubstitutionPtr substitution, const ValuePtr& argument) {
  Frame frame{Locals(definition.locals), std::move(substitution)};
  bind(*definition.parameter, argument, frame.locals);
  return evaluate(*definition.body, frame);
}

}  // namespace evaluator
