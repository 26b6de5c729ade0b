#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "cvl/backend.h"

/// The run time speaks of vectors as the interface of vector libraries does.
namespace runtime {

using namespace cvl;
using vcode::Kind;

class Heap;
struct PairObject;

/// The most elements a vector, and segments a descriptor, may have to be kept and computed on the host, unless
/// Locations::host_limit is smaller.
inline constexpr std::int64_t kShortLimit = 64;

/// What every shared object begins with. Counts are not atomic: values belong to one thread.
struct Object {
  std::uint32_t refs = 1;
  std::uint8_t size_class = 0;  ///< of the block it lives in
  bool borrowed = false;        ///< of a vector: its elements are somebody else's, see Loan
  Heap* heap = nullptr;
};

/// A vector of any length. Immutable once another value can see it.
struct VectorObject : Object {
  ElemType type = ElemType::kI32;
  std::int64_t length = 0;
  void* host = nullptr;          ///< the elements where the host can read them, or null
  void* device = nullptr;        ///< the elements where the backend can read them, or null
  std::size_t device_bytes = 0;  ///< of `device` if it was allocated from the backend, else 0
};

/// Elements that are not the run time's. They stay as they are until `give_back`, which may be null, is called with
/// `owner`, on whichever thread the last value that has them dies.
struct Loan {
  void (*give_back)(void* owner) = nullptr;
  void* owner = nullptr;
};

struct SegdesObject;

/// One value of the VCODE stack: a vector, a segment descriptor or a pair. Scalars (vectors of length 1)
/// and descriptors of one segment are held in place; everything else is shared and reference-counted.
/// A value may be moved by copying its bytes, provided the source is then forgotten.
class Value {
 public:
  enum class Tag : std::uint8_t { kNone, kScalar, kSingle, kVector, kSegdes, kPair };

  Value() = default;
  Value(const Value& other) : head_(other.head_), payload_(other.payload_) {
    if (is_shared()) ++payload_.object->refs;
  }
  Value(Value&& other) noexcept : head_(other.head_), payload_(other.payload_) { other.head_ = 0; }
  Value& operator=(Value other) noexcept {
    std::swap(head_, other.head_);
    std::swap(payload_, other.payload_);
    return *this;
  }
  ~Value() { release(); }

  /// A scalar held in place. T is the storage type of an ElemType.
  template <class T>
  static Value scalar(T x) {
    Value v;
    v.set_scalar(x);
    return v;
  }
  /// The descriptor of one segment.
  static Value single_segment(std::int64_t elements) {
    Value v;
    v.head_ = make_head(Tag::kSingle, ElemType::kI32);
    v.payload_.integer = elements;
    return v;
  }
  /// Take over one reference.
  static Value adopt(VectorObject* object) { return Value(Tag::kVector, object->type, object); }
  static Value adopt(SegdesObject* object);
  static Value adopt(PairObject* object);

  Tag tag() const { return static_cast<Tag>(head_ & 0xFF); }
  bool is_scalar() const { return tag() == Tag::kScalar; }
  bool is_vector() const { return tag() == Tag::kScalar || tag() == Tag::kVector; }
  bool is_segdes() const { return tag() == Tag::kSingle || tag() == Tag::kSegdes; }
  bool is_pair() const { return tag() == Tag::kPair; }
  /// A scalar of this type; one comparison, for the interpreter's fast paths.
  bool is_scalar(ElemType type) const { return head_ == make_head(Tag::kScalar, type); }

  /// Int, Bool, Float, Segdes or Pair. Not for kNone.
  Kind kind() const;
  /// Element type of a vector.
  ElemType type() const { return static_cast<ElemType>(head_ >> 8); }
  /// Elements of a vector.
  std::int64_t length() const { return is_scalar() ? 1 : vector()->length; }
  /// Segments and elements of a descriptor.
  std::int64_t segments() const;
  std::int64_t elements() const;

  /// The scalar. T must be the storage type of type().
  template <class T>
  T get() const {
    VC_CHECK(sizeof(T) == elem_size(type()));
    T x;
    std::memcpy(&x, &payload_, sizeof(T));
    return x;
  }
  /// After a scalar was written through scalar_data(): writes it again as a whole word, so that the store can be
  /// forwarded to the load of a move.
  void settle() {
    switch (elem_size(type())) {
      case 1:
        payload_.integer = get<std::uint8_t>();
        break;
      case 4:
        payload_.integer = get<std::uint32_t>();
        break;
      default:
        break;
    }
  }
  const void* scalar_data() const { return &payload_; }
  void* scalar_data() { return &payload_; }

  VectorObject* vector() const {
    VC_CHECK(tag() == Tag::kVector);
    return static_cast<VectorObject*>(payload_.object);
  }
  SegdesObject* segdes() const;
  PairObject* pair() const;

  /// True if no other value shares the object. Borrowed elements are always shared.
  bool is_unique() const { return is_shared() && payload_.object->refs == 1 && !payload_.object->borrowed; }

  /// Becomes `from`, which the caller must forget (see above), without releasing what it was.
  void relocate(const Value& from) {
    head_ = from.head_;
    payload_ = from.payload_;
  }

  /// Becomes nothing.
  void reset() {
    release();
    head_ = 0;
  }

  /// Overwrites a value known to hold no reference (a scalar or nothing) by a scalar.
  template <class T>
  void set_scalar(T x) {
    head_ = make_head(Tag::kScalar, vcode::kElemTypeOf<T>);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof(T));
    std::memcpy(&payload_, &bits, sizeof bits);
  }

 private:
  Value(Tag tag, ElemType type, Object* object) : head_(make_head(tag, type)) { payload_.object = object; }
  bool is_shared() const { return tag() >= Tag::kVector; }
  void release() {
    if (is_shared() && --payload_.object->refs == 0) destroy(tag(), payload_.object);
  }
  // Takes the tag and the object by value, so that a value being moved can stay in registers.
  static void destroy(Tag tag, Object* object) noexcept;

  // Both halves are always written and read as whole words: the machine moves values right after making
  // them, and a processor forwards a store only to loads that it covers.
  static constexpr std::uint64_t make_head(Tag tag, ElemType type) {
    return static_cast<std::uint64_t>(tag) | static_cast<std::uint64_t>(type) << 8;
  }
  std::uint64_t head_ = 0;
  union Payload {
    std::int64_t integer;
    Object* object;
  } payload_ = {};
};
static_assert(sizeof(Value) == 16);

/// A segment descriptor that is not a single segment. Derived data is computed once, on demand.
struct SegdesObject : Object {
  std::int64_t segments = 0;
  std::int64_t elements = 0;
  std::int64_t regular_length = -1;  ///< the length of every segment, or -1
  Value lengths;                     ///< INT vector; kNone if regular and not asked for yet
  Value offsets;                     ///< kI64, segments + 1; kNone until asked for
  Value starts;                      ///< INT vector, of each segment; kNone until asked for
  bool has_empty = true;             ///< false if none of the segments is empty
  Value heads;                       ///< SegmentMap::heads as kI64; kNone until asked for
  Value nonempty;                    ///< SegmentMap::nonempty; kNone until asked for, and if none is empty
};

struct PairObject : Object {
  Value first, second;
};

inline Value Value::adopt(SegdesObject* object) { return Value(Tag::kSegdes, ElemType::kI32, object); }
inline Value Value::adopt(PairObject* object) { return Value(Tag::kPair, ElemType::kI32, object); }
inline SegdesObject* Value::segdes() const {
  VC_CHECK(tag() == Tag::kSegdes);
  return static_cast<SegdesObject*>(payload_.object);
}
inline PairObject* Value::pair() const {
  VC_CHECK(is_pair());
  return static_cast<PairObject*>(payload_.object);
}
inline std::int64_t Value::segments() const { return tag() == Tag::kSingle ? 1 : segdes()->segments; }
inline std::int64_t Value::elements() const { return tag() == Tag::kSingle ? payload_.integer : segdes()->elements; }
inline Kind Value::kind() const {
  VC_CHECK(tag() != Tag::kNone);
  if (is_vector()) return type() == ElemType::kB8 ? Kind::kBool : type() <= ElemType::kI64 ? Kind::kInt : Kind::kFloat;
  return is_segdes() ? Kind::kSegdes : Kind::kPair;
}

}  // namespace runtime
