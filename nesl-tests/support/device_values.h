#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/evaluator.h"

namespace runtime {

/// A vector with these elements, in the memory of the backend, whether its own or the host's.
template <class T>
Value vector_of(Evaluator& evaluator, const std::vector<T>& elements) {
  VectorObject* v = evaluator.heap().make_vector(vcode::kElemTypeOf<T>, std::ssize(elements));
  if (v->host != nullptr)
    std::copy(elements.begin(), elements.end(), static_cast<T*>(v->host));
  else
    evaluator.heap().device().upload(v->device, elements.data(), elements.size() * sizeof(T));
  return Value::adopt(v);
}

/// first, first + 1, …
inline Value iota_of(Evaluator& evaluator, int n, int first = 0) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), first);
  return vector_of(evaluator, v);
}

}  // namespace runtime
