/// Sums and offsets of segment lengths.
///
/// Bytes moved: the summary reads the lengths once; the offsets read them twice (the second time from the cache if
/// there are few) and write 8 bytes for each length.

#include "isa/group_scan.h"
#include "vcode/arith.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu::CVL_ISA {
namespace {

template <class I>
LengthsKernels::Summary summarize(const void* lengths, int64_t begin, int64_t end) {
  VC_CHECK(begin < end);
  const I* a = static_cast<const I*>(lengths);
  I shortest = a[begin], longest = a[begin];
  int64_t total = 0;
  for (int64_t k = begin; k < end; ++k) {
    shortest = vcode::min_of(a[k], shortest);
    longest = vcode::max_of(a[k], longest);
    total += a[k];
  }
  return {shortest, longest, total};
}

template <class I>
void offsets(const void* lengths, int64_t begin, int64_t end, int64_t before, int64_t* result) {
  const I* a = static_cast<const I*>(lengths);
  GroupScan<vcode::monoids::Sum, int64_t> scan(before);
  alignas(64) int64_t group[kGroup];
  for (int64_t k = begin; k < end; k += kGroup) {
    const int64_t n = end - k < kGroup ? end - k : kGroup;
    for (int64_t j = 0; j < n; ++j) group[j] = a[k + j];
    for (int64_t j = n; j < kGroup; ++j) group[j] = 0;
    scan.scan<false>(group, group, 0);
    std::memcpy(result + k, group, static_cast<std::size_t>(n) * sizeof(int64_t));
  }
}

}  // namespace

void add_lengths(Kernels& kernels) {
  kernels.lengths.summarize[int(ElemType::kI32)] = summarize<std::int32_t>;
  kernels.lengths.summarize[int(ElemType::kI64)] = summarize<int64_t>;
  kernels.lengths.offsets[int(ElemType::kI32)] = offsets<std::int32_t>;
  kernels.lengths.offsets[int(ElemType::kI64)] = offsets<int64_t>;
}

}  // namespace cvl::cpu::CVL_ISA
