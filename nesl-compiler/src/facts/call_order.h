#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "syntax/ast.h"

namespace nesl {

/// Schedule of the joinable calls of an expression: which calls are made next, so that conditionals in it make as few
/// calls as possible. Calls on one path through the conditionals follow each other. Calls on different paths are made
/// by different instances, and can be joined into one. All paths end together: the first call of a shorter path waits
/// for the call of the longest path that has as many calls behind it. So the calls at the ends of a function are made
/// together.
///
/// Excludes calls in the bodies of apply-to-eaches and functions, because other instances evaluate these.
class CallOrder {
 public:
  /// `unit_of` returns a key for each call: calls with equal keys can be joined, and a call with an empty key is made
  /// alone. `is_ready` returns whether the value of an expression is known, so that no call in it remains.
  using UnitOf = std::function<std::string(const Expr& call)>;
  using IsReady = std::function<bool(const Expr&)>;
  CallOrder(UnitOf unit, IsReady ready) : unit_of_(std::move(unit)), ready_(std::move(ready)) {}

  /// Whether both branches have remaining calls that can be joined.
  bool joins(const If& node);
  /// Chooses the next calls in `root`: calls with equal keys; none if all have been made. Calls chosen before must be
  /// ready.
  const std::vector<const Expr*>& advance(const Expr& root);
  /// The calls that the last advance() returned.
  const std::vector<const Expr*>& due() const { return due_; }
  /// Whether each path of the root ends in a chosen call, whose value is then the value of the root.
  bool completes() const { return completes_; }
  /// Whether the expression contains one of the chosen calls.
  bool reaches(const Expr& expr) const { return reaching_.contains(&expr); }
  /// Calls visit(pattern, value) for each binding that evaluating the expression makes.
  void for_each_binding(const Expr& expr, const std::function<void(const Pattern&, const Expr&)>& visit);

 private:
  /// Largest number of calls on a path through the expression.
  int longest(const Expr& expr);
  void look(const Expr& expr, int after, std::vector<const Expr*>& found);
  bool ends_in_due(const Expr& expr) const;
  /// Records the expressions that contain a chosen call; returns whether this one does.
  bool note_reaching(const Expr& expr);
  const std::string& unit(const Expr& call);
  void append_units(const Expr& expr, std::vector<std::string>& units);

  UnitOf unit_of_;
  IsReady ready_;
  int total_ = 0;
  std::unordered_map<const Expr*, std::string> units_;
  std::unordered_map<const Expr*, int> longest_;
  std::vector<const Expr*> due_;
  std::unordered_set<const Expr*> reaching_;
  bool completes_ = false;
};

}  // namespace nesl
