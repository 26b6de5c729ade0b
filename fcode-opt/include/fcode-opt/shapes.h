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

/// What is known of one value.
struct Shape {
  Quantity elements = 0;
  Quantity segments = 0;  ///< of a descriptor
  Quantity total = 0;     ///< of an INT that counts something: the sum of its elements; of a BOOL: how many are true
  Quantity content = 0;   ///< all elements, or all lengths of a descriptor; of a single one, the number it is
  Quantity identity = 0;  ///< values that are one and the same; in a pattern a number is an index of a constant
};
inline constexpr std::array<Quantity Shape::*, 5> kShapeParts = {&Shape::elements, &Shape::segments, &Shape::total,
                                                                 &Shape::content, &Shape::identity};

/// Which parts of a list of values are equal, or are known numbers: kShapeParts.size() entries for each
/// value.
struct ShapePattern {
  struct Entry {
    enum class What : std::uint8_t { kNothing, kGroup, kNumber } what = What::kNothing;
    std::int64_t number = 0;                                        ///< equal groups are equal
    friend auto operator<=>(const Entry&, const Entry&) = default;  // NOLINT(modernize-use-nullptr): compares with 0
  };
  std::vector<Entry> entries;
  friend bool operator==(const ShapePattern&, const ShapePattern&) = default;
};

/// What holds in every call of a function. See find_shape_facts().
struct FunctionShapes {
  std::optional<ShapePattern> entry;  ///< of the parameters; nothing: is never called
  std::optional<ShapePattern> exit;   ///< of the parameters and then the results; nothing: no call ever returns
};
/// For each function of a program.
using ShapeFacts = std::vector<FunctionShapes>;

/// Analysis "shape-facts": what the calls of each function have in common.
///   function f (x, s)  r = + INT x x  ret r      entry main (a, b)  t = MAKE_SEGDES (LENGTH INT a)  c = CALL f a t
///   x has as many elements as s (entry); the result as many as x (exit)
/// That includes which values are the same: a parameter that is handed on through all of a recursion, a constant.
/// Of a function that might not end at least one result stays unknown, so that its calls remain: a program that runs
/// for ever must not yield a result. The analysis is optimistic: recursive functions are assumed to share everything
/// until a call or a branch says otherwise. Results first, from callees to callers, then parameters, from callers to
/// callees; O(size of the program) for each change of a function, of which there are at most as many as it has
/// parameters and results, usually two.
ShapeFacts find_shape_facts(const Program& program);

/// Which values of a function certainly have equally many elements or segments, and which descriptors are equal.
/// note() goes through the bindings in order, and all queries are about the place behind the last one noted: that
/// + INT x y has been computed implies that x and y are equally long, but not before it.
///   Shapes shapes(program, function, facts);
///   for (const Binding& binding : function.body.bindings) shapes.note(binding);
/// An operation takes O(log n).
class Shapes {
 public:
  Shapes(const Program& program, const Function& function, const ShapeFacts& facts);

  bool same_elements(Var a, Var b) { return same(shape(a).elements, shape(b).elements); }
  /// Of two descriptors.
  bool same_segments(Var a, Var b) { return same(shape(a).segments, shape(b).segments); }
  bool same_descriptor(Var a, Var b);
  /// Whether the elements of an INT are the lengths of a descriptor's segments.
  bool are_lengths_of(Var numbers, Var descriptor) { return same(content(numbers), content(descriptor)); }
  /// A visible descriptor with these segment lengths, or kNoVar.
  Var descriptor_of(Var numbers) { return nodes_[find(content(numbers))].descriptor; }
  /// Whether a vector has one element, or a descriptor one segment.
  bool is_single(Var v);
  /// Whether each segment of a descriptor has one element.
  bool has_single_elements(Var descriptor);
  /// Whether the lengths of the operands certainly agree as the operation's signature demands. To be called before
  /// note() of the operation.
  bool lengths_agree(const Binding& operation);
  /// How many elements, if that is known, else -1.
  std::int64_t element_count(Var v) { return number(shape(v).elements); }
  /// The INT of one element, if it is known and not negative, else -1.
  std::int64_t value(Var v);
  /// Which of the program's constants it is, or -1.
  std::int64_t constant_index(Var v) { return number(identity(v)); }
  /// A visible value that is the same, or has the same elements or lengths, perhaps `v` itself; kNoVar if that is
  /// not known.
  Var first_equal(Var v);
  /// A visible descriptor of one segment with as many elements, or kNoVar.
  Var single_descriptor(Var v);

  using Visit = std::function<void(const Binding&)>;
  /// Moves on to the place behind a binding. Calls visit(binding) before it and, for an IF or a kernel, before each
  /// binding in its blocks.
  void note(const Binding& binding, const Visit& visit = {});

  // --- for passes that walk through the branches of IF themselves

  struct Place {
    std::size_t changes;
    bool stopped;
  };
  /// The results of a branch.
  struct Branch {
    bool returns = true;
    std::vector<Shape> results = {};
  };
  Place enter() const { return {changes_.size(), stopped_}; }
  /// Forgets what became known since enter().
  Branch leave(Place place, const std::vector<Var>& results);
  void note_if(const Binding& binding, const Branch& first, const Branch& second);

  /// Which properties of these values are equal or known.
  ShapePattern pattern(const std::vector<Var>& values);
  /// Whether the facts say that a call before this place never returns.
  bool stopped() const { return stopped_; }

 private:
  /// Quantities form sets: a union-find structure by size, without path compression so that changes can be undone.
  struct Node {
    Quantity parent;
    Quantity oldest;  ///< of the set
    std::uint32_t size = 1;
    std::int64_t number = -1;
    Var vector = kNoVar;      ///< visible, with this content
    Var descriptor = kNoVar;  ///< visible, with this content
    Var same = kNoVar;        ///< visible, with this identity
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
  std::vector<std::pair<Quantity, Node>> changes_;  ///< nodes as they were
  bool stopped_ = false;
};

}  // namespace vcode::letform
