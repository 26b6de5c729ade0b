#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "cvl/operands.h"

namespace cvl {

// Descriptions of the operations on vectors, the arguments of Backend::run(): what is computed, from which operands,
// over which descriptors, into which result. The contract of all operations is the comment of Backend. A description
// lives only during the call.
//
// members() gives the vectors and descriptors of a description, the operands before the results, so that
// for_each_operand() and its siblings below reach those of any operation.

/// An elementwise row of ops.def. The result may be any operand of its element size.
struct Elementwise {
  static constexpr int kMostOperands = 3;

  Op op;
  std::span<const Operand> operands;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.operands, op.result); }
};

/// result[e] = vcode::random_element(key, e, bounds[e]). The result may be `bounds`.
struct Random {
  Operand bounds;
  RandomKey key;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.bounds, op.result); }
};

/// Exclusive scan of each segment; its first element gets the monoid's empty value. The result may be `a`.
struct Scan {
  Monoid monoid;
  Operand a;
  SegmentDescriptor descriptor;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.a, op.descriptor, op.result); }
};

/// One element for each segment; the monoid's empty value for an empty segment.
struct Reduce {
  Monoid monoid;
  Operand a;
  SegmentDescriptor descriptor;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.a, op.descriptor, op.result); }
};

/// For each segment the index of the first element that equals its reduction by kMax or kMin, as INT of the result's
/// width; the length of the segment if none does, because all are NaN; the largest INT for an empty segment.
struct ArgReduce {
  Monoid monoid;
  Operand a;
  SegmentDescriptor descriptor;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.a, op.descriptor, op.result); }
};

/// The scatter family. result[start2(k) + indices[e]] = source[e] for each element e of segment k (whose
/// flag is true). Without defaults, elements that are not written are 0, and a target of two writes is a
/// kDuplicateTarget fault; with defaults, the last of several writes to a target wins.
struct Scatter {
  Operand source;
  Operand indices;
  std::optional<Operand> flags;     ///< of type kB8
  std::optional<Operand> defaults;  ///< as long as the result; may be the result itself
  SegmentDescriptor from;           ///< descriptor of source, indices, flags
  SegmentDescriptor to;             ///< descriptor of the result
  Result result;
  static constexpr auto members(auto& op) {
    return std::tie(op.source, op.indices, op.flags, op.defaults, op.from, op.to, op.result);
  }
};

/// The gather family. result[e] = source[start1(k) + indices[e]] for each element e of segment k (whose
/// flag is true; 0 elsewhere, whatever the index). The result may be the indices if its elements have their size.
struct Gather {
  Operand source;
  Operand indices;
  std::optional<Operand> flags;  ///< of type kB8
  SegmentDescriptor from;        ///< descriptor of source
  SegmentDescriptor to;          ///< descriptor of indices, flags, result
  Result result;
  static constexpr auto members(auto& op) {
    return std::tie(op.source, op.indices, op.flags, op.from, op.to, op.result);
  }
};

/// result[e] = source[last], where `last` is the last element of the same segment with the index of element e. An index
/// outside of its segment of `to` is a kIndexRange fault.
struct Latest {
  Operand source;
  Operand indices;
  SegmentDescriptor from;  ///< descriptor of source, indices, result
  SegmentDescriptor to;    ///< descriptor of the indexed vector
  Result room;             ///< memory for an element of each index, without a meaning before and after
  Result result;
  static constexpr auto members(auto& op) {
    return std::tie(op.source, op.indices, op.from, op.to, op.room, op.result);
  }
};

/// result[start2(k) + indices[e]] = the default there, combined by vcode::accumulate() with source[e] of each such
/// element e of segment k, in any order; the combination of floats does not depend on the number of threads. An index
/// outside of its segment of `to` is a kIndexRange fault.
struct Accumulate {
  Monoid monoid;
  Operand source;
  Operand indices;
  Operand defaults;        ///< as long as the result; may be the result itself
  SegmentDescriptor from;  ///< descriptor of source and indices
  SegmentDescriptor to;    ///< descriptor of defaults and result
  Result result;
  static constexpr auto members(auto& op) {
    return std::tie(op.source, op.indices, op.defaults, op.from, op.to, op.result);
  }
};

/// result[k] = a[start(k) + i[k]]. The result may be `i`.
struct Extract {
  Operand a;
  Operand i;
  SegmentDescriptor descriptor;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.a, op.i, op.descriptor, op.result); }
};

/// A copy of a with a[start(k) + i[k]] = v[k]; an empty segment stays empty, whatever its index and value. The result
/// may be `a`.
struct Replace {
  Operand a;
  Operand i;
  Operand v;
  SegmentDescriptor descriptor;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.a, op.i, op.v, op.descriptor, op.result); }
};

/// Fills segment k with v[k].
struct Dist {
  Operand v;
  SegmentDescriptor descriptor;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.v, op.descriptor, op.result); }
};

/// Fills segment k with start[k] + j * stride[k], wrapping.
struct Index {
  Operand start;
  Operand stride;
  SegmentDescriptor descriptor;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.start, op.stride, op.descriptor, op.result); }
};

/// Segment k is a[start[k]], a[start[k] + 1], … An index outside of `a` is a kIndexRange fault, with that index; an
/// empty segment reads nothing, whatever its start.
struct Slice {
  Operand a;
  Operand start;
  SegmentDescriptor descriptor;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.a, op.start, op.descriptor, op.result); }
};

/// A segmented vector that is joined with others.
struct JoinPart {
  Operand a;
  SegmentDescriptor descriptor;

  /// A part without elements.
  static JoinPart none(ElemType type, std::int64_t segments) { return {{type}, {segments, 0, 0}}; }
};

/// The segmented vectors that Append and Merge join into one vector with the elements of all of them.
template <int n>
struct Join {
  std::array<JoinPart, n> parts;
  SegmentDescriptor to;  ///< descriptor of the result

  std::int64_t elements() const {
    std::int64_t sum = 0;
    for (const JoinPart& part : parts) sum += part.a.length;
    return sum;
  }
  static constexpr auto members(auto& op) {
    return std::apply([&](auto&... part) { return std::tie(part.a..., part.descriptor..., op.to); }, op.parts);
  }
};

/// Segment k is segment k of the first part, followed by those of the others; behind a part without elements there are
/// only such parts. Fault kLengthMismatch: segment `position` of the result has `bound` elements, but the joined
/// segments have `value`.
struct Append {
  Join<3> join;
  Result result;
  static constexpr auto members(auto& op) { return std::tuple_cat(Join<3>::members(op.join), std::tie(op.result)); }
};

/// Segment k is the next segment of the first part if flags[k], else the next of the second. Faults: kFlagCount, if
/// `value` flags are true but the first part has `bound` segments; else kLengthMismatch as in Append.
struct Merge {
  Operand flags;
  Join<2> join;
  Result result;
  static constexpr auto members(auto& op) {
    return std::tuple_cat(std::tie(op.flags), Join<2>::members(op.join), std::tie(op.result));
  }
};

/// Position of each element in the stable order of its segment, as INT of the result's width. NaN counts
/// as larger than every number, -0.0 as equal to 0.0.
struct Rank {
  bool descending;
  Operand a;
  SegmentDescriptor descriptor;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.a, op.descriptor, op.result); }
};

/// result[start2(k) + v] = how many elements of segment k of the INTs a equal start[k] + v, which wraps. The result
/// has their width; it is not an operand.
struct Count {
  Operand a;
  Operand start;
  SegmentDescriptor from;
  SegmentDescriptor to;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.a, op.start, op.from, op.to, op.result); }
};

/// The result of Backend::plan_pack(), for any number of Packs with the same flags.
class PackPlan {
 public:
  virtual ~PackPlan() = default;
  std::int64_t kept = 0;  ///< number of true flags
};

/// The elements of a whose flag is true, in order; `result` has plan.kept elements.
struct Pack {
  const PackPlan& plan;
  Operand a;
  Operand flags;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.a, op.flags, op.result); }
};

/// SegmentDescriptor::offsets, a kI64 for each segment and one more: result[k] = sum of lengths[0..k). Also
/// SegmentDescriptor::nonempty, a kI32 for each segment and one more, unless its data is null, as it is for a backend
/// that does not want segment heads.
struct MakeOffsets {
  Operand lengths;
  Result result;
  Result nonempty;
  static constexpr auto members(auto& op) { return std::tie(op.lengths, op.result, op.nonempty); }
};

/// Computes SegmentDescriptor::heads of an irregular descriptor that has all else, each as one kI64. Only for a backend
/// that wants_segment_heads().
struct MakeSegmentHeads {
  SegmentDescriptor descriptor;
  Result result;
  static constexpr auto members(auto& op) { return std::tie(op.descriptor, op.result); }
};

/// The operations that every backend implements.
#define CVL_BASIC_OPS(X) \
  X(Elementwise)         \
  X(Random)              \
  X(Scan)                \
  X(Reduce)              \
  X(ArgReduce)           \
  X(Scatter)             \
  X(Gather)              \
  X(Accumulate)          \
  X(Extract)             \
  X(Replace)             \
  X(Dist)                \
  X(Index)               \
  X(Slice)               \
  X(Append)              \
  X(Merge)               \
  X(Rank)                \
  X(Count)               \
  X(Pack)                \
  X(MakeOffsets)
/// The closed list of the operations. Those that are not basic can be composed of others (compose.h).
#define CVL_VECTOR_OPS(X) \
  CVL_BASIC_OPS(X)        \
  X(Latest)               \
  X(MakeSegmentHeads)

enum class VectorOpKind : std::uint8_t {
#define CVL_KIND(Name) k##Name,
  CVL_VECTOR_OPS(CVL_KIND)
#undef CVL_KIND
};

#define CVL_KIND(Name) \
  constexpr VectorOpKind kind_of(const Name*) { return VectorOpKind::k##Name; }
CVL_VECTOR_OPS(CVL_KIND)
#undef CVL_KIND

/// Any operation: a reference to its description, of two words, so that an operation on a few elements costs no more
/// than a virtual function with its arguments would.
class VectorOp {
 public:
  template <class T>
  requires requires(const T* op) { kind_of(op); }
  VectorOp(const T& description)  // NOLINT(google-explicit-constructor): descriptions are passed as operations
      : kind_(kind_of(&description)), description_(&description) {}

  VectorOpKind kind() const { return kind_; }
  std::string_view name() const {
    constexpr std::string_view kNames[] = {
#define CVL_NAME(Name) #Name,
        CVL_VECTOR_OPS(CVL_NAME)
#undef CVL_NAME
    };
    return kNames[static_cast<int>(kind_)];
  }

  /// Calls f(description) with the type of the description.
  template <class F>
  void visit(F&& f) const {
    switch (kind_) {
#define CVL_CASE(Name)        \
  case VectorOpKind::k##Name: \
    return f(*static_cast<const Name*>(description_));
      CVL_VECTOR_OPS(CVL_CASE)
#undef CVL_CASE
    }
  }

 private:
  VectorOpKind kind_;
  const void* description_;
};

/// The vector that an operation fills.
template <class T>
const Result& result_of(const T& op) {
  return op.result;
}

/// Calls f with a member of a description if it is of type M, const or not, or is optional and there. The operands of
/// an elementwise operation are always const.
template <class M, class Member, class F>
void visit_member(Member& member, F& f) {
  using Plain = std::remove_const_t<Member>;
  if constexpr (std::is_same_v<Plain, M>) {
    f(member);
  } else if constexpr (std::is_same_v<Plain, std::optional<M>>) {
    if (member) f(*member);
  } else if constexpr (std::is_same_v<Plain, std::span<const M>>) {
    for (const M& element : member) f(element);
  }
}
template <class M, class T, class F>
void for_each_member(T& op, F&& f) {
  std::apply([&](auto&... members) { (visit_member<M>(members, f), ...); }, std::remove_const_t<T>::members(op));
}
template <class T, class F>
void for_each_operand(T& op, F&& f) {
  for_each_member<Operand>(op, f);
}
template <class T, class F>
void for_each_descriptor(T& op, F&& f) {
  for_each_member<SegmentDescriptor>(op, f);
}
template <class T, class F>
void for_each_result(T& op, F&& f) {
  for_each_member<Result>(op, f);
}

/// Calls use(op) with an operation that differs from the original in its vectors and descriptors, which are
/// translate(original): for backends that forward operations to another one.
template <class Translate, class Use>
void with_translated(VectorOp op, Translate&& translate, Use&& use) {
  op.visit([&]<class T>(const T& original) {
    T copy = original;
    Operand operands[Elementwise::kMostOperands];
    if constexpr (std::same_as<T, Elementwise>) {
      for (std::size_t k = 0; k < original.operands.size(); ++k) operands[k] = translate(original.operands[k]);
      copy.operands = {operands, original.operands.size()};
    } else {
      for_each_operand(copy, [&](Operand& operand) { operand = translate(operand); });
    }
    for_each_descriptor(copy, [&](SegmentDescriptor& descriptor) { descriptor = translate(descriptor); });
    for_each_result(copy, [&](Result& result) { result = translate(result); });
    use(VectorOp(copy));
  });
}

}  // namespace cvl
