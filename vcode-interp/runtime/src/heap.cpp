#include "runtime/heap.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "known_lengths.h"

namespace runtime {

void Value::destroy(Tag tag, Object* object) noexcept {
  switch (tag) {
    case Tag::kVector:
      object->heap->release(static_cast<VectorObject*>(object));
      break;
    case Tag::kSegdes:
      object->heap->release(static_cast<SegdesObject*>(object));
      break;
    default:
      VC_CHECK(tag == Tag::kPair);
      object->heap->release(static_cast<PairObject*>(object));
      break;
  }
}

Heap::Heap(Backend& device) : device_(device), unified_(device.unified_memory()) {}

Heap::~Heap() {
  for (auto [slab, bytes] : slabs_) {
    if (unified_)
      device_.deallocate(slab, bytes);
    else
      ::operator delete(slab);
  }
}

void* Heap::refill(std::size_t size_class) {
  void* slab = unified_ ? allocate_device(kSlabBytes) : ::operator new(kSlabBytes, std::nothrow);
  if (slab == nullptr) {
    last_request_ = kSlabBytes;
    return nullptr;
  }
  slabs_.emplace_back(slab, kSlabBytes);
  const std::size_t size = kBlockSizes[size_class];
  auto* bytes = static_cast<std::byte*>(slab);
  // The caller gets the first block; the others form a list in address order.
  FreeBlock* chain = nullptr;
  for (std::size_t at = kSlabBytes / size * size; at > size;) {
    at -= size;
    chain = new (bytes + at) FreeBlock{chain};
  }
  free_[size_class] = chain;
  return slab;
}

void* Heap::take_block(std::size_t bytes, std::uint8_t& size_class) {
  VC_CHECK(bytes <= kBlockSizes.back());
  std::uint8_t c = 0;
  while (kBlockSizes[c] < bytes) ++c;
  size_class = c;
  FreeBlock* block = free_[c];
  if (block == nullptr) return refill(c);
  free_[c] = block->next;
  return block;
}

void Heap::return_block(Object* object) noexcept {
  VC_CHECK(object->heap == this && object->refs <= 1);
  const std::uint8_t c = object->size_class;
  free_[c] = new (object) FreeBlock{free_[c]};
}

void* Heap::allocate_device(std::size_t bytes) {
  if (bytes == 0) return nullptr;  // device_bytes of 0 marks memory that is not deallocated
  void* data = device_.allocate(bytes);
  if (data == nullptr) last_request_ = bytes;
  return data;
}

VectorObject* Heap::make_header(ElemType type, std::int64_t length, std::size_t inline_bytes) {
  std::uint8_t size_class;
  void* block = take_block(sizeof(VectorObject) + inline_bytes, size_class);
  if (block == nullptr) return nullptr;
  auto* v = new (block) VectorObject;
  v->size_class = size_class;
  v->heap = this;
  v->type = type;
  v->length = length;
  return v;
}

VectorObject* Heap::make_vector(ElemType type, std::int64_t length) {
  VC_CHECK(length >= 0);
  if (length > kInlineLimit) return make_device_vector(type, length);
  VectorObject* v = make_header(type, length, static_cast<std::size_t>(length) * elem_size(type));
  if (v == nullptr) return nullptr;
  v->host = v + 1;
  if (unified_) v->device = v->host;
  return v;
}

VectorObject* Heap::make_device_vector(ElemType type, std::int64_t length, bool may_become_short) {
  if (unified_ && length <= kInlineLimit) return make_vector(type, length);
  // The size in bytes must not overflow, where addresses have 32 bits neither.
  if (static_cast<std::uint64_t>(length) > SIZE_MAX / 16) {
    last_request_ = SIZE_MAX;
    return nullptr;
  }
  const std::size_t bytes = static_cast<std::size_t>(length) * elem_size(type);
  // The block also has room for the host copy of a short vector.
  const std::int64_t copied = std::min(length, kInlineLimit);
  const bool has_room = length <= kInlineLimit || (may_become_short && !unified_);
  VectorObject* v = make_header(type, length, has_room ? static_cast<std::size_t>(copied) * elem_size(type) : 0);
  if (v == nullptr) return nullptr;
  v->device = allocate_device(bytes);
  if (v->device == nullptr && bytes > 0) {
    return_block(v);
    return nullptr;
  }
  v->device_bytes = bytes;
  live_ += bytes;
  if (unified_) v->host = v->device;
  return v;
}

namespace {

/// Bytes of the memory of a vector with has_room_before that are in front of its elements; kept behind the header.
std::size_t& room_before(VectorObject* v) {
  VC_CHECK(v->has_room_before);
  return *reinterpret_cast<std::size_t*>(v + 1);
}

}  // namespace

VectorObject* Heap::make_extensible(ElemType type, std::int64_t length, std::int64_t before, std::int64_t behind) {
  VC_CHECK(unified_ && length > kInlineLimit);
  // Elements begin at a cache line, as those of other vectors.
  constexpr std::int64_t kLine = 64;
  const std::int64_t in_front = (before + kLine - 1) / kLine * kLine, all = in_front + length + behind;
  VectorObject* v =
      static_cast<std::uint64_t>(all) > SIZE_MAX / 16 ? nullptr : make_header(type, length, sizeof(std::size_t));
  if (v == nullptr) return nullptr;
  const std::size_t size = elem_size(type), bytes = static_cast<std::size_t>(all) * size;
  auto* const memory = static_cast<std::byte*>(allocate_device(bytes));
  if (memory == nullptr) {
    return_block(v);
    return nullptr;
  }
  v->device_bytes = bytes;
  live_ += bytes;
  v->has_room_before = true;
  new (v + 1) std::size_t(static_cast<std::size_t>(in_front) * size);
  v->host = v->device = memory + room_before(v);
  return v;
}

bool Heap::extend(VectorObject* v, std::int64_t before, std::int64_t behind) noexcept {
  VC_CHECK(v->refs == 1);
  const std::size_t size = elem_size(v->type), in_front = static_cast<std::size_t>(before) * size;
  const std::size_t had = v->has_room_before ? room_before(v) : 0;
  const std::size_t to_end = (static_cast<std::size_t>(v->length) + static_cast<std::size_t>(behind)) * size;
  if (!unified_ || v->borrowed || in_front > had || had + to_end > v->device_bytes) return false;
  if (v->has_room_before) room_before(v) -= in_front;
  v->host = v->device = static_cast<std::byte*>(v->device) - in_front;
  v->length += before + behind;
  v->known = Known::kNothing;
  return true;
}

VectorObject* Heap::borrow(ElemType type, std::int64_t length, const void* elements, Loan loan) {
  VC_CHECK(can_borrow(length));
  VectorObject* v = borrow_on_device(type, length, elements, loan);
  if (v != nullptr) v->host = v->device;
  return v;
}

VectorObject* Heap::borrow_on_device(ElemType type, std::int64_t length, const void* elements, Loan loan) {
  VC_CHECK(length > kInlineLimit);
  VectorObject* v = make_header(type, length, sizeof(Loan));
  if (v == nullptr) return nullptr;
  v->borrowed = true;
  v->device = const_cast<void*>(elements);  // read only, as the value is never unique
  new (v + 1) Loan(loan);
  return v;
}

Value Heap::view(ElemType type, const void* elements, std::int64_t length) {
  if (length == 1) {
    Value scalar;
    with_type(type, [&]<class T>() {
      T element;
      std::memcpy(&element, elements, sizeof(T));
      scalar.set_scalar(element);
    });
    return scalar;
  }
  const bool borrows = can_borrow(length);
  VectorObject* const object = borrows ? borrow(type, length, elements, Loan()) : make_vector(type, length);
  if (object == nullptr) return Value();
  const std::size_t bytes = static_cast<std::size_t>(length) * elem_size(type);
  if (!borrows && bytes > 0) {
    if (object->host != nullptr)
      std::memcpy(object->host, elements, bytes);
    else
      device_.upload(object->device, elements, bytes);
  }
  return Value::adopt(object);
}

SegdesObject* Heap::make_segdes() {
  std::uint8_t size_class;
  void* block = take_block(sizeof(SegdesObject), size_class);
  if (block == nullptr) return nullptr;
  auto* s = new (block) SegdesObject;
  s->size_class = size_class;
  s->heap = this;
  return s;
}

Value Heap::make_segdes(Value lengths, std::int64_t elements) {
  SegdesObject* s = make_segdes();
  if (s == nullptr) return Value();
  s->segments = lengths.length();
  s->elements = elements;
  note_sum(lengths, elements);
  s->lengths = std::move(lengths);
  return Value::adopt(s);
}

PairObject* Heap::make_pair(Value first, Value second) {
  std::uint8_t size_class;
  void* block = take_block(sizeof(PairObject), size_class);
  if (block == nullptr) return nullptr;
  auto* p = new (block) PairObject;
  p->size_class = size_class;
  p->heap = this;
  p->first = std::move(first);
  p->second = std::move(second);
  return p;
}

const void* Heap::copy_to_host(VectorObject* v) {
  const std::size_t bytes = static_cast<std::size_t>(v->length) * elem_size(v->type);
  // The copy of a short vector is in its block; the copy of a long vector is freed with the vector.
  v->host = v->length <= kInlineLimit ? static_cast<void*>(v + 1) : ::operator new(bytes, std::nothrow);
  if (v->host == nullptr) {
    last_request_ = bytes;
    return nullptr;
  }
  if (!has_known_elements(*v)) {
    device_.download(v->host, v->device, bytes);
  } else {
    with_type(v->type, [&]<class T>() { std::fill_n(static_cast<T*>(v->host), v->length, static_cast<T>(v->number)); });
  }
  return v->host;
}

const void* Heap::device_data(const Value& value) {
  VectorObject* v = value.vector();
  if (v->device == nullptr) {
    const std::size_t bytes = static_cast<std::size_t>(v->length) * elem_size(v->type);
    v->device = allocate_device(bytes);
    if (v->device == nullptr) return nullptr;
    v->device_bytes = bytes;
    live_ += bytes;
    device_.upload(v->device, v->host, bytes);
  }
  return v->device;
}

void Heap::shrink(VectorObject* v, std::int64_t length) noexcept {
  VC_CHECK(v->refs == 1 && length <= v->length);
  const std::size_t room = kBlockSizes[v->size_class] - sizeof(VectorObject);
  VC_CHECK(length > kInlineLimit || room >= static_cast<std::size_t>(length) * elem_size(v->type));
  v->length = length;
  if (v->device_bytes == 0 || v->has_room_before) return;
  live_ -= v->device_bytes;
  v->device_bytes = device_.shrink(v->device, v->device_bytes, static_cast<std::size_t>(length) * elem_size(v->type));
  live_ += v->device_bytes;
}

void Heap::release(VectorObject* v) noexcept {
  if (v->has_room_before)
    device_.deallocate(static_cast<std::byte*>(v->device) - room_before(v), v->device_bytes);
  else if (v->device_bytes > 0)
    device_.deallocate(v->device, v->device_bytes);
  live_ -= v->device_bytes;
  if (v->length > kInlineLimit && !unified_) ::operator delete(v->host);
  const Loan loan = v->borrowed ? *reinterpret_cast<const Loan*>(v + 1) : Loan();
  return_block(v);
  if (loan.give_back != nullptr) loan.give_back(loan.owner);
}

void Heap::release(SegdesObject* s) noexcept {
  s->lengths.reset();
  s->offsets.reset();
  s->starts.reset();
  s->heads.reset();
  return_block(s);
}

void Heap::release(PairObject* pair) noexcept {
  // Pairs may nest to any depth, so this function must not recurse: a pair that dies in the first component is rotated
  // into the second, ((a,b),c) to (a,(b,c)), until the first component is no such pair.
  for (;;) {
    while (pair->first.is_pair() && pair->first.is_unique()) {
      PairObject* inner = pair->first.pair();
      Value held = std::move(pair->first);  // keeps `inner` alive while it moves
      Value outer_second = std::move(pair->second);
      pair->first = std::move(inner->first);
      inner->first = std::move(inner->second);
      inner->second = std::move(outer_second);
      pair->second = std::move(held);
    }
    pair->first.reset();
    Value rest = std::move(pair->second);
    return_block(pair);
    if (!rest.is_pair() || !rest.is_unique()) return;
    pair = rest.pair();
    new (&rest) Value();  // no destructor of `rest`: the next iteration releases the pair
  }
}

}  // namespace runtime
