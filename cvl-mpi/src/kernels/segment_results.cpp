#include "kernels/segment_results.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cvl/op_dispatch.h"

namespace cvl::mpi {

Result SegmentResults::add(Monoid monoid, const Result& whole, std::shared_ptr<SegmentCut> cut) {
  const std::int64_t length = cut->touched().size();
  Scratch memory = scratch_for(group_, whole.type, length);
  const Result touched{whole.type, length, memory.data()};
  with_monoid(monoid, whole.type,
              [&]<class M, class T>() { std::fill_n(memory.as<T>(), length, M::template empty_value<T>()); });
  all_.push_back({monoid, whole, touched, std::move(cut), std::move(memory)});
  return touched;
}

void SegmentResults::append_carries(std::vector<std::int64_t>& to) const {
  for (const OfSegments& values : all_) {
    std::int64_t& carry = to.emplace_back();
    if (values.cut->has_tail(group_.rank()))
      std::memcpy(&carry, elements_of(values.touched, {values.touched.length - 1, values.touched.length}).data,
                  elem_size(values.touched.type));
  }
}

void SegmentResults::add_carry(OfSegments& values, int rank, std::int64_t carry) {
  const SegmentCut& cut = *values.cut;
  // A rank that finishes no segment gives its own carry only, as the others do.
  if (cut.finished().empty() || !cut.has_tail(rank) || cut.first_segment(rank + 1) != cut.first_segment(group_.rank()))
    return;
  with_monoid(values.monoid, values.touched.type, [&]<class M, class T>() {
    T given;
    std::memcpy(&given, &carry, sizeof given);
    T& first = static_cast<T*>(values.touched.data)[0];
    first = M::template combine<T>(given, first);
  });
}

void SegmentResults::append_deliveries(std::vector<Delivery>& to) const {
  for (const OfSegments& values : all_) to.push_back({values.touched.data, values.cut->all_finished(), values.whole});
}

}  // namespace cvl::mpi
