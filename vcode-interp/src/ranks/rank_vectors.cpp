#include "vcode-interp/rank_vectors.h"

#include <numeric>

namespace interp {

using runtime::Value;

Value join_parts(cvl::RankJob& job, runtime::Evaluator& evaluator, vcode::ElemType type, const void* mine,
                 std::int64_t length) {
  return join_parts(job, evaluator, type, mine, job.gather(length));
}

Value join_parts(cvl::RankJob& job, runtime::Evaluator& evaluator, vcode::ElemType type, const void* mine,
                 const std::vector<std::int64_t>& counts) {
  runtime::Heap& heap = evaluator.heap();
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
  job.join({type, total, vector->device}, mine, counts);
  return value;
}

}  // namespace interp
