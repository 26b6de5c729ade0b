/// Operations of HostBackend that read or write elements at indices.

#include <algorithm>
#include <array>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "cvl/integer_at.h"
#include "cvl/op_dispatch.h"
#include "host_elements.h"
#include "runtime/host_backend.h"
#include "runtime/value.h"
#include "vcode/op_semantics.h"

namespace runtime {

void HostBackend::compute(const Scatter& s) {
  static_assert(kShortLimit <= 64, "the places written are the bits of one word");
  VC_CHECK(s.defaults || s.result.length <= kShortLimit);
  with_size(s.result.type, [&]<class T>() {
    with_int(s.indices.type, [&]<class I>() {
      if (s.flags)
        scatter_as<T, I, true>(s);
      else
        scatter_as<T, I, false>(s);
    });
  });
}

template <class T, class I, bool kFlagged>
void HostBackend::scatter_as(const Scatter& s) {
  T* r = out<T>(s.result);
  const bool unique = !s.defaults;
  // A scatter without flags and defaults writes every element, or has a fault.
  if (unique && kFlagged)
    std::fill_n(r, s.result.length, T(0));
  else if (!unique && s.defaults->data != s.result.data)
    std::copy_n(in<T>(*s.defaults), s.result.length, r);
  const T* source = in<T>(s.source);
  const I* indices = in<I>(s.indices);
  std::uint64_t written = 0, written_twice = 0;
  for (std::int64_t k = 0; k < s.from.segments; ++k) {
    const std::int64_t base = s.to.start(k), size = s.to.start(k + 1) - base;
    for (std::int64_t e = s.from.start(k), end = s.from.start(k + 1); e < end; ++e) {
      if constexpr (kFlagged)
        if (!in<bool>(*s.flags)[e]) continue;
      const std::int64_t i = indices[e];
      if (static_cast<std::uint64_t>(i) >= static_cast<std::uint64_t>(size)) [[unlikely]] {
        fault(FaultKind::kIndexRange, e, i, size);
        continue;
      }
      r[base + i] = source[e];
      if (!unique) continue;
      const std::uint64_t bit = std::uint64_t{1} << (base + i);
      written_twice |= written & bit;
      written |= bit;
    }
  }
  if (unique && written_twice != 0) find_duplicate(s);
}

/// Records a fault at the first element whose target was written before.
void HostBackend::find_duplicate(const Scatter& s) {
  std::uint64_t written = 0;
  for (std::int64_t k = 0; k < s.from.segments; ++k) {
    const std::int64_t base = s.to.start(k), size = s.to.start(k + 1) - base;
    for (std::int64_t e = s.from.start(k), end = s.from.start(k + 1); e < end; ++e) {
      if (s.flags && !in<bool>(*s.flags)[e]) continue;
      const std::int64_t i = integer_at(s.indices, e);
      if (static_cast<std::uint64_t>(i) >= static_cast<std::uint64_t>(size)) continue;
      const std::uint64_t bit = std::uint64_t{1} << (base + i);
      if ((written & bit) != 0) return fault(FaultKind::kDuplicateTarget, e, i, size);
      written |= bit;
    }
  }
}

void HostBackend::compute(const Gather& g) {
  with_size(g.result.type, [&]<class T>() {
    with_int(g.indices.type, [&]<class I>() {
      for (std::int64_t k = 0; k < g.to.segments; ++k) {
        const std::int64_t base = g.from.start(k), size = g.from.start(k + 1) - base;
        for (std::int64_t e = g.to.start(k); e < g.to.start(k + 1); ++e) {
          const std::int64_t i = in<I>(g.indices)[e];
          T x{};
          if (!g.flags || in<bool>(*g.flags)[e]) {
            if (i >= 0 && i < size)
              x = in<T>(g.source)[base + i];
            else
              fault(FaultKind::kIndexRange, e, i, size);
          }
          out<T>(g.result)[e] = x;
        }
      }
    });
  });
}

/// Looks each index up in a hash table of the last element that has it.
void HostBackend::compute(const Latest& latest) {
  constexpr std::size_t kPlaces = 2 * kShortLimit;
  VC_CHECK(latest.indices.length <= kShortLimit);
  with_size(latest.result.type, [&]<class T>() {
    with_int(latest.indices.type, [&]<class I>() {
      const I* indices = in<I>(latest.indices);
      for (std::int64_t k = 0; k < latest.from.segments; ++k) {
        const std::int64_t begin = latest.from.start(k), end = latest.from.start(k + 1),
                           size = latest.to.start(k + 1) - latest.to.start(k);
        if (begin == end) continue;
        std::array<std::uint8_t, kPlaces> last{};  // one more than the number of the element; 0 where there is none
        const auto place_of = [&](I index) {
          std::size_t place = static_cast<std::size_t>(index) % kPlaces;
          while (last[place] != 0 && indices[last[place] - 1] != index) place = (place + 1) % kPlaces;
          return place;
        };
        for (std::int64_t e = begin; e < end; ++e) {
          if (const std::int64_t i = indices[e]; i < 0 || i >= size) fault(FaultKind::kIndexRange, e, i, size);
          last[place_of(indices[e])] = static_cast<std::uint8_t>(e + 1);
        }
        for (std::int64_t e = begin; e < end; ++e)
          out<T>(latest.result)[e] = in<T>(latest.source)[last[place_of(indices[e])] - 1];
      }
    });
  });
}

void HostBackend::compute(const Accumulate& accumulate) {
  with_monoid(accumulate.monoid, accumulate.result.type, [&]<class M, class T>() {
    T* r = out<T>(accumulate.result);
    if (accumulate.defaults.data != r) std::copy_n(in<T>(accumulate.defaults), accumulate.result.length, r);
    for (std::int64_t k = 0; k < accumulate.from.segments; ++k) {
      const std::int64_t base = accumulate.to.start(k), size = accumulate.to.start(k + 1) - base;
      for (std::int64_t e = accumulate.from.start(k), end = accumulate.from.start(k + 1); e < end; ++e) {
        const std::int64_t i = integer_at(accumulate.indices, e);
        if (i < 0 || i >= size)
          fault(FaultKind::kIndexRange, e, i, size);
        else
          r[base + i] = vcode::accumulate<M>(in<T>(accumulate.source)[e], r[base + i]);
      }
    }
  });
}

void HostBackend::compute(const Extract& extract) {
  with_size(extract.a.type, [&]<class T>() {
    for (std::int64_t k = 0; k < extract.descriptor.segments; ++k) {
      const std::int64_t base = extract.descriptor.start(k), size = extract.descriptor.start(k + 1) - base,
                         at = integer_at(extract.i, k);
      if (at < 0 || at >= size)
        fault(FaultKind::kIndexRange, k, at, size);
      else
        out<T>(extract.result)[k] = in<T>(extract.a)[base + at];
    }
  });
}

void HostBackend::compute(const Replace& replace) {
  with_size(replace.a.type, [&]<class T>() {
    if (replace.a.data != replace.result.data) std::copy_n(in<T>(replace.a), replace.a.length, out<T>(replace.result));
    for (std::int64_t k = 0; k < replace.descriptor.segments; ++k) {
      const std::int64_t base = replace.descriptor.start(k), size = replace.descriptor.start(k + 1) - base,
                         at = integer_at(replace.i, k);
      if (size == 0) continue;
      if (at < 0 || at >= size)
        fault(FaultKind::kIndexRange, k, at, size);
      else
        out<T>(replace.result)[base + at] = in<T>(replace.v)[k];
    }
  });
}

}  // namespace runtime
