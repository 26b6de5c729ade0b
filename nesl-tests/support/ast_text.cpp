#include "ast_text.h"

#include <optional>

#include <fmt/format.h>

#include "syntax/nesl_lexer.h"
#include "syntax/token.h"

namespace nesl {

namespace {

constexpr int kAtom = strength::kApply + 1;  ///< forms that need no parentheses anywhere

const Pair* as_pair(const Expr& e) { return std::get_if<Pair>(&e.node); }

/// The syntax of a call.
struct Form {
  enum class Kind : std::uint8_t { kApplication, kInfix, kPrefix, kIndex, kRange } kind = Kind::kApplication;
  int strength = strength::kApply;
  bool right = false;
  std::string_view sign{};
};

Form form_of(const Call& call) {
  const auto* name = std::get_if<Name>(&call.function->node);
  if (name == nullptr) return {};
  if (name->implied && name->name == "negate") return {Form::Kind::kPrefix, strength::kPrefix, false, "-"};
  if (name->name == "#" || name->name == "@") return {Form::Kind::kPrefix, strength::kPrefix, false, name->name};
  const Pair* pair = as_pair(*call.argument);
  if (pair == nullptr) return {};
  if (name->implied) return name->name == "elt" ? Form{Form::Kind::kIndex} : Form{Form::Kind::kRange, kAtom};
  for (const Spelling& s : kSpellings)
    if (s.text == name->name && is_operator(s.kind)) return {Form::Kind::kInfix, s.strength, s.right, s.text};
  return {};
}

/// The parts of closure(function, value), if the expression is one.
struct Closure {
  const Expr& function;
  const Expr& value;
};
std::optional<Closure> as_closure(const Let& let) {
  if (let.bindings[0].first->name != kClosureValue) return {};
  const auto& body = *std::get<Lambda>(let.body->node).body;
  return Closure{*std::get<Call>(body.node).function, *let.bindings[0].second};
}

/// Writes trees one after the other. `weakest`: operators that bind less tightly need parentheses. `last`: no operator
/// or comma follows, which if and let would absorb.
class Printer {
 public:
  void print(const Expr& e, int weakest, bool last);
  void print(const Pattern& p, int weakest);
  void print(const TypeExpr& t, int weakest);
  std::string out;

 private:
  void print(const IntLiteral& e, bool) { out += e.digits; }
  void print(const FloatLiteral& e, bool);
  void print(const BoolLiteral& e, bool) { out += e.value ? 't' : 'f'; }
  void print(const CharLiteral& e, bool) { (out += '`') += static_cast<char>(e.code); }
  void print(const StringLiteral& e, bool) { out += quoted_string(e.text); }
  void print(const Name& e, bool) { (is_plain_name(e.name) ? out : out += '\'') += e.name; }
  void print(const Call& e, bool last);
  void print(const Pair& e, bool last);
  void print(const If& e, bool last);
  void print(const Let& e, bool last);
  void print(const Lambda& e, bool last);
  void print(const SequenceLiteral& e, bool);
  void print(const EmptySequence& e, bool);
  void print(const Field& e, bool);
  void print(const Each& e, bool);
  void print(const Time& e, bool);
  void print(const OptionalArgument& e, bool last);
  void everything(const Expr& e) { print(e, strength::kComma, true); }
};

/// The binding strength of the form in which an expression is written.
int strength_of(const Expr& e, bool last) {
  if (const auto* call = std::get_if<Call>(&e.node)) return form_of(*call).strength;
  if (std::holds_alternative<Pair>(e.node)) return strength::kComma;
  if (std::holds_alternative<Lambda>(e.node) || std::holds_alternative<OptionalArgument>(e.node))
    return strength::kLambda;
  const auto* let = std::get_if<Let>(&e.node);
  if (let != nullptr && as_closure(*let)) return kAtom;
  if (let != nullptr || std::holds_alternative<If>(e.node)) return last ? strength::kPrefix : strength::kNone;
  if (std::holds_alternative<EmptySequence>(e.node)) return strength::kPrefix;
  return kAtom;
}

void Printer::print(const Expr& e, int weakest, bool last) {
  const bool parentheses = strength_of(e, last) < weakest;
  if (parentheses) out += '(';
  std::visit([&](const auto& node) { print(node, last || parentheses); }, e.node);
  if (parentheses) out += ')';
}

void Printer::print(const FloatLiteral& e, bool) {
  const std::string text = fmt::format("{}", e.value);
  out += text;
  if (text.find_first_not_of("0123456789") == std::string::npos) out += ".0";
}

void Printer::print(const Call& e, bool last) {
  const Form form = form_of(e);
  const Pair* pair = as_pair(*e.argument);
  switch (form.kind) {
    case Form::Kind::kApplication:
      print(*e.function, strength::kApply, false);
      out += '(';
      everything(*e.argument);
      out += ')';
      break;
    case Form::Kind::kInfix:
      print(*pair->first, form.strength + (form.right ? 1 : 0), false);
      out += fmt::format(" {} ", form.sign);
      print(*pair->rest, form.strength + (form.right ? 0 : 1), last);
      break;
    case Form::Kind::kPrefix:
      out += form.sign;
      print(*e.argument, strength::kPrefix, last);
      break;
    case Form::Kind::kIndex:
      print(*pair->first, strength::kApply, false);
      out += '[';
      everything(*pair->rest);
      out += ']';
      break;
    case Form::Kind::kRange: {
      const Pair& bounds = *as_pair(*pair->rest);
      out += '[';
      print(*pair->first, strength::kLambda, true);
      out += " : ";
      print(*bounds.rest, strength::kLambda, true);
      const auto* step = std::get_if<IntLiteral>(&bounds.first->node);
      if (step == nullptr || step->digits != "1") {
        out += " : ";
        print(*bounds.first, strength::kLambda, true);
      }
      out += ']';
      break;
    }
  }
}

void Printer::print(const Pair& e, bool last) {
  print(*e.first, strength::kLambda, false);
  out += ", ";
  print(*e.rest, strength::kComma, last);
}

void Printer::print(const If& e, bool) {
  out += "if ";
  everything(*e.condition);
  out += " then ";
  everything(*e.then_branch);
  out += " else ";
  everything(*e.else_branch);
}

void Printer::print(const Let& e, bool) {
  if (const std::optional<Closure> closure = as_closure(e)) {
    out += "closure(";
    print(closure->function, strength::kLambda, false);
    out += ", ";
    everything(closure->value);
    out += ')';
    return;
  }
  std::string_view before = "let ";
  for (const auto& [pattern, value] : e.bindings) {
    out += before;
    print(*pattern, strength::kComma);
    out += " = ";
    everything(*value);
    before = "; ";
  }
  out += " in ";
  everything(*e.body);
}

void Printer::print(const Lambda& e, bool last) {
  print(*e.parameter, strength::kLambda);
  out += " => ";
  print(*e.body, strength::kLambda, last);
}

void Printer::print(const SequenceLiteral& e, bool) {
  out += '[';
  for (const ExprPtr& element : e.elements) {
    if (&element != &e.elements.front()) out += ", ";
    print(*element, strength::kLambda, &element == &e.elements.back());
  }
  out += ']';
}

void Printer::print(const EmptySequence& e, bool) {
  out += "[]";
  if (e.element == nullptr) return;
  out += ' ';
  print(*e.element, strength::kApply);
}

void Printer::print(const Field& e, bool) {
  // The point would be read as part of the number.
  const bool number =
      std::holds_alternative<IntLiteral>(e.record->node) || std::holds_alternative<FloatLiteral>(e.record->node);
  print(*e.record, number ? kAtom + 1 : strength::kApply, false);
  (out += '.') += e.name;
}

void Printer::print(const Each& e, bool) {
  out += e.serial ? "{* " : "{";
  everything(*e.body);
  std::string_view before = " : ";
  for (const auto& [pattern, sequence] : e.bindings) {
    out += before;
    print(*pattern, strength::kComma);
    out += " in ";
    everything(*sequence);
    before = "; ";
  }
  if (e.filter != nullptr) {
    out += " | ";
    everything(*e.filter);
  }
  out += '}';
}

void Printer::print(const Time& e, bool) {
  out += "time(";
  everything(*e.expression);
  out += ')';
}

void Printer::print(const OptionalArgument& e, bool last) {
  out += e.name;
  out += " := ";
  print(*e.value, strength::kLambda, last);
}

void Printer::print(const Pattern& p, int weakest) {
  if (p.declared != nullptr) weakest = strength::kLambda;
  switch (p.kind) {
    case Pattern::Kind::kVariable:
      out += p.name;
      break;
    case Pattern::Kind::kPair: {
      const bool parentheses = weakest > strength::kComma;
      if (parentheses) out += '(';
      print(*p.parts[0], strength::kLambda);
      out += ", ";
      print(*p.parts[1], strength::kComma);
      if (parentheses) out += ')';
      break;
    }
    case Pattern::Kind::kData:
      out += p.name;
      out += '(';
      print(*p.parts[0], strength::kComma);
      out += ')';
      break;
  }
  if (p.declared == nullptr) return;
  out += " : ";
  print(*p.declared, strength::kLambda);
}

void Printer::print(const TypeExpr& t, int weakest) {
  const auto in_parentheses = [&](char open, const TypeExpr& argument, char close) {
    out += open;
    print(argument, strength::kComma);
    out += close;
  };
  const auto infix = [&](std::string_view sign, int binds) {
    if (binds < weakest) out += '(';
    print(*t.arguments[0], binds + 1);
    out += sign;
    print(*t.arguments[1], binds);
    if (binds < weakest) out += ')';
  };
  switch (t.kind) {
    case TypeExpr::Kind::kName:
      out += t.name;
      break;
    case TypeExpr::Kind::kApply:
      out += t.name;
      in_parentheses('(', *t.arguments[0], ')');
      break;
    case TypeExpr::Kind::kSequence:
      in_parentheses('[', *t.arguments[0], ']');
      break;
    case TypeExpr::Kind::kPair:
      infix(", ", strength::kComma);
      break;
    case TypeExpr::Kind::kFunction:
      infix(" -> ", strength::kRead);
      break;
  }
}

template <typename Tree>
std::string text_of(const Tree& tree) {
  Printer printer;
  if constexpr (std::is_same_v<Tree, Expr>)
    printer.print(tree, strength::kComma, true);
  else
    printer.print(tree, strength::kComma);
  return std::move(printer.out);
}

}  // namespace

std::string to_text(const Expr& expression) { return text_of(expression); }
std::string to_text(const Pattern& pattern) { return text_of(pattern); }
std::string to_text(const TypeExpr& type) { return text_of(type); }

std::string to_text(const TypeDecl& declared) {
  std::string text = declared.type == nullptr ? "" : to_text(*declared.type);
  std::string_view before = " :: (";
  for (const ContextEntry& entry : declared.context) {
    text += fmt::format("{}{} in {}", before, entry.variable, entry.class_name);
    before = "; ";
  }
  return declared.context.empty() ? text : text + ")";
}

}  // namespace nesl
