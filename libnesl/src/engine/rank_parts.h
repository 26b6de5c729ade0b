#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "data.h"

namespace nesl_c {

// Sequences of a session of several ranks (nesl_options::mpi): each rank has consecutive elements of them, in the order
// of ranks. All functions are collective, and throw Failed on all ranks if one of them refuses an argument.

/// Whether ranks have parts of sequences with such elements: scalars and tuples of them, without characters. Strings
/// and sequences of sequences that programs return are whole on every rank.
bool has_parts(const nesl::ValueShape& element);

/// Calls check(), which may throw Failed on some ranks only.
void check_on_all(Engine& engine, const std::function<void()>& check);
/// Makes check_on_all() of the other ranks throw, unless the last one has thrown on all: then all call this.
void refuse_on_all(Engine& engine);
/// Throws Failed if a number, `what`, is not the same on all ranks.
void require_same(Engine& engine, std::int64_t number, const char* what);
/// The sum of a number over all ranks.
std::int64_t sum_of_ranks(Engine& engine, std::int64_t number);

/// A vector of the elements of all ranks; those of this rank are `length` at `mine`.
runtime::Value join_parts(Engine& engine, vcode::ElemType type, const void* mine, std::size_t length);

/// Elements of a vector that belong to this rank.
struct RankPart {
  std::unique_ptr<std::byte[]> elements;
  std::int64_t length = 0;
};
RankPart part_of_rank(Engine& engine, const runtime::Value& vector);

}  // namespace nesl_c
