#include "classic/classic_operations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/streaming.h"
#include "tuning/chunk_tuning.h"
#include "tuning/kernel_tuning.h"

namespace cvl::cpu::classic {
namespace {

/// Key of the next call of rnd_wuz.
RandomKey the_random_key;

const char* element(const Operand& v, std::int64_t e) {
  return static_cast<const char*>(v.data) + e * static_cast<std::int64_t>(elem_size(v.type));
}
char* element(const Result& v, std::int64_t e) {
  return static_cast<char*>(v.data) + e * static_cast<std::int64_t>(elem_size(v.type));
}

/// Calls body(first, n) for tiles that cover d. Intermediate results of a tile stay in the first-level cache.
template <class Body>
void by_tiles(const Result& d, Body&& body) {
  library().parallel.for_ranges(d.length, kElementwiseBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; e += kLargestTile) body(e, std::min(kLargestTile, end - e));
  });
}

/// Computes the last step of a tile: n elements of d from element `first` on.
void finish_tile(Op op, std::array<const void*, 3> in, ElemType type, const Result& d, std::int64_t first,
                 std::int64_t n) {
  const bool stream =
      stream_result(d) && std::none_of(in.begin(), in.end(), [&](const void* v) { return v == element(d, first); });
  library().kernels.elementwise.at(op, type, d.type)(in.data(), element(d, first), 0, n, stream);
}

/// Computes an operation up to the first element that is at fault. True if there is none.
bool computes(Op op, Operands operands, const Result& d) {
  Library& all = library();
  cpu::run(all.context, Elementwise{op, {operands.begin(), operands.size()}, d});
  if (!all.faults.any()) [[likely]]
    return true;
  all.faults.take();
  return false;
}

}  // namespace

void choose(Op comparison, Operands operands, const Result& d) {
  const Operand &a = operands.begin()[0], &b = operands.begin()[1];
  by_tiles(d, [&](std::int64_t e, std::int64_t n) {
    alignas(64) bool flags[kLargestTile];
    const void* in[] = {element(a, e), element(b, e)};
    library().kernels.tile.at(0, comparison, b.type, ElemType::kB8)(in, flags, n);
    finish_tile(Op::kSelect, {flags, in[0], in[1]}, d.type, d, e, n);
  });
}

void equal_flags(Operands operands, const Result& d) {
  const Operand &a = operands.begin()[0], &b = operands.begin()[1];
  by_tiles(d, [&](std::int64_t e, std::int64_t n) {
    alignas(64) bool differ[kLargestTile];
    const void* in[] = {element(a, e), element(b, e)};
    library().kernels.tile.at(0, Op::kXor, ElemType::kB8, ElemType::kB8)(in, differ, n);
    finish_tile(Op::kNot, {differ}, d.type, d, e, n);
  });
}

void shift(Op op, Operands operands, const Result& d) {
  constexpr int kSecondIsOneElement = 2;
  constexpr std::int32_t kCountBits = 31;
  const Operand &a = operands.begin()[0], &b = operands.begin()[1];
  if (d.data != a.data && d.data != b.data && computes(op, operands, d)) return;
  by_tiles(d, [&](std::int64_t e, std::int64_t n) {
    alignas(64) std::int32_t counts[kLargestTile];
    const void* in[] = {element(b, e), &kCountBits};
    library().kernels.tile.at(kSecondIsOneElement, Op::kAnd, b.type, b.type)(in, counts, n);
    finish_tile(op, {element(a, e), counts}, d.type, d, e, n);
  });
}

void to_int(Op op, Operands operands, const Result& d) {
  if (computes(op, operands, d)) return;
  const Operand& s = *operands.begin();
  by_tiles(d, [&](std::int64_t first, std::int64_t n) {
    // The flags of the tile are 0 where a number does not fit.
    const void* in[] = {element(s, first)};
    library().kernels.tile.at(0, op, s.type, d.type)(in, element(d, first), n);
    const double* x = static_cast<const double*>(s.data) + first;
    auto* y = static_cast<std::int32_t*>(d.data) + first;
    for (std::int64_t e = 0; e < n; ++e)
      if (y[e] == 0 && !(std::fabs(x[e]) < 1)) y[e] = std::numeric_limits<std::int32_t>::min();
  });
}

void draw(Operands bounds, const Result& d) {
  if (d.length == 1)
    draw_single(*bounds.begin(), the_random_key, d);
  else
    cpu::run(library().context, Random{*bounds.begin(), the_random_key, d});
  ++the_random_key.call;
}

void seed_random(int seed) { the_random_key = {static_cast<std::uint32_t>(seed), 0}; }

void permute_distinct(const Scatter& distinct) {
  FaultSink& faults = library().faults;
  scatter(distinct);
  if (!faults.any()) [[likely]]
    return;
  if (const Fault fault = faults.take(); fault.kind != FaultKind::kDuplicateTarget)
    return faults.report(fault.kind, fault.position, fault.value, fault.bound);
  Scatter in_order = distinct;
  in_order.defaults = {distinct.result.type, distinct.result.length, distinct.result.data};
  scatter(in_order);
}

void count(const Operand& flags, const SegmentDescriptor& descriptor, const Result& d) {
  const Partition partition(descriptor, kPackChunkItems);
  if (partition.chunks() == 1)
    library().kernels.pack.count[0](static_cast<const bool*>(flags.data), descriptor, partition.chunk(0), d.data);
  else
    plan_pack(library().context, flags, descriptor, d);
}

int counted(const Operand& flags) {
  std::int32_t kept = 0;
  count(flags, SegmentDescriptor::single(flags.length), {ElemType::kI32, 1, &kept});
  return kept;
}

void pack(const Operand& s, const Operand& flags, const Result& d) {
  if (s.length == 1) {
    const int kept = *static_cast<const bool*>(flags.data);
    if (kept != d.length) stop_for_flags(kept, d.length);
    return copy({s.type, d.length, s.data}, d);
  }
  std::int32_t kept = 0;
  const auto plan =
      plan_pack(library().context, flags, SegmentDescriptor::single(s.length), {ElemType::kI32, 1, &kept});
  if (kept != d.length) stop_for_flags(kept, d.length);
  cpu::run(library().context, Pack{*plan, s, flags, d});
}

void to_host(int* d, const Operand& s) {
  if (s.type != ElemType::kB8) return copy_bytes(d, s.data, s.length * 4);
  const auto* flags = static_cast<const std::uint8_t*>(s.data);
  library().parallel.for_ranges(s.length, kElementwiseBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) d[e] = flags[e];
  });
}

void to_host(double* d, const Operand& s) { copy_bytes(d, s.data, s.length * 8); }

void from_host(const int* s, const Result& d) {
  if (d.type != ElemType::kB8) return copy_bytes(d.data, s, d.length * 4);
  auto* flags = static_cast<std::uint8_t*>(d.data);
  library().parallel.for_ranges(d.length, kElementwiseBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) flags[e] = s[e] != 0;
  });
}

void from_host(const double* s, const Result& d) { copy_bytes(d.data, s, d.length * 8); }

}  // namespace cvl::cpu::classic
