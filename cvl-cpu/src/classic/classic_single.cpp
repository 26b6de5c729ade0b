#include "classic/classic_single.h"

#include <cstring>

#include "cvl/dispatch.h"
#include "cvl/op_dispatch.h"
#include "vcode/philox.h"

namespace cvl::cpu::classic {
namespace {

/// Whether an index is below `length`; if not, reports the fault.
bool check_index(std::int32_t index, std::int64_t length) {
  if (static_cast<std::uint32_t>(index) < static_cast<std::uint64_t>(length)) return true;
  library().faults.begin_operation();
  library().faults.report(FaultKind::kIndexRange, 0, index, length);
  return false;
}

std::int32_t first_index(const Operand& indices) { return *static_cast<const std::int32_t*>(indices.data); }
bool is_wanted(const std::optional<Operand>& flags) { return !flags || *static_cast<const bool*>(flags->data); }

void set(const Result& d, const void* element) {
  if (d.data != element) std::memcpy(d.data, element, elem_size(d.type));
}
void set_zero(const Result& d) { std::memset(d.data, 0, elem_size(d.type)); }

}  // namespace

void scan_single(Monoid monoid, const Result& d) {
  with_monoid(monoid, d.type, [&]<class M, class T>() { *static_cast<T*>(d.data) = M::template empty_value<T>(); });
}

void reduce_single(Monoid monoid, const Operand& s, const Result& d) {
  with_monoid(monoid, d.type, [&]<class M, class T>() {
    *static_cast<T*>(d.data) = M::combine(*static_cast<const T*>(s.data), M::template identity<T>());
  });
}

void gather_single(const Gather& gather) {
  const Result& d = gather.result;
  if (!is_wanted(gather.flags)) return set_zero(d);
  const std::int32_t index = first_index(gather.indices);
  if (check_index(index, gather.from.elements))
    set(d, static_cast<const char*>(gather.source.data) + index * static_cast<std::int64_t>(elem_size(d.type)));
}

void scatter_single(const Scatter& scatter) {
  const Result& d = scatter.result;
  if (is_wanted(scatter.flags)) {
    if (check_index(first_index(scatter.indices), 1)) set(d, scatter.source.data);
  } else if (scatter.defaults) {
    set(d, scatter.defaults->data);
  } else {
    set_zero(d);
  }
}

void draw_single(const Operand& bound, RandomKey key, const Result& d) {
  const std::int32_t value = *static_cast<const std::int32_t*>(bound.data);
  if (value == 0) {
    library().faults.begin_operation();
    library().faults.report(FaultKind::kRandomBound, 0, 0);
  }
  *static_cast<std::int32_t*>(d.data) = vcode::random_element(key, 0, value);
}

}  // namespace cvl::cpu::classic
