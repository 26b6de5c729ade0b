#include "operations/carries.h"

#include <algorithm>

#include "base/check.h"
#include "cvl/fold_order.h"
#include "cvl/op_dispatch.h"

namespace cvl::mpi {

Range given_elements(const SegmentCut& cut, bool rounds, int rank) {
  if (!cut.has_tail(rank)) return {};
  const std::int64_t begin = std::max(cut.start_of_first(rank + 1), folded_elements(cut, rounds, rank).begin);
  const std::int64_t end = rounds ? cut.fold_begin(rank + 1) : cut.elements(rank).end;
  return {begin, std::max(begin, end)};
}

Range folded_elements(const SegmentCut& cut, bool rounds, int rank) {
  Range range = cut.elements(rank);
  if (rounds && !range.empty()) range.begin = cut.fold_begin(rank);
  return range;
}

std::int64_t write_carry(OperationContext& context, const SegmentCut& cut, Monoid monoid, const Operand& a) {
  const RankGroup& group = context.group;
  const bool rounds = vcode::rounds(monoid, a.type);
  if (!cut.any_continued()) return 0;
  VC_CHECK(group.is_divided(a.length));

  std::vector<std::size_t> bytes;
  std::int64_t all = 0;
  for (int r = 0; r < group.ranks(); ++r) {
    const std::int64_t folds = folds_of(given_elements(cut, rounds, r), rounds);
    bytes.push_back(size_of(a.type, folds));
    all += folds;
  }
  if (all == 0) return 0;
  const Range given = given_elements(cut, rounds, context.rank());
  const std::int64_t folds = folds_of(given, rounds);
  const Scratch own = scratch_for(group, a.type, folds), folds_of_all = scratch_for(group, a.type, all);
  if (folds > 0) {
    const SegmentDescriptor blocks{folds, given.size(), given.size() / folds};
    context.inner().run(Reduce{monoid, elements_of(a, given), blocks, {a.type, folds, own.data()}});
  }
  group.messenger.gather_to_all(own.data(), bytes, folds_of_all.data());
  // Carries replace elements of earlier ranks.
  if (group.held != nullptr) group.held->set_whole(a.data, false);

  const Range mine = folded_elements(cut, rounds, context.rank());
  if (mine.empty() || mine.begin == cut.start_of_first(context.rank())) return 0;
  // A cache line of a long segment, as backends write long results from the beginning of a line on.
  const std::int64_t line = 64 / static_cast<std::int64_t>(elem_size(a.type));
  const std::int64_t room = rounds ? kFoldBlock : std::min(line, mine.begin - cut.start_of_first(context.rank()));
  group.before_writing({a.type, room, const_cast<void*>(elements_of(a, {mine.begin - room, mine.begin}).data)});
  with_monoid(monoid, a.type, [&]<class M, class T>() {
    T carry = M::template identity<T>();
    const T* next = folds_of_all.as<T>();
    for (int r = 0; r < context.rank(); ++r) {
      const bool of_same_segment = cut.has_tail(r) && cut.first_segment(r + 1) == cut.first_segment(context.rank());
      for (std::int64_t f = folds_of(given_elements(cut, rounds, r), rounds); f > 0; --f, ++next)
        if (of_same_segment) carry = M::template combine<T>(*next, carry);
    }
    // A block of the carry and identity elements folds to the carry.
    T* const before = static_cast<T*>(const_cast<void*>(a.data)) + mine.begin - room;
    std::fill_n(before, room, M::template identity<T>());
    before[0] = carry;
  });
  return room;
}

}  // namespace cvl::mpi
