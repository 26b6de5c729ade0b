#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "syntax/ast.h"

namespace nesl {

/// The order in which an expression makes certain calls, and which of them are due when conditionals in it are to make
/// as few of them as possible. The calls of a path through the conditionals follow each other; those of different
/// paths, which different instances take, can be one. All paths end together: of one that makes fewer calls than
/// another, the first waits for the other's second to last, and so on, and so calls at the ends of a function are made
/// together.
///
/// Calls in the bodies of apply-to-eaches and functions, which are evaluated for others than the instances that
/// evaluate the expression, are not looked at.
class CallOrder {
 public:
  /// `unit` says which calls can be one: those with the same text; an empty one is of a call that stays alone. Values
  /// of expressions in `ready` are known, so that nothing in these is called.
  using UnitOf = std::function<std::string(const Expr& call)>;
  using IsReady = std::function<bool(const Expr&)>;
  CallOrder(UnitOf unit, IsReady ready) : unit_of_(std::move(unit)), ready_(std::move(ready)) {}

  /// Whether calls in both branches, not made yet, can be one.
  bool joins(const If& node);
  /// Chooses what is due next of the calls in `root`: calls of one unit, none if all have been made. Calls that were
  /// due before must be ready.
  const std::vector<const Expr*>& advance(const Expr& root);
  /// What advance() has returned.
  const std::vector<const Expr*>& due() const { return due_; }
  /// Whether those calls are all that the root does on each path: its value is theirs.
  bool completes() const { return completes_; }
  /// Whether a call that is due is next in the expression.
  bool reaches(const Expr& expr) const { return reaching_.contains(&expr); }
  /// Calls visit(pattern, value) for each binding that evaluating the expression makes.
  void for_each_binding(const Expr& expr, const std::function<void(const Pattern&, const Expr&)>& visit);

 private:
  /// The most calls on a path through the expression.
  int longest(const Expr& expr);
  void look(const Expr& expr, int after, std::vector<const Expr*>& found);
  bool ends_in_due(const Expr& expr) const;
  /// Notes the expressions that reach a call that is due; returns whether this one does.
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
