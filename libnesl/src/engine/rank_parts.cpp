#include "rank_parts.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "vcode-interp/rank_vectors.h"

namespace nesl_c {

using nesl::ValueShape;
using runtime::Value;

bool has_parts(const ValueShape& element) {
  if (element.kind == ValueShape::Kind::kSequence || element.kind == ValueShape::Kind::kChar) return false;
  return std::ranges::all_of(element.parts, has_parts);
}

void check_on_all(Engine& engine, const std::function<void()>& check) {
  std::optional<Failed> refused;
  try {
    check();
  } catch (const Failed& failure) {
    refused.emplace(failure);
  }
  const std::vector<std::int64_t> all = engine.job()->gather(refused ? 1 : 0);
  const auto first = std::ranges::find(all, 1);
  engine.has_refused = first != all.end();
  if (refused) throw *refused;
  if (engine.has_refused) refuse(fmt::format("an argument of rank {} is refused", first - all.begin()));
}

void refuse_on_all(Engine& engine) {
  if (!engine.has_refused) engine.job()->gather(1);
  engine.has_refused = false;
}

void require_same(Engine& engine, std::int64_t number, const char* what) {
  const std::vector<std::int64_t> all = engine.job()->gather(number);
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0]) refuse(fmt::format("rank {} gives another {} than rank 0", r, what));
}

std::int64_t sum_of_ranks(Engine& engine, std::int64_t number) {
  const std::vector<std::int64_t> all = engine.job()->gather(number);
  return std::reduce(all.begin(), all.end());
}

Value join_parts(Engine& engine, vcode::ElemType type, const void* mine, std::size_t length) {
  Value value = interp::join_parts(*engine.job(), engine.evaluator(), type, mine, static_cast<std::int64_t>(length));
  if (value.tag() == Value::Tag::kNone)
    throw Failed(NESL_ERROR_RESOURCE, engine.evaluator().memory_failure("the array"));
  return value;
}

RankPart part_of_rank(Engine& engine, const Value& vector) {
  cvl::RankJob& job = *engine.job();
  runtime::Heap& heap = engine.evaluator().heap();
  const auto [begin, length] = job.part(vector.length());
  const std::size_t size = vcode::elem_size(vector.type());
  RankPart part{std::make_unique<std::byte[]>(static_cast<std::size_t>(length) * size), length};
  if (vector.length() == 0) return part;
  const bool is_on_host = vector.is_scalar() || vector.vector()->host != nullptr;
  const void* const from =
      is_on_host ? static_cast<const std::byte*>(heap.host_data(vector)) + static_cast<std::size_t>(begin) * size
                 : job.own_part({vector.type(), vector.length(), heap.device_data(vector)});
  std::memcpy(part.elements.get(), from, static_cast<std::size_t>(length) * size);
  return part;
}

}  // namespace nesl_c
