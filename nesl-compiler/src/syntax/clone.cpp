#include "clone.h"

#include <optional>

namespace nesl {

namespace {

class Cloner {
 public:
  Cloner(std::optional<Span> span, std::uint32_t first, const Renaming* renamed = nullptr)
      : span_(span), first_(first), renamed_(renamed) {}

  ExprPtr expression(const Expr& from) const {
    auto copy = [this](const auto& node) { return Expr::Node(this->node(node)); };
    return std::make_unique<Expr>(Expr{relocate(from.span), std::visit(copy, from.node), from.type});
  }
  PatternPtr pattern(const Pattern& from) const {
    auto to = std::make_unique<Pattern>();
    to->kind = from.kind;
    to->span = relocate(from.span);
    to->name = from.name;
    for (const PatternPtr& part : from.parts) to->parts.push_back(pattern(*part));
    to->declared = from.declared == nullptr ? nullptr : type(*from.declared);
    to->type = from.type;
    to->datatype = from.datatype;
    to->local = local(from.local);
    return to;
  }

 private:
  Span relocate(Span span) const { return span_.value_or(span); }
  std::uint32_t local(std::uint32_t number) const {
    if (number == UINT32_MAX) return number;
    const auto other = renamed_ == nullptr ? Renaming::const_iterator() : renamed_->find(number);
    return renamed_ == nullptr || other == renamed_->end() ? number + first_ : other->second;
  }
  TypeExprPtr type(const TypeExpr& from) const {
    auto to = std::make_unique<TypeExpr>(
        TypeExpr{.kind = from.kind, .span = relocate(from.span), .name = from.name, .arguments = {}});
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
  Name node(const Name& from) const {
    Name to = from;
    to.local = local(from.local);
    return to;
  }
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
  Field node(const Field& from) const {
    return {expression(*from.record), from.name, relocate(from.name_span), from.datatype, from.position};
  }
  Each node(const Each& from) const {
    return {from.serial, expression(*from.body), bindings(from.bindings),
            from.filter == nullptr ? nullptr : expression(*from.filter)};
  }
  Time node(const Time& from) const { return {expression(*from.expression)}; }
  OptionalArgument node(const OptionalArgument& from) const { return {from.name, expression(*from.value)}; }

  std::optional<Span> span_;  ///< span of all parts of the copy; none: each part keeps its own
  std::uint32_t first_;
  const Renaming* renamed_;
};

}  // namespace

ExprPtr clone(const Expr& expression, Span span) { return Cloner(span, 0).expression(expression); }

PatternPtr clone_pattern(const Pattern& pattern) { return Cloner(std::nullopt, 0).pattern(pattern); }
ExprPtr clone_expression(const Expr& expression) { return Cloner(std::nullopt, 0).expression(expression); }

PatternPtr clone_analysed(const Pattern& pattern, std::uint32_t first) {
  return Cloner(std::nullopt, first).pattern(pattern);
}
ExprPtr clone_analysed(const Expr& expression, std::uint32_t first) {
  return Cloner(std::nullopt, first).expression(expression);
}
PatternPtr clone_renamed(const Pattern& pattern, const Renaming& renamed) {
  return Cloner(std::nullopt, 0, &renamed).pattern(pattern);
}
ExprPtr clone_renamed(const Expr& expression, const Renaming& renamed) {
  return Cloner(std::nullopt, 0, &renamed).expression(expression);
}

}  // namespace nesl
