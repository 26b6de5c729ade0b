#include "nesl-compiler/outline.h"

#include <algorithm>

#include "facts/expression_facts.h"
#include "syntax/nesl_lexer.h"
#include "syntax/parse_expression.h"
#include "syntax/parser.h"

namespace nesl {

namespace {

/// Adds the items of statements without errors.
class Outline {
 public:
  explicit Outline(const base::Source& source) : source_(source) {}

  void add(const Statement& statement) {
    span_ = statement.span;
    std::visit([this](const auto& node) { visit(node); }, statement.node);
  }
  /// Adds the functions and datatypes that stand in no statement which has been added.
  void add_unfinished(const std::vector<Statement>& statements);
  std::vector<OutlineItem> take();

 private:
  void add(OutlineItem::Kind kind, Span name) {
    items_.push_back({kind,
                      std::string(source_.text(name)),
                      {std::min(span_.begin, name.begin), std::max(span_.end, name.end)},
                      name});
  }
  void visit(const FunctionStatement& f) { add(OutlineItem::Kind::kFunction, f.name_span); }
  void visit(const DatatypeStatement& d) {
    add(OutlineItem::Kind::kDatatype, d.name_span);
    for (const DatatypeStatement::Field& field : d.fields)
      items_.back().parts.push_back(
          {OutlineItem::Kind::kField, std::string(source_.text(field.span)), field.span, field.span});
  }
  void visit(const ValueStatement& v) {
    if (v.pattern != nullptr)
      for_each_variable(*v.pattern, [this](const Pattern& p) { add(OutlineItem::Kind::kVariable, p.span); });
  }
  void visit(const TestStatement& t) { add_trial(OutlineItem::Kind::kTest, t.title); }
  void visit(const BenchStatement& b) { add_trial(OutlineItem::Kind::kBench, b.title); }
  void visit(const PrimitiveStatement&) {}
  void visit(const CommandStatement&) {}
  void add_trial(OutlineItem::Kind kind, const std::string& title);

  const base::Source& source_;
  Span span_{};
  std::vector<OutlineItem> items_;
};

void Outline::add_trial(OutlineItem::Kind kind, const std::string& title) {
  Lexer lexer(source_.text());
  lexer.seek(span_.begin);
  lexer.next();
  items_.push_back({kind, title, span_, lexer.next().span});
}

void Outline::add_unfinished(const std::vector<Statement>& statements) {
  Lexer lexer(source_.text());
  auto statement = statements.begin();
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd;) {
    while (statement != statements.end() && statement->span.end <= token.span.begin) ++statement;
    const bool inside = statement != statements.end() && statement->span.begin <= token.span.begin;
    const Token word = token;
    token = lexer.next();
    if (inside || !word.new_line || !names_variable(token.kind)) continue;
    span_ = word.span;
    if (word.kind == TokenKind::kFunction) add(OutlineItem::Kind::kFunction, token.span);
    if (word.kind == TokenKind::kDatatype) add(OutlineItem::Kind::kDatatype, token.span);
  }
}

std::vector<OutlineItem> Outline::take() {
  std::stable_sort(items_.begin(), items_.end(),
                   [](const OutlineItem& a, const OutlineItem& b) { return a.span.begin < b.span.begin; });
  return std::move(items_);
}

}  // namespace

std::vector<OutlineItem> outline(const base::Source& source) {
  base::Diagnostics ignored;
  const std::vector<Statement> statements = parse(source, {}, ignored);
  Outline outline(source);
  for (const Statement& statement : statements) outline.add(statement);
  if (ignored.has_errors()) outline.add_unfinished(statements);
  return outline.take();
}

}  // namespace nesl
