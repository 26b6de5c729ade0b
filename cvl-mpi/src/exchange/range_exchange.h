#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exchange/rank_group.h"

namespace cvl::mpi {

// Exchanges of ranges that every rank knows of every rank, so that nobody asks: a rank sends just what others want of
// its part.

/// Elements of a vector that a rank can read now.
struct Fetched {
  Operand elements;
  Scratch memory;  ///< of the elements, if they are a copy
};

/// Brings the elements wants[r] of a vector to each rank r; no messages if each rank holds what it wants. The ranges
/// may overlap. The result has those of this rank.
Fetched fetch(const RankGroup& group, const Operand& vector, const Ranges& wants);

/// The same for several vectors, each with ranges of its own, in one round of messages.
std::vector<Fetched> fetch(const RankGroup& group, std::span<const Operand> vectors, std::span<const Ranges> wants);

/// The same for divided vectors of one length, into the places of the elements in their own memory. One round of
/// messages for all of them.
void fetch_in_place(const RankGroup& group, std::span<const Operand> vectors, const Ranges& wants);

/// Puts the elements of a vector where its distribution wants them: those in haves[r], which are consecutive, are at
/// `mine` on rank r, which may be their place in the vector. No messages if they are in place on every rank.
void deliver(const RankGroup& group, const void* mine, const Ranges& haves, const Result& vector);

/// Operands of deliver(). Elements of replicated vectors go to all ranks.
struct Delivery {
  const void* mine;
  Ranges haves;
  Result vector;
};
/// Delivers several vectors in one round of messages.
void deliver(const RankGroup& group, std::span<const Delivery> deliveries);

/// A range of a vector for each rank, and where this rank's go.
struct Wanted {
  Operand vector;
  Ranges wants;
  void* to;
};
/// Brings several ranges to each rank, in one round of messages.
void fetch(const RankGroup& group, std::span<const Wanted> all);

/// Bytes of each rank that all ranks get, as by Messenger::gather_to_all().
struct GatheredBytes {
  const void* mine;
  std::vector<std::size_t> bytes;  ///< of each rank
  void* all;
};
/// Gathers all of them in one round of messages.
void gather_to_all(const RankGroup& group, std::span<const GatheredBytes> gathered);

/// Copies vectors, one behind the other, to a divided vector. One round of messages, none if the elements are on the
/// same ranks.
void place(const RankGroup& group, std::span<const Operand> vectors, const Result& to);

}  // namespace cvl::mpi
