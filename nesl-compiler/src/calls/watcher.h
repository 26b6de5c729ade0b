#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "levels/levels.h"
#include "nesl-compiler/watch_point.h"

namespace nesl {

/// Emits the watch points of a program (WatchPoint); does nothing until begin().
class Watcher {
 public:
  Watcher(FlattenContext& context, Levels& levels) : context_(context), levels_(levels) {}

  /// Forgets all points, as a new program begins.
  void reset();
  /// Watches the code that is emitted from now on, for a statement.
  void begin(const GlobalStatement& statement);
  bool is_active() const { return statement_ != nullptr; }
  std::vector<WatchPoint> take_points() { return std::move(points_); }

  /// The expression being walked; its object lives while the walk is inside of the expression.
  class Inside {
   public:
    Inside(Watcher& watcher, const Expr& expr);
    ~Inside();
    Inside(const Inside&) = delete;

   private:
    Watcher& watcher_;
    const bool is_conditional_;
  };

  /// Watches the value of an expression, unless the value is that of a variable, of a literal other than a sequence, or
  /// of a part of the expression.
  void note_value(const Expr& expr, const ValuePtr& value);
  /// Labels the current nesting level as the elements that an apply-to-each binds, and watches them.
  void note_elements(const Pattern& pattern, const Expr& sequence, const ValuePtr& value);
  /// Labels the current nesting level as the elements that a filter keeps.
  void note_filter(const Expr& filter);
  /// Watches the parameters of a function, which are bound in the current frame.
  void note_parameters(const Definition& definition);
  /// Watches the beginning of a call of a function; `callers` maps the levels of the called function, from 1 on, to the
  /// caller's.
  void note_call(const Definition& callee, const std::vector<int>& callers);
  void note_return();

 private:
  WatchPoint point_here(WatchPoint::Kind kind, Span span);
  void watch(WatchPoint point, const ValuePtr& value, Type* type);
  void emit_point(WatchPoint point, int depth, std::vector<Var> entries);
  void label_branch(const Expr& expr);
  std::string text_of(Span span) const;

  FlattenContext& context_;
  Levels& levels_;
  const GlobalStatement* statement_ = nullptr;
  std::vector<WatchPoint> points_;
  std::unordered_map<std::uint64_t, std::string> labels_;  ///< by Level::id
  struct Conditional {
    const Expr* expr;
    const base::Source* source;
    int depth;            ///< number of nesting levels around it
    bool varies = false;  ///< the condition may differ between instances
  };
  /// The innermost conditional one of whose branches contains an expression, or null.
  const Conditional* conditional_around(Span span, bool* is_then = nullptr) const;
  std::vector<Conditional> conditionals_;  ///< those that the walk is inside of, outermost first
};

}  // namespace nesl
