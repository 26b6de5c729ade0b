#include "runtime/joined_results.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/check.h"

namespace runtime {

namespace {

/// Fewest bytes for which several threads copy.
constexpr std::size_t kBytesOfThread = std::size_t{1} << 20;

bool is_regular(const Value& descriptor) {
  return descriptor.tag() == Value::Tag::kSegdes && descriptor.segdes()->regular_length >= 0;
}

/// The vectors that pieces have returned as one of their results.
class VectorJoin {
 public:
  /// `room`: a vector that has some of the parts already at their final position, or kNone.
  VectorJoin(Evaluator& evaluator, std::vector<Value> parts, Value room)
      : evaluator_(evaluator), parts_(std::move(parts)), room_(std::move(room)) {}

  /// The concatenation; kNone if memory is exhausted.
  Value joined() {
    if (!evaluator_.heap().device().unified_memory()) return appended(0, parts_.size());
    std::int64_t length = 0;
    for (const Value& part : parts_) length += part.length();
    const ElemType type = parts_[0].type();
    if (length == 1) return only_element(type);
    Value whole = room_;
    if (room_.tag() == Value::Tag::kNone || room_.type() != type || room_.length() != length) {
      VectorObject* const object = evaluator_.heap().make_vector(type, length);
      if (object == nullptr) return Value();
      whole = Value::adopt(object);
    }
    copy_to(whole);
    return whole;
  }

 private:
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };

  /// Copies the parts that are not yet at their final position in `whole`.
  void copy_to(const Value& whole) {
    std::vector<Copy> copies;
    std::size_t all = 0;
    auto* to = static_cast<char*>(whole.vector()->host);
    for (const Value& part : parts_) {
      const std::size_t bytes = static_cast<std::size_t>(part.length()) * elem_size(part.type());
      const void* const from = evaluator_.heap().host_data(part);
      if (bytes > 0 && from != to) {
        copies.push_back({to, from, bytes});
        all += bytes;
      }
      to += bytes;
    }
    const auto run = [](const Copy& copy) { std::memcpy(copy.to, copy.from, copy.bytes); };
    const std::unique_ptr<Tasks> tasks = all < kBytesOfThread ? nullptr : evaluator_.heap().device().make_tasks();
    for (const Copy& copy : copies) {
      if (tasks == nullptr)
        run(copy);
      else
        tasks->start([run, &copy] { run(copy); });
    }
    if (tasks != nullptr) tasks->wait();
  }

  Value only_element(ElemType type) {
    const auto part = std::ranges::find_if(parts_, [](const Value& one) { return one.length() == 1; });
    return evaluator_.heap().view(type, evaluator_.heap().host_data(*part), 1);
  }

  /// The concatenation of the parts [begin, end), computed by the device.
  Value appended(std::size_t begin, std::size_t end) const {
    if (end - begin == 1) return parts_[begin];
    const std::size_t middle = begin + (end - begin) / 2;
    std::array<Value, 5> base{appended(begin, middle), appended(middle, end)};
    if (base[0].tag() == Value::Tag::kNone || base[1].tag() == Value::Tag::kNone) return Value();
    const std::int64_t first = base[0].length(), second = base[1].length();
    base[2] = Value::single_segment(first);
    base[3] = Value::single_segment(second);
    base[4] = Value::single_segment(first + second);
    const bool succeeded = evaluator_.apply(vcode::Op::kAppend, suffix_of(base[0].kind()), base.data());
    return succeeded ? std::move(base[0]) : Value();
  }

  Evaluator& evaluator_;
  const std::vector<Value> parts_;
  const Value room_;
};

/// Replaces values of other devices by copies in the memory of `evaluator`. False if memory is exhausted.
bool bring(Evaluator& evaluator, std::vector<Value>& vectors, std::span<Evaluator* const> owners) {
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    if (owners[k] == &evaluator || vectors[k].is_scalar()) continue;
    const void* const elements = vectors[k].length() > 0 ? owners[k]->heap().host_data(vectors[k]) : nullptr;
    if (elements == nullptr && vectors[k].length() > 0) return false;
    vectors[k] = evaluator.heap().view(vectors[k].type(), elements, vectors[k].length());
    if (vectors[k].tag() == Value::Tag::kNone) return false;
  }
  return true;
}

/// Concatenates the descriptors that pieces have returned as one of their results. kNone if memory is exhausted.
Value join_descriptors(Evaluator& evaluator, const std::vector<Value>& parts, std::span<Evaluator* const> evaluators,
                       Value room) {
  std::int64_t segments = 0, elements = 0;
  std::vector<Value> lengths;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    segments += parts[k].segments();
    elements += parts[k].elements();
    lengths.push_back(evaluators[k]->lengths_of(parts[k]));
    if (lengths.back().tag() == Value::Tag::kNone) return Value();
  }
  if (segments == 1) return Value::single_segment(elements);
  if (!evaluator.heap().device().unified_memory() && !bring(evaluator, lengths, evaluators)) return Value();
  Value all = VectorJoin(evaluator, std::move(lengths), std::move(room)).joined();
  return all.tag() == Value::Tag::kNone ? Value() : evaluator.heap().make_segdes(std::move(all), elements);
}

}  // namespace

void note_results(ResultShapes& shapes, const DividedCall& cut, std::int64_t begin, std::int64_t end,
                  std::span<const Value> results, vcode::Widths widths) {
  if (shapes.empty())
    for (const Value& result : results)
      shapes.push_back({result.is_segdes(), result.is_segdes() ? widths.int_type : result.type(), cut.spaces()});
  for (std::size_t r = 0; r < std::min(shapes.size(), results.size()); ++r) {
    const Value& result = results[r];
    const std::int64_t entries = result.is_pair() ? -1 : result.is_segdes() ? result.segments() : result.length();
    std::erase_if(shapes[r].like,
                  [&](std::uint32_t space) { return cut.before(space, end) - cut.before(space, begin) != entries; });
  }
}

bool can_join(std::span<const std::vector<Value>> pieces) {
  const auto kind = [](const Value& value) {
    return value.is_segdes() ? -1 : value.is_vector() ? static_cast<int>(value.type()) : -2;
  };
  const auto like_first = [&](const std::vector<Value>& results) {
    return std::equal(results.begin(), results.end(), pieces[0].begin(), pieces[0].end(),
                      [&](const Value& a, const Value& b) { return kind(a) == kind(b) && kind(a) != -2; });
  };
  return std::all_of(pieces.begin(), pieces.end(), like_first);
}

void JoinedResults::make_room(const ResultShapes& shapes) {
  if (!evaluator_.heap().device().unified_memory()) return;
  rooms_.clear();
  for (const ResultShape& shape : shapes) {
    rooms_.emplace_back();
    if (shape.like.empty()) continue;
    rooms_.back().like = shape.like[0];
    const std::int64_t entries = cut_.count(shape.like[0]);
    if (!evaluator_.heap().can_borrow(entries)) continue;
    VectorObject* const object = evaluator_.heap().make_vector(shape.type, entries);
    if (object != nullptr) rooms_.back().vector = Value::adopt(object);
  }
}

void JoinedResults::put(std::int64_t begin, std::int64_t end, std::vector<Value>& results, Evaluator& worker) const {
  for (std::size_t r = 0; r < std::min(rooms_.size(), results.size()); ++r) {
    if (rooms_[r].vector.tag() == Value::Tag::kNone) continue;
    if (results[r].is_vector()) results[r] = put_vector(rooms_[r], begin, end, results[r], worker);
    // The lengths of a long regular descriptor are cheaper to make on first use.
    if (results[r].tag() != Value::Tag::kSegdes || is_regular(results[r])) continue;
    Value lengths = worker.lengths_of(results[r]);
    if (lengths.tag() == Value::Tag::kNone) continue;
    lengths = put_vector(rooms_[r], begin, end, lengths, worker);
    Value descriptor = worker.heap().make_segdes(std::move(lengths), results[r].elements());
    if (descriptor.tag() != Value::Tag::kNone) results[r] = std::move(descriptor);
  }
}

/// Copies a vector into its room and returns a view of the copy. Returns the vector itself if there is no room of its
/// length and type, or memory is exhausted.
Value JoinedResults::put_vector(const Room& room, std::int64_t begin, std::int64_t end, const Value& vector,
                                Evaluator& worker) const {
  const std::int64_t first = cut_.before(room.like, begin), last = cut_.before(room.like, end);
  if (vector.length() != last - first || vector.type() != room.vector.type() ||
      !worker.heap().can_borrow(vector.length()))
    return vector;
  const std::size_t size = elem_size(vector.type());
  char* const to = static_cast<char*>(room.vector.vector()->host) + static_cast<std::size_t>(first) * size;
  Value view = worker.heap().view(vector.type(), to, vector.length());
  if (view.tag() == Value::Tag::kNone) return vector;
  std::memcpy(to, worker.heap().host_data(vector), static_cast<std::size_t>(vector.length()) * size);
  return view;
}

bool JoinedResults::copy_to_host(const std::vector<Value>& results, Evaluator& worker) {
  return std::ranges::all_of(results, [&](const Value& result) {
    if (result.is_pair()) return true;
    const Value vector = result.is_segdes() ? worker.lengths_of(result) : result;
    return vector.tag() != Value::Tag::kNone &&
           (vector.is_scalar() || vector.length() == 0 || worker.heap().host_data(vector) != nullptr);
  });
}

std::vector<Value> JoinedResults::join(std::span<std::vector<Value>> pieces, std::span<Evaluator* const> evaluators) {
  VC_CHECK(can_join({pieces.data(), pieces.size()}) && pieces.size() == evaluators.size());
  rooms_.resize(pieces[0].size());
  std::vector<Value> joined;
  for (std::size_t result = 0; result < pieces[0].size(); ++result) {
    std::vector<Value> parts;
    for (std::vector<Value>& piece : pieces) parts.push_back(std::move(piece[result]));
    if (!evaluator_.heap().device().unified_memory() && parts[0].is_vector() && !bring(evaluator_, parts, evaluators))
      return {};
    Value& room = rooms_[result].vector;
    joined.push_back(parts[0].is_segdes() ? join_descriptors(evaluator_, parts, evaluators, std::move(room))
                                          : VectorJoin(evaluator_, std::move(parts), std::move(room)).joined());
    if (joined.back().tag() == Value::Tag::kNone) return {};
  }
  return joined;
}

}  // namespace runtime
