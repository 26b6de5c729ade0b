#include "ast_dump.h"

#include <fmt/format.h>

#include "ast_text.h"
#include "syntax/nesl_lexer.h"

namespace nesl {

namespace {

/// Writes symbolic expressions, and checks that the span of each part lies within the span of the whole.
class Dumper {
 public:
  explicit Dumper(Span outermost) : within_(outermost) {}

  void add(const Expr* e);
  void add(const Pattern* p);
  void add(const TypeExpr* t);
  void add(const TypeDecl& d);
  void add(const Statement& s);

  std::string out;
  Span misplaced;
  bool has_misplaced = false;

 private:
  void node(const IntLiteral& n) { out += n.digits; }
  void node(const FloatLiteral& n) { out += fmt::format("{}f", n.value); }
  void node(const BoolLiteral& n) { out += n.value ? "true" : "false"; }
  void node(const CharLiteral& n) { out += fmt::format("(char {})", n.code); }
  void node(const StringLiteral& n) { out += quoted_string(n.text); }
  void node(const Name& n) { out += n.name; }
  void node(const Call& n) { list("call", n.function, n.argument); }
  void node(const Pair& n) { list("pair", n.first, n.rest); }
  void node(const If& n) { list("if", n.condition, n.then_branch, n.else_branch); }
  void node(const Let& n);
  void node(const Lambda& n) { list("=>", n.parameter, n.body); }
  void node(const SequenceLiteral& n);
  void node(const EmptySequence& n) {
    if (n.element != nullptr)
      list("[]", n.element);
    else
      out += "[]";
  }
  void node(const Field& n) {
    place(n.name_span, [] {});
    list("." + n.name, n.record);
  }
  void node(const Each& n);
  void node(const Time& n) { list("time", n.expression); }
  void node(const OptionalArgument& n) { list(":= " + n.name, n.value); }

  template <typename... Parts>
  void list(std::string_view head, const Parts&... parts) {
    (out += '(') += head;
    (item(parts), ...);
    out += ')';
  }
  template <typename Part>
  void item(const std::unique_ptr<Part>& part) {
    out += ' ';
    add(part.get());
  }
  void bindings(const std::vector<std::pair<PatternPtr, ExprPtr>>& all) {
    for (const auto& [pattern, value] : all) list("", pattern, value);
  }
  /// Visits a part of the tree whose span is `span`.
  template <typename Visit>
  void place(Span span, Visit visit) {
    const Span outer = within_;
    if (!has_misplaced && (span.begin < outer.begin || span.begin > span.end || span.end > outer.end)) {
      misplaced = span;
      has_misplaced = true;
    }
    within_ = span;
    visit();
    within_ = outer;
  }

  Span within_;
};

void Dumper::node(const Let& n) {
  out += "(let ";
  bindings(n.bindings);
  item(n.body);
  out += ')';
}

void Dumper::node(const SequenceLiteral& n) {
  out += "[";
  for (const ExprPtr& element : n.elements) item(element);
  out += " ]";
}

void Dumper::node(const Each& n) {
  out += n.serial ? "(each*" : "(each";
  item(n.body);
  out += ' ';
  bindings(n.bindings);
  if (n.filter != nullptr) item(n.filter);
  out += ')';
}

void Dumper::add(const Expr* e) {
  place(e->span, [&] { std::visit([&](const auto& n) { node(n); }, e->node); });
}

void Dumper::add(const Pattern* p) {
  if (p->declared != nullptr) out += "(: ";
  place(p->span, [&] {
    switch (p->kind) {
      case Pattern::Kind::kVariable:
        out += p->name;
        break;
      case Pattern::Kind::kPair:
        list("pair", p->parts[0], p->parts[1]);
        break;
      case Pattern::Kind::kData:
        list("data " + p->name, p->parts[0]);
        break;
    }
  });
  if (p->declared == nullptr) return;
  item(p->declared);
  out += ')';
}

void Dumper::add(const TypeExpr* t) {
  place(t->span, [&] {
    switch (t->kind) {
      case TypeExpr::Kind::kName:
        out += t->name;
        break;
      case TypeExpr::Kind::kApply:
        list("apply " + t->name, t->arguments[0]);
        break;
      case TypeExpr::Kind::kSequence:
        list("sequence", t->arguments[0]);
        break;
      case TypeExpr::Kind::kPair:
        list("pair", t->arguments[0], t->arguments[1]);
        break;
      case TypeExpr::Kind::kFunction:
        list("->", t->arguments[0], t->arguments[1]);
        break;
    }
  });
}

void Dumper::add(const TypeDecl& d) {
  out += " : ";
  if (d.type != nullptr) add(d.type.get());
  for (const ContextEntry& entry : d.context) {
    place(entry.span, [] {});
    out += fmt::format(" ({} in {})", entry.variable, entry.class_name);
  }
}

void Dumper::add(const Statement& s) {
  if (const auto* f = std::get_if<FunctionStatement>(&s.node)) {
    place(f->name_span, [] {});
    out += fmt::format("({} {} ", f->specialization ? "specialize" : "function", f->name);
    if (f->parameter != nullptr) add(f->parameter.get());
    for (const auto& [name, value] : f->optional) list(":= " + name, value);
    if (f->declares_result) out += " result";
    if (f->declared.type != nullptr || !f->declared.context.empty()) add(f->declared);
    out += ' ' + quoted_string(f->doc);
    if (f->body != nullptr) item(f->body);
    out += ')';
  } else if (const auto* p = std::get_if<PrimitiveStatement>(&s.node)) {
    place(p->name_span, [] {});
    out += fmt::format("(primitive{} {}", p->serial ? " serial" : "", p->name);
    add(p->declared);
    out += fmt::format(" {} {}", quoted_string(p->doc), quoted_string(p->instruction));
    if (!p->failure.empty()) out += ' ' + quoted_string(p->failure);
    out += ')';
  } else if (const auto* d = std::get_if<DatatypeStatement>(&s.node)) {
    place(d->name_span, [] {});
    out += fmt::format("(datatype {}", d->name);
    for (const DatatypeStatement::Field& field : d->fields) {
      place(field.span, [] {});
      out += " ." + field.name;
    }
    add(d->contents);
    out += ' ' + quoted_string(d->doc) + ')';
  } else if (const auto* v = std::get_if<ValueStatement>(&s.node)) {
    if (v->pattern == nullptr)
      add(v->value.get());
    else
      list("=", v->pattern, v->value);
  } else if (const auto* t = std::get_if<TestStatement>(&s.node)) {
    out += "(test " + quoted_string(t->title);
    if (t->parameter != nullptr) item(t->parameter);
    if (t->assumption != nullptr) {
      out += ' ';
      list("|", t->assumption);
    }
    item(t->condition);
    out += ')';
  } else if (const auto* b = std::get_if<BenchStatement>(&s.node)) {
    out += "(bench " + quoted_string(b->title);
    out += ' ';
    if (b->variable != nullptr) list("for", b->variable, b->sizes);
    bindings(b->bindings);
    item(b->expression);
    out += ')';
  } else {
    out += fmt::format("(command {})", std::get<CommandStatement>(s.node).text);
  }
}

/// The parts of a parameter as source text.
std::vector<std::string> parameter_texts(const Pattern& parameter) {
  std::vector<std::string> parts;
  const Pattern* rest = &parameter;
  for (; rest->kind == Pattern::Kind::kPair && rest->declared == nullptr; rest = rest->parts[1].get()) {
    const bool tuple = rest->parts[0]->kind == Pattern::Kind::kPair && rest->parts[0]->declared == nullptr;
    parts.push_back(fmt::format("{}{}{}", tuple ? "(" : "", to_text(*rest->parts[0]), tuple ? ")" : ""));
  }
  parts.push_back(to_text(*rest));
  return parts;
}

/// The contents of a datatype as source text: its type, or its fields in parentheses.
std::string contents_text(const DatatypeStatement& d) {
  if (d.fields.empty()) return to_text(d.contents);
  std::string text = "(";
  const TypeExpr* rest = d.contents.type.get();
  for (const DatatypeStatement::Field& field : d.fields) {
    const bool last = &field == &d.fields.back();
    const TypeExpr& type = last ? *rest : *rest->arguments[0];
    const bool tuple = type.kind == TypeExpr::Kind::kPair;
    text +=
        fmt::format("{} : {}{}{}{}", field.name, tuple ? "(" : "", to_text(type), tuple ? ")" : "", last ? ")" : ", ");
    if (!last) rest = rest->arguments[1].get();
  }
  return text + to_text(TypeDecl{nullptr, d.contents.context});
}

}  // namespace

std::string dump(const Statement& statement) {
  Dumper dumper(statement.span);
  dumper.add(statement);
  return std::move(dumper.out);
}

std::string dump(const Expr& expression) {
  Dumper dumper(expression.span);
  dumper.add(&expression);
  return std::move(dumper.out);
}

std::string misplaced_part(const Statement& statement, std::string_view text) {
  Dumper dumper(statement.span);
  dumper.add(statement);
  if (statement.span.end > text.size() || statement.span.begin >= statement.span.end) return "the statement";
  if (!dumper.has_misplaced) return {};
  return fmt::format("{}-{}", dumper.misplaced.begin, dumper.misplaced.end);
}

std::string source_text(const Statement& statement) {
  const auto optional_string = [](const std::string& text) {
    return text.empty() ? std::string() : fmt::format(" {}", quoted_string(text));
  };
  if (const auto* f = std::get_if<FunctionStatement>(&statement.node)) {
    const bool is_plain = is_plain_name(f->name) || f->name == "t" || f->name == "f";
    const std::string name = is_plain ? f->name : "'" + f->name;
    std::string text = fmt::format("{} {}(", f->specialization ? "specialize" : "function", name);
    const std::string declared = (f->declared.type == nullptr ? "" : " : ") + to_text(f->declared);
    if (f->body == nullptr) return fmt::format("{}x){}{};", text, declared, optional_string(f->doc));
    // The variables of optional arguments are the last of the parameter.
    std::vector<std::string> parameters = parameter_texts(*f->parameter);
    for (std::size_t i = 0; i < f->optional.size(); ++i)
      parameters[parameters.size() - f->optional.size() + i] +=
          fmt::format(" := ({})", to_text(*f->optional[i].second));
    return fmt::format("{}{}){}{} = {};", text, fmt::join(parameters, ", "), declared, optional_string(f->doc),
                       to_text(*f->body));
  }
  if (const auto* d = std::get_if<DatatypeStatement>(&statement.node))
    return fmt::format("datatype {} {}{};", d->name, contents_text(*d), optional_string(d->doc));
  if (const auto* t = std::get_if<TestStatement>(&statement.node)) {
    std::string text = "test " + quoted_string(t->title);
    if (t->parameter != nullptr) text += " for " + fmt::format("{}", fmt::join(parameter_texts(*t->parameter), ", "));
    if (t->assumption != nullptr) text += " | " + to_text(*t->assumption);
    return text + " = " + to_text(*t->condition) + ";";
  }
  if (const auto* b = std::get_if<BenchStatement>(&statement.node)) {
    std::string text = "bench " + quoted_string(b->title);
    if (b->variable != nullptr) text += fmt::format(" for {} in {}", to_text(*b->variable), to_text(*b->sizes));
    for (const auto& [pattern, value] : b->bindings)
      text += fmt::format("; {} = {}", to_text(*pattern), to_text(*value));
    return text + " = " + to_text(*b->expression) + ";";
  }
  const auto& v = std::get<ValueStatement>(statement.node);
  std::string head = v.pattern == nullptr ? to_text(*v.value) : to_text(*v.pattern);
  // In parentheses no name begins a command or a definition of the prelude.
  if (Lexer(head).next().kind == TokenKind::kName) head = fmt::format("({})", head);
  return head + (v.pattern == nullptr ? "" : " = " + to_text(*v.value)) + ";";
}

}  // namespace nesl
