// Watch points: calls of functions that do nothing, with the values that a viewer shows.
//
//   {x * x : x in [1, 2, 3]}
//
//   v = CONST INT (1 2 3)   s = MAKE_SEGDES 3   WATCH.0 s v
//   WATCH.1 s v                                  x, for each of the 3 instances of level 1, whose link is s
//   p = * INT v v           WATCH.2 s p
//
// The operands of a call lie on the stack when it runs, whatever their kinds, and calls stay in the order of the
// program.
#include "watcher.h"

#include <algorithm>

#include "base/check.h"
#include "facts/expression_facts.h"

namespace nesl {

namespace {

/// Bytes of the texts in labels: expressions may be long and nested deep.
constexpr std::size_t kLongestLabel = 100;

/// Whether the value of an expression is worth a point of its own.
bool is_watched(const Expr& expr) {
  return std::holds_alternative<Call>(expr.node) || std::holds_alternative<If>(expr.node) ||
         std::holds_alternative<Each>(expr.node) || std::holds_alternative<SequenceLiteral>(expr.node);
}

bool contains(Span outer, Span inner) { return outer.begin <= inner.begin && inner.end <= outer.end; }

/// Whether a value contains a function, which has no form at run time.
bool has_function(const FlatValue& value) {
  if (value.kind == FlatValue::Kind::kFunction) return true;
  return std::any_of(value.parts.begin(), value.parts.end(), [](const ValuePtr& part) { return has_function(*part); });
}

}  // namespace

void Watcher::reset() {
  statement_ = nullptr;
  points_.clear();
  labels_.clear();
  conditionals_.clear();
}

void Watcher::begin(const GlobalStatement& statement) { statement_ = &statement; }

Watcher::Inside::Inside(Watcher& watcher, const Expr& expr)
    : watcher_(watcher), is_conditional_(watcher.is_active() && std::holds_alternative<If>(expr.node)) {
  if (!watcher.is_active()) return;
  watcher.label_branch(expr);
  if (is_conditional_)
    watcher.conditionals_.push_back({&expr, watcher.context_.frame().source, watcher.levels_.depth()});
}

Watcher::Inside::~Inside() {
  if (is_conditional_) watcher_.conditionals_.pop_back();
}

/// Labels the current nesting level, if it is new, by the conditional whose branch contains the expression.
void Watcher::label_branch(const Expr& expr) {
  if (context_.frame().prelude || !levels_.in_branch()) return;
  const auto [label, is_new] = labels_.try_emplace(levels_.id(levels_.depth()));
  if (!is_new) return;
  bool is_then = false;
  if (const Conditional* around = conditional_around(expr.span, &is_then); around != nullptr)
    label->second = (is_then ? "if " : "else, not ") + text_of(std::get<If>(around->expr->node).condition->span);
}

const Watcher::Conditional* Watcher::conditional_around(Span span, bool* is_then) const {
  for (auto at = conditionals_.rbegin(); at != conditionals_.rend(); ++at) {
    if (at->source != context_.frame().source) continue;
    const If& node = std::get<If>(at->expr->node);
    const bool in_then = contains(node.then_branch->span, span);
    if (!in_then && !contains(node.else_branch->span, span)) continue;
    if (is_then != nullptr) *is_then = in_then;
    return &*at;
  }
  return nullptr;
}

std::string Watcher::text_of(Span span) const {
  const std::string_view text = context_.frame().source->text(span);
  if (text.size() <= kLongestLabel) return std::string(text);
  return std::string(base::cut_text(text, kLongestLabel)) + "…";
}

WatchPoint Watcher::point_here(WatchPoint::Kind kind, Span span) {
  WatchPoint point;
  point.kind = kind;
  point.place = {context_.frame().source, span};
  if (const Definition* function = context_.frame().definition; function != nullptr) {
    point.function = function->name;
    point.text = {function->span.begin, std::max(function->body->span.end, span.end)};
  } else if (context_.frame().source == statement_->source) {
    point.text = statement_->value->span;
  } else {
    point.text = span;
  }
  return point;
}

void Watcher::note_value(const Expr& expr, const ValuePtr& value) {
  if (!is_active() || context_.frame().prelude) return;
  if (!conditionals_.empty() && std::get<If>(conditionals_.back().expr->node).condition.get() == &expr)
    conditionals_.back().varies = max_level(*value) > 0;
  if (!is_watched(expr)) return;
  WatchPoint point = point_here(WatchPoint::Kind::kValue, expr.span);
  const Conditional* const around = conditional_around(expr.span);
  if (around != nullptr && around->varies && around->depth == levels_.depth())
    point.either_way = text_of(std::get<If>(around->expr->node).condition->span);
  watch(std::move(point), value, expr.type);
}

void Watcher::note_elements(const Pattern& pattern, const Expr& sequence, const ValuePtr& value) {
  if (!is_active() || context_.frame().prelude) return;
  WatchPoint point = point_here(WatchPoint::Kind::kElements, pattern.span);
  point.name = text_of(pattern.span);
  const std::string each = pattern.span == sequence.span ? point.name : point.name + " in " + text_of(sequence.span);
  std::string& label = labels_[levels_.id(levels_.depth())];
  label += (label.empty() ? "" : "; ") + each;
  watch(std::move(point), value, pattern.type);
}

void Watcher::note_filter(const Expr& filter) {
  if (is_active() && !context_.frame().prelude) labels_[levels_.id(levels_.depth())] = "where " + text_of(filter.span);
}

void Watcher::note_parameters(const Definition& definition) {
  if (!is_active() || definition.prelude) return;
  for_each_variable(*definition.parameter, [&](const Pattern& variable) {
    WatchPoint point = point_here(WatchPoint::Kind::kParameter, definition.span);
    point.name = variable.name;
    watch(std::move(point), context_.frame().locals.at(variable.local), variable.type);
  });
}

void Watcher::note_call(const Definition& callee, const std::vector<int>& callers) {
  if (!is_active()) return;
  WatchPoint point;
  point.kind = WatchPoint::Kind::kCall;
  point.function = callee.name;
  point.callers.assign(callers.begin() + 1, callers.end());
  emit_point(std::move(point), levels_.depth(), {});
}

void Watcher::note_return() {
  if (!is_active()) return;
  WatchPoint point;
  point.kind = WatchPoint::Kind::kReturn;
  emit_point(std::move(point), 0, {});
}

/// Watches a value at its own nesting level, which may be outside of the current one.
void Watcher::watch(WatchPoint point, const ValuePtr& value, Type* type) {
  if (has_function(*value)) return;
  const int level = max_level(*value);
  VC_CHECK(level <= levels_.depth());
  const ValuePtr whole =
      levels_.at_level(level, [&] { return levels_.lift_here(levels_.copied(value)); });  // parts may differ in level
  point.shape = shape_of(context_.concrete(type));
  point.level = level;
  emit_point(std::move(point), level, leaves_of(*whole));
}

void Watcher::emit_point(WatchPoint point, int depth, std::vector<Var> entries) {
  point.own = levels_.own_levels();
  std::vector<Var> operands;
  for (int n = point.own + 1; n <= depth; ++n) {
    operands.push_back(levels_.link_or_flags(n));
    const auto label = labels_.find(levels_.id(n));
    point.levels.push_back(
        {levels_.emit().kind(operands.back()) == Kind::kBool, label == labels_.end() ? std::string() : label->second});
  }
  operands.insert(operands.end(), entries.begin(), entries.end());

  letform::Function function;
  function.name = watch_function_name(points_.size());
  for (const Var operand : operands) {
    function.parameters.push_back(static_cast<Var>(function.values.size()));
    function.values.push_back({levels_.emit().kind(operand), false, {}});
  }
  const auto number = static_cast<std::uint32_t>(context_.program().functions.size());
  context_.program().functions.push_back(std::move(function));
  points_.push_back(std::move(point));
  levels_.emit().call(number, std::move(operands), {}, {});
}

}  // namespace nesl
