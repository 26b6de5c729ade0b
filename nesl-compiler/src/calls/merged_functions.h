#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "facts/function_group.h"
#include "levels/levels.h"

namespace nesl {

/// Mutually recursive functions that are compiled as one, so that calls of different members can be joined.
class MergedFunctions {
 public:
  MergedFunctions(FlattenContext& context, Levels& levels) : context_(context), levels_(levels) {}

  /// Functions that can be compiled as one with this function, including itself; empty if there are no others.
  std::vector<const Definition*> members_of(const Definition& definition);
  const FunctionGroup& group_of(const std::vector<const Definition*>& members);
  /// The group whose merged function is `definition`; null if there is none.
  const FunctionGroup* find_group(const Definition* definition) const;
  /// Argument parts of the group's merged function for a call of a member; null for parameters the member lacks.
  std::vector<ValuePtr> argument_of_group(const FunctionGroup& group, const Definition& member,
                                          const ValuePtr& argument);
  /// Scope in which the body of a group's member is compiled: makes the member the current definition.
  class Origin {
   public:
    Origin(MergedFunctions& merged, const Expr& expr);
    ~Origin();
    Origin(const Origin&) = delete;
    Origin& operator=(const Origin&) = delete;

   private:
    Frame* frame_ = nullptr;
    const Definition* definition_ = nullptr;
    const base::Source* source_ = nullptr;
  };

 private:
  Emitter& emit() { return levels_.emit(); }

  FlattenContext& context_;
  Levels& levels_;
  std::map<const Definition*, FunctionGroup> groups_;  ///< by their first members
  std::unordered_map<const Expr*, const Definition*> origins_;
};

}  // namespace nesl
