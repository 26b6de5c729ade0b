#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "vcode/stack_effects.h"

namespace vcode {

/// The kinds of a set in words: "Int or Bool", "anything".
std::string kinds_text(KindSet set);

/// The types of the values of one function while it is run symbolically. Along a path, knowledge of a type only grows;
/// an undo log lets both branches of an IF start from the same knowledge, and their knowledge is united after the IF.
class TypeTable {
 public:
  /// New knowledge of a type in one branch.
  struct Knowledge {
    TypeId id;
    KindSet kinds, required;
    Demand demand;
  };
  using Branch = std::vector<Knowledge>;

  TypeTable();

  const ValueType& operator[](TypeId id) const { return nodes_[id].type; }
  std::size_t size() const { return nodes_.size(); }

  /// The type of the values of one kind that is not a pair.
  static TypeId ground(Kind kind) {
    VC_CHECK(kind != Kind::kPair);
    return static_cast<TypeId>(kind);
  }
  TypeId fresh(KindSet kinds);
  TypeId pair(TypeId first, TypeId second);
  /// The types of the parts of a value that may be a pair.
  std::pair<TypeId, TypeId> parts(TypeId id);

  /// Restricts a type to `kinds` from here on. Changes nothing if none of them was possible before.
  void restrict(TypeId id, KindSet kinds);
  /// Restricts the kinds that every run of the function demands; `demand` is the reason.
  void require(TypeId id, KindSet required, Demand demand);

  std::size_t mark() const { return log_.size(); }
  /// Undoes and returns the knowledge gained since `mark`.
  Branch take_back(std::size_t mark);
  /// The weight of the end of a branch: its knowledge counts if the code behind continues from it, its demands if the
  /// program can succeed through it.
  struct BranchEnd {
    const Branch& branch;
    bool goes_on, succeeds;
  };
  /// Prepares join() and adopt_union() for two undone branches.
  void enter_union(const Branch& a, const Branch& b);
  /// The type of a value that is `a` after the first branch and `b` after the second.
  TypeId join(TypeId a, TypeId b);
  /// Adopts the knowledge that holds at the end of both branches.
  void adopt_union(BranchEnd a, BranchEnd b);

  /// A type in words: "Int", "Int|Float", "pair(Int,?)", "?".
  std::string text(TypeId id) const { return text(id, kShownPairDepth); }

 private:
  // Deeper pairs are possible but not tracked, which bounds the walk over a type.
  static constexpr int kMaxPairDepth = 32;
  static constexpr int kJoinedPairDepth = 6;
  static constexpr int kShownPairDepth = 2;

  struct Node {
    ValueType type;
    int height = 0;  ///< height of the pairs built on it
    int level = 0;   ///< depth below the value it was extracted from
  };

  TypeId add(const ValueType& type, int height, int level);
  void remember(TypeId id);
  void write(const Knowledge& knowledge);
  Knowledge read(TypeId id) const;
  TypeId join(TypeId a, TypeId b, int depth);
  std::string text(TypeId id, int depth) const;

  /// Finds the entry of a type in a Branch.
  class Lookup {
   public:
    void build(const Branch& branch, std::size_t types);
    const Knowledge* find(TypeId id) const {
      return id < stamp_.size() && stamp_[id] == epoch_ ? &(*branch_)[position_[id]] : nullptr;
    }

   private:
    const Branch* branch_ = nullptr;
    std::vector<std::uint32_t> stamp_, position_;
    std::uint32_t epoch_ = 0;
  };
  KindSet kinds_after(const Lookup& branch, TypeId id) const;

  std::vector<Node> nodes_;
  std::vector<Knowledge> log_;  ///< knowledge before each change
  std::vector<std::uint32_t> seen_;
  std::uint32_t seen_epoch_ = 0;
  Lookup a_, b_;
};

}  // namespace vcode
