#include "ranks/rank_zero.h"

#include <cstring>
#include <optional>
#include <string>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "io/run_error.h"

namespace interp {

using runtime::Value;

namespace {

/// Bytes that rank 0 writes and the others read.
class Parcel {
 public:
  template <class T>
  void put(const T& value) {
    put_bytes(&value, sizeof value);
  }
  void put_bytes(const void* data, std::size_t bytes) { bytes_.append(static_cast<const char*>(data), bytes); }
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, take_bytes(sizeof value), sizeof value);
    return value;
  }
  const char* take_bytes(std::size_t bytes) {
    VC_CHECK(bytes <= bytes_.size() - at_);
    at_ += bytes;
    return bytes_.data() + at_ - bytes;
  }
  void broadcast(cvl::RankJob& job) {
    std::size_t size = bytes_.size();
    job.broadcast(&size, sizeof size);
    bytes_.resize(size);
    job.broadcast(bytes_.data(), size);
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

/// Copies the elements of a value to the host.
void bring_to_host(runtime::Evaluator& evaluator, const Value& value) {
  Value vector = value;
  if (value.is_segdes()) vector = evaluator.lengths_of(value);
  const bool is_there = vector.is_vector() && (vector.length() == 0 || evaluator.heap().host_data(vector) != nullptr);
  if (!is_there) throw RunError(evaluator.memory_failure("output"), RunError::Blame::kSurroundings);
}

void put(Parcel& parcel, runtime::Evaluator& evaluator, const Value& value) {
  VC_CHECK(value.is_vector());
  parcel.put(value.type());
  parcel.put(value.length());
  if (value.length() > 0 && value.length() <= runtime::Heap::kInlineLimit)
    parcel.put_bytes(evaluator.heap().host_data(value),
                     static_cast<std::size_t>(value.length()) * vcode::elem_size(value.type()));
}

/// Long vectors are not in the parcel: each rank gets its part of `of_rank_zero`, which rank 0 has.
Value take_value(cvl::RankJob& job, Parcel& parcel, runtime::Evaluator& evaluator, const Value* of_rank_zero) {
  const auto type = parcel.take<vcode::ElemType>();
  const auto length = parcel.take<std::int64_t>();
  Value value;
  if (length <= runtime::Heap::kInlineLimit) {
    value = evaluator.heap().view(type, parcel.take_bytes(static_cast<std::size_t>(length) * vcode::elem_size(type)),
                                  length);
  } else if (runtime::VectorObject* const object = evaluator.heap().make_device_vector(type, length)) {
    value = Value::adopt(object);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(job.ranks()));
    counts[0] = length;
    job.join({type, length, object->device},
             of_rank_zero == nullptr ? nullptr : evaluator.heap().host_data(*of_rank_zero), counts);
  }
  if (value.tag() == Value::Tag::kNone)
    throw RunError(evaluator.memory_failure("input"), RunError::Blame::kSurroundings);
  return value;
}

}  // namespace

std::vector<Value> compute_on_rank_zero(cvl::RankJob& job, runtime::Evaluator& evaluator,
                                        std::span<const Value> operands,
                                        const std::function<std::vector<Value>()>& work) {
  for (const Value& operand : operands) bring_to_host(evaluator, operand);
  if (!evaluator.settle()) throw RunError(evaluator.failure(), evaluator.fault());
  Parcel parcel;
  std::vector<Value> computed;  // on rank 0
  if (job.rank() == 0) {
    try {
      computed = work();
      const std::vector<Value>& values = computed;
      parcel.put(true);
      parcel.put(values.size());
      for (const Value& value : values) put(parcel, evaluator, value);
    } catch (const RunError& error) {
      const std::string_view message = error.what();
      parcel = Parcel();
      parcel.put(false);
      parcel.put(error.blame());
      parcel.put(error.exit_status());
      parcel.put(message.size());
      parcel.put_bytes(message.data(), message.size());
    }
  }
  parcel.broadcast(job);
  if (!parcel.take<bool>()) {
    const auto blame = parcel.take<RunError::Blame>();
    const int status = parcel.take<int>();
    const auto size = parcel.take<std::size_t>();
    throw RunError(std::string(parcel.take_bytes(size), size), blame, status);
  }
  std::vector<Value> values(parcel.take<std::size_t>());
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = take_value(job, parcel, evaluator, job.rank() == 0 ? &computed[k] : nullptr);
  return values;
}

}  // namespace interp
