#include "vcode-interp/rank_vectors.h"

#include <numeric>
#include <vector>

namespace interp {

using runtime::Value;

Value join_parts(cvl::RankJob& job, runtime::Evaluator& evaluator, vcode::ElemType type, const void* mine,
                 std::int64_t length) {
  runtime::Heap& heap = evaluator.heap();
  const std::vector<std::int64_t> counts = job.gather(length);
  const std::int64_t total = std::reduce(counts.begin(), counts.end());
  if (total <= runtime::Heap::kInlineLimit) {
    std::vector<std::size_t> bytes;
    for (const std::int64_t count : counts) bytes.push_back(static_cast<std::size_t>(count) * vcode::elem_size(type));
    std::int64_t all[runtime::Heap::kInlineLimit] = {};
    job.gather(mine, bytes, all);
    return heap.view(type, all, total);
  }
  runtime::VectorObject* const vector = heap.make_device_vector(type, total);
  if (vector == nullptr) return {};
  Value value = Value::adopt(vector);
  job.join({type, total, vector->device}, mine, length);
  return value;
}

}  // namespace interp
