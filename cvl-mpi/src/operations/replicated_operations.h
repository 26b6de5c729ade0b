#pragma once

#include "operations/operation_context.h"

namespace cvl::mpi {

// Operations that read or write a few elements of long vectors, at indices that every rank has: those of a search with
// a short frontier. If every rank has the vectors as a whole, each computes the operation without messages.

/// Whether every rank has the elements, indices or segments that an operation goes over, so that all ranks see its
/// faults, but for targets that are written twice.
template <class T>
bool goes_over_replicated(const RankGroup&, const T&) {
  return false;
}
inline bool goes_over_replicated(const RankGroup& group, const Gather& op) { return !group.is_divided(op.to); }
inline bool goes_over_replicated(const RankGroup& group, const Extract& op) { return !group.is_divided(op.result); }
inline bool goes_over_replicated(const RankGroup& group, const Slice& op) { return !group.is_divided(op.descriptor); }
inline bool goes_over_replicated(const RankGroup& group, const Accumulate& op) { return !group.is_divided(op.from); }
inline bool goes_over_replicated(const RankGroup& group, const Scatter& op) {
  return op.defaults.has_value() && !group.is_divided(op.from);
}
inline bool goes_over_replicated(const RankGroup& group, const Replace& op) { return !group.is_divided(op.v); }
inline bool goes_over_replicated(const RankGroup& group, const Latest& op) { return !group.is_divided(op.from); }
/// Of vectors of one segment, the lengths tell all faults.
inline bool goes_over_replicated(const RankGroup& group, const Append& op) {
  return op.join.to.is_single() && group.is_divided(op.result);
}

/// Whether an operation writes elements that every rank has to places in a vector, in place.
template <class T>
bool updates_in_place(const RankGroup&, const T&) {
  return false;
}
inline bool updates_in_place(const RankGroup& group, const Scatter& op) {
  return goes_over_replicated(group, op) && op.defaults->data == op.result.data;
}
inline bool updates_in_place(const RankGroup& group, const Replace& op) {
  return goes_over_replicated(group, op) && op.a.data == op.result.data;
}

/// Whether every rank has all that an operation reads, and computes all of its result, which costs no more than a part.
template <class T>
bool runs_on_every_rank(const RankGroup&, const T&) {
  return false;
}
inline bool runs_on_every_rank(const RankGroup& group, const Gather& op) {
  return goes_over_replicated(group, op) && group.has_all(op.source) && has_all_starts(group, op.from);
}
inline bool runs_on_every_rank(const RankGroup& group, const Extract& op) {
  return goes_over_replicated(group, op) && group.has_all(op.a) && has_all_starts(group, op.descriptor);
}
inline bool runs_on_every_rank(const RankGroup& group, const Slice& op) {
  return goes_over_replicated(group, op) && group.has_all(op.a);
}
inline bool runs_on_every_rank(const RankGroup& group, const Scatter& op) {
  return updates_in_place(group, op) && group.has_all(*op.defaults) && has_all_starts(group, op.to);
}
inline bool runs_on_every_rank(const RankGroup& group, const Replace& op) {
  return updates_in_place(group, op) && group.has_all(op.a) && has_all_starts(group, op.descriptor);
}
/// Of the room, which has no elements before, each rank uses all addresses.
inline bool runs_on_every_rank(const RankGroup& group, const Latest& op) {
  return goes_over_replicated(group, op) && has_all_starts(group, op.to) &&
         size_of(op.room.type, op.room.length) <= group.exchange_bytes;
}

}  // namespace cvl::mpi
