#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// A number, or a vector of numbers, that is a property of a value and that several values may share: see Shape. 0:
/// none.
using Quantity = std::uint32_t;

/// Lengths and contents of one value, as far as they are known.
struct Shape {
  Quantity elements = 0;
  Quantity segments = 0;  ///< of a descriptor: the number of its segments
  Quantity total = 0;     ///< of an INT whose elements are counts: their sum; of a BOOL: the number of true elements
  Quantity content = 0;   ///< of a vector: all its elements; of a descriptor: all its lengths; of a single element or
                          ///< segment, that number
  Quantity identity = 0;  ///< shared by values that are the same; in a pattern, a known number is the index of a
                          ///< constant
};
inline constexpr std::array<Quantity Shape::*, 5> kShapeParts = {&Shape::elements, &Shape::segments, &Shape::total,
                                                                 &Shape::content, &Shape::identity};

/// Equalities and known numbers among the properties of several values: kShapeParts.size() entries for each value.
struct ShapePattern {
  struct Entry {
    enum class What : std::uint8_t { kNothing, kGroup, kNumber } what = What::kNothing;
    std::int64_t number = 0;                                        ///< kNumber: the number; kGroup: the group
    friend auto operator<=>(const Entry&, const Entry&) = default;  // NOLINT(modernize-use-nullptr): compares with 0
  };
  std::vector<Entry> entries;
  friend bool operator==(const ShapePattern&, const ShapePattern&) = default;
};

/// Facts that hold in every call of a function. See find_shape_facts().
struct FunctionShapes {
  std::optional<ShapePattern> entry;  ///< of the parameters; nothing: the function is never called
  std::optional<ShapePattern> exit;   ///< of the parameters and then the results; nothing: no call ever returns
};
/// Facts about each function of a program.
using ShapeFacts = std::vector<FunctionShapes>;

/// Analysis "shape-facts": facts about lengths and contents that all calls of a function share.
///   function f (x, s)  r = + INT x x  ret r      entry main (a, b)  t = MAKE_SEGDES (LENGTH INT a)  c = CALL f a t
///   x has as many elements as s (entry); the result as many as x (exit)
/// Facts include which values are the same: a parameter that is handed on through all of a recursion, or a constant.
/// At least one result of a function that might not end stays unknown, so that its calls remain: a program that runs
/// for ever must not yield a result. The analysis is optimistic: it assumes that calls of a recursive function share
/// everything until a call or a branch says otherwise. It computes facts about results from callees to callers, then
/// facts about parameters from callers to callees. O(size of the program) for each change of a function's facts; a
/// function changes at most as often as it has parameters and results, usually twice.
ShapeFacts find_shape_facts(const Program& program);

/// Equalities of lengths and of descriptors that certainly hold in a function. note() is called for the bindings in
/// order, and all queries are about the point after the last binding noted. For example, x and y are known to be
/// equally long after + INT x y, but not before it. A check teaches that the numbers it compares are equal.
///   Shapes shapes(program, function, facts);
///   for (const Binding& binding : function.body.bindings) shapes.note(binding);
/// An operation on Shapes takes O(log n).
class Shapes {
 public:
  Shapes(const Program& program, const Function& function, const ShapeFacts& facts);

  bool same_elements(Var a, Var b) { return same(shape(a).elements, shape(b).elements); }
  /// Whether two descriptors have equally many segments.
  bool same_segments(Var a, Var b) { return same(shape(a).segments, shape(b).segments); }
  bool same_descriptor(Var a, Var b);
  /// Whether the elements of an INT are the lengths of a descriptor's segments.
  bool are_lengths_of(Var numbers, Var descriptor) { return same(content(numbers), content(descriptor)); }
  /// Whether the elements of an INT add up to the number of elements of a vector or descriptor.
  bool add_up_to(Var numbers, Var of) { return same(total(numbers), shape(of).elements); }
  /// A visible descriptor with these segment lengths, or kNoVar.
  Var descriptor_of(Var numbers) { return nodes_[find(content(numbers))].descriptor; }
  /// A visible INT whose elements are the lengths of a descriptor's segments, or kNoVar.
  Var lengths_of(Var descriptor) { return nodes_[find(content(descriptor))].vector; }
  /// Whether a vector has one element, or a descriptor one segment.
  bool is_single(Var v);
  /// Whether each segment of a descriptor has one element.
  bool has_single_elements(Var descriptor);
  /// Whether the lengths of the operands certainly agree as the operation's signature demands. To be called before
  /// note() of the operation.
  bool lengths_agree(const Binding& operation);
  /// Number of elements of a vector, or -1 if it is not known.
  std::int64_t element_count(Var v) { return number(shape(v).elements); }
  /// The number in an INT of one element, or -1 if it is unknown or negative.
  std::int64_t value(Var v);
  /// Index of the constant that a value equals, or -1.
  std::int64_t constant_index(Var v) { return number(identity(v)); }
  /// A visible value that is the same or has the same elements or lengths, perhaps `v` itself; kNoVar if none is known.
  Var first_equal(Var v);
  /// A visible descriptor of one segment with as many elements as `v`, or kNoVar.
  Var single_descriptor(Var v);

  using Visit = std::function<void(const Binding&)>;
  /// Moves to the point after a binding. Calls visit(binding) before it and, for an IF or a kernel, before each binding
  /// in its blocks.
  void note(const Binding& binding, const Visit& visit = {});

  // --- for passes that walk through the branches of IF themselves

  struct Mark {
    std::size_t changes;
    bool stopped;
  };
  /// Results of a branch.
  struct Branch {
    bool returns = true;
    std::vector<Shape> results = {};
  };
  Mark enter() const { return {changes_.size(), stopped_}; }
  /// Forgets facts found since enter().
  Branch leave(Mark mark, const std::vector<Var>& results);
  void note_if(const Binding& binding, const Branch& first, const Branch& second);

  /// Equalities and known numbers among the properties of these values.
  ShapePattern pattern(const std::vector<Var>& values);
  /// Whether the facts say that an earlier call never returns, so that this point is not reached.
  bool stopped() const { return stopped_; }

 private:
  /// Node of a union-find structure: quantities that are equal form a set. Union is by size, without path compression,
  /// so that changes can be undone.
  struct Node {
    Quantity parent;
    Quantity oldest;  ///< oldest member of the set
    std::uint32_t size = 1;
    std::int64_t number = -1;
    Var vector = kNoVar;      ///< a visible vector with this content
    Var descriptor = kNoVar;  ///< a visible descriptor with this content
    Var same = kNoVar;        ///< a visible value with this identity
  };

  Shape& shape(Var v) { return v < shapes_.size() && shapes_[v].elements != 0 ? shapes_[v] : new_shape(v); }
  Shape& new_shape(Var v);
  Quantity total(Var v);
  Quantity content(Var v);
  Quantity known_content(Var v);
  Quantity identity(Var v);

  Quantity fresh();
  Quantity constant(std::int64_t number);
  Quantity constant_identity(std::int64_t index);
  Quantity derived(std::uint32_t how, Quantity a, Quantity b);
  Quantity find(Quantity q) const;
  /// The member of the set that stays the same when younger ones are united with it.
  Quantity oldest(Quantity q) const { return nodes_[find(q)].oldest; }
  Node& change(Quantity root);
  bool same(Quantity a, Quantity b) const { return find(a) == find(b); }
  std::int64_t number(Quantity q) const { return nodes_[find(q)].number; }
  void unite(Quantity a, Quantity b);
  void learn(Quantity& part, Quantity known);
  void hold(Var v);

  void note_constant(Var v, const Constant& value);
  void note_operation(const Binding& binding);
  void note_kernel(const Binding& binding, const Visit& visit);
  void note_counts(const Binding& binding);
  void apply(const ShapePattern& pattern, const std::vector<Var>& values);

  const Program& program_;
  const Function& function_;
  const ShapeFacts& facts_;
  std::vector<Shape> shapes_;
  std::vector<Node> nodes_;
  std::map<std::int64_t, Quantity> constants_;
  std::map<std::array<std::uint32_t, 3>, Quantity> derived_;
  std::map<Var, std::pair<Var, Var>> compared_;     ///< the INTs whose equality a BOOL tells
  std::vector<std::pair<Quantity, Node>> changes_;  ///< nodes as they were before each change
  bool stopped_ = false;
};

}  // namespace vcode::letform
