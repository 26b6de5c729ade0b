#include "clone.h"

namespace nesl {

namespace {

class Cloner {
 public:
  explicit Cloner(Span span) : span_(span) {}

  ExprPtr expression(const Expr& from) const {
    auto copy = [this](const auto& node) { return Expr::Node(this->node(node)); };
    return std::make_unique<Expr>(Expr{span_, std::visit(copy, from.node)});
  }

 private:
  PatternPtr pattern(const Pattern& from) const {
    auto to = std::make_unique<Pattern>(Pattern{.kind = from.kind, .span = span_, .name = from.name, .parts = {}});
    for (const PatternPtr& part : from.parts) to->parts.push_back(pattern(*part));
    return to;
  }
  TypeExprPtr type(const TypeExpr& from) const {
    auto to =
        std::make_unique<TypeExpr>(TypeExpr{.kind = from.kind, .span = span_, .name = from.name, .arguments = {}});
    for (const TypeExprPtr& argument : from.arguments) to->arguments.push_back(type(*argument));
    return to;
  }
  std::vector<std::pair<PatternPtr, ExprPtr>> bindings(const std::vector<std::pair<PatternPtr, ExprPtr>>& from) const {
    std::vector<std::pair<PatternPtr, ExprPtr>> to;
    for (const auto& [bound, value] : from) to.emplace_back(pattern(*bound), expression(*value));
    return to;
  }

  IntLiteral node(const IntLiteral& from) const { return from; }
  FloatLiteral node(const FloatLiteral& from) const { return from; }
  BoolLiteral node(const BoolLiteral& from) const { return from; }
  CharLiteral node(const CharLiteral& from) const { return from; }
  StringLiteral node(const StringLiteral& from) const { return from; }
  Name node(const Name& from) const { return {.name = from.name, .implied = from.implied}; }
  Call node(const Call& from) const { return {expression(*from.function), expression(*from.argument)}; }
  Pair node(const Pair& from) const { return {expression(*from.first), expression(*from.rest)}; }
  If node(const If& from) const {
    return {expression(*from.condition), expression(*from.then_branch), expression(*from.else_branch)};
  }
  Let node(const Let& from) const { return {bindings(from.bindings), expression(*from.body)}; }
  Lambda node(const Lambda& from) const { return {pattern(*from.parameter), expression(*from.body)}; }
  SequenceLiteral node(const SequenceLiteral& from) const {
    SequenceLiteral to;
    for (const ExprPtr& element : from.elements) to.elements.push_back(expression(*element));
    return to;
  }
  EmptySequence node(const EmptySequence& from) const {
    return {from.element == nullptr ? nullptr : type(*from.element)};
  }
  Field node(const Field& from) const { return {expression(*from.record), from.name, span_}; }
  Each node(const Each& from) const {
    return {from.serial, expression(*from.body), bindings(from.bindings),
            from.filter == nullptr ? nullptr : expression(*from.filter)};
  }
  Time node(const Time& from) const { return {expression(*from.expression)}; }
  OptionalArgument node(const OptionalArgument& from) const { return {from.name, expression(*from.value)}; }

  Span span_;
};

}  // namespace

ExprPtr clone(const Expr& expression, Span span) { return Cloner(span).expression(expression); }

}  // namespace nesl
