#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "cvl/backend.h"

/// Values, heap, placement and evaluation. The types of vectors are those of cvl/backend.h.
namespace runtime {

using namespace cvl;
using vcode::Kind;

class Heap;
struct PairObject;

/// Most elements of a short vector, and segments of a short descriptor. Locations::host_limit may be smaller.
inline constexpr std::int64_t kShortLimit = 64;

/// Number of elements of SegdesObject::offsets.
constexpr std::int64_t room_of_offsets(std::int64_t segments, bool with_nonempty) {
  return segments + 1 + (with_nonempty ? (segments + 2) / 2 : 0);
}

/// Header of every shared object. Reference counts are not atomic: a value belongs to one thread.
struct Object {
  std::uint32_t refs = 1;
  std::uint8_t size_class = 0;  ///< of the block that has the object
  bool borrowed = false;        ///< a vector whose elements are in memory of the caller; see Loan
  Heap* heap = nullptr;
};

/// Facts about an INT vector, none of whose elements is negative, that need no look at them: every element is the same
/// number, or their sum. The sum of a BOOL vector is the number of true elements.
enum class Known : std::uint8_t { kNothing, kEach, kSum };

/// A vector of any length. Immutable while several values refer to it.
struct VectorObject : Object {
  ElemType type = ElemType::kI32;
  Known known = Known::kNothing;
  std::uint8_t joins = 0;        ///< number of APPENDs of one segment that made it, each longer than the one before
  bool has_room_before = false;  ///< memory from the backend begins before the elements; see Heap::extend()
  std::int32_t number = 0;       ///< what is known
  std::int64_t length = 0;
  void* host = nullptr;          ///< the elements in memory that the host can read, or null
  void* device = nullptr;        ///< the elements in memory that the backend can read, or null
  std::size_t device_bytes = 0;  ///< of `device` if it was allocated from the backend, else 0
};

/// Elements in memory of the caller, which must not change until `give_back` is called with `owner`: when the last
/// value that refers to them dies, on the thread where it dies. `give_back` may be null.
struct Loan {
  void (*give_back)(void* owner) = nullptr;
  void* owner = nullptr;
};

struct SegdesObject;

/// One value of the VCODE stack: a vector, a segment descriptor or a pair. Scalars (vectors of length 1) and
/// descriptors of one segment are held in place; other values refer to a shared, reference-counted object. A value may
/// be moved by copying its bytes, provided the destructor of the source does not run.
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
  /// The scalar 0 or false.
  static Value zero(ElemType type) {
    Value v;
    v.head_ = make_head(Tag::kScalar, type);
    return v;
  }
  /// The descriptor of one segment.
  static Value single_segment(std::int64_t elements) {
    Value v;
    v.set_single_segment(elements);
    return v;
  }
  /// Makes a value from an object, taking over one reference.
  static Value adopt(VectorObject* object) { return Value(Tag::kVector, object->type, object); }
  static Value adopt(SegdesObject* object);
  static Value adopt(PairObject* object);

  Tag tag() const { return static_cast<Tag>(head_ & 0xFF); }
  /// Tag and element type as one word, for comparisons.
  std::uint64_t head() const { return head_; }
  bool is_scalar() const { return tag() == Tag::kScalar; }
  bool is_vector() const { return tag() == Tag::kScalar || tag() == Tag::kVector; }
  bool is_segdes() const { return tag() == Tag::kSingle || tag() == Tag::kSegdes; }
  bool is_pair() const { return tag() == Tag::kPair; }
  /// Whether the value is a scalar of this type, by one comparison, for the fast paths of the machine.
  bool is_scalar(ElemType type) const { return head_ == make_head(Tag::kScalar, type); }

  /// Int, Bool, Float, Byte, Segdes or Pair. Not for kNone.
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
  /// Rewrites a scalar that was stored through scalar_data() as a whole word, so that the processor can forward the
  /// store to the load of a move.
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

  /// Copies the bytes of `from` over this value, without releasing the old value. The destructor of `from` must not
  /// run.
  void relocate(const Value& from) {
    head_ = from.head_;
    payload_ = from.payload_;
  }

  /// Releases the value; the tag becomes kNone.
  void reset() {
    release();
    head_ = 0;
  }

  /// Stores the descriptor of one segment over a value that holds no reference.
  void set_single_segment(std::int64_t elements) {
    head_ = make_head(Tag::kSingle, ElemType::kI32);
    payload_.integer = elements;
  }
  /// Stores a scalar over a value that holds no reference: a scalar, a single segment or kNone.
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
  // Parameters are passed by value, so that a value that is being moved can stay in registers.
  static void destroy(Tag tag, Object* object) noexcept;

  // Both halves are always written and read as whole words: the machine moves a value right after making it, and a
  // processor forwards a store only to loads that the store covers.
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

/// A segment descriptor of more or less than one segment. Derived data is computed once, on first use.
struct SegdesObject : Object {
  std::int64_t segments = 0;
  std::int64_t elements = 0;
  std::int64_t regular_length = -1;  ///< the length of every segment, or -1
  Value lengths;                     ///< INT vector; kNone if regular and not used yet
  Value offsets;                     ///< SegmentDescriptor::offsets, and behind them `nonempty` for heads, as a kI64
                                     ///< vector; kNone until first use
  Value starts;                      ///< INT vector, start of each segment; kNone until first use
  bool has_empty = true;             ///< false: no segment is empty; true: some may be
  Value heads;                       ///< SegmentDescriptor::heads as a kI64 vector; kNone until first use
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
  if (!is_vector()) return is_segdes() ? Kind::kSegdes : Kind::kPair;
  switch (type()) {
    case ElemType::kB8:
      return Kind::kBool;
    case ElemType::kU8:
      return Kind::kByte;
    case ElemType::kI32:
    case ElemType::kI64:
      return Kind::kInt;
    default:
      return Kind::kFloat;
  }
}

}  // namespace runtime
