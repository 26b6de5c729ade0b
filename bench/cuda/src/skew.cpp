#include "device_cases.h"
#include "results.h"
#include "sampling.h"

namespace bench::cuda {
namespace {

using cvl::Operand;
using cvl::Result;

constexpr std::int64_t kElements = 10000000, kElementsIfQuick = 1000000;
constexpr std::int32_t kBelow = 1000;  // so that sums stay nearly exact

std::int64_t bytes_in(const Operand& vector) { return vector.length * std::int64_t(cvl::elem_size(vector.type)); }

Prepared prepare_skewed_sum(Workspace& w, ElemType type) {
  const Operand a = w.numbers(type, w.descriptor().elements, kBelow);
  const Result r = w.vector(type, w.descriptor().segments);
  return {[=, &w] {
            w.backend().run(cvl::Reduce{cvl::Monoid::kSum, a, w.descriptor(), r});
          },
          bytes_in(a) + bytes_in(operand(r)) + w.map_bytes(), "cub::DeviceSegmentedReduce::Sum",
          [=, offsets = w.offsets()] { return make_cub_segmented_reduce(type, a.data, offsets, r.length); }};
}

/// CUB has no scan over segments: its peer scans by keys, the numbers of the segments.
Prepared prepare_skewed_scan(Workspace& w, ElemType type) {
  const Operand a = w.numbers(type, w.descriptor().elements, kBelow);
  const Result r = w.vector(type, a.length);
  const std::int64_t segments = w.descriptor().segments;
  return {[=, &w] {
            w.backend().run(cvl::Scan{cvl::Monoid::kSum, a, w.descriptor(), r});
          },
          2 * bytes_in(a) + w.map_bytes(), "cub::DeviceScan::ExclusiveSumByKey",
          [=, offsets = w.offsets()] { return make_cub_scan_by_key(type, a.data, a.length, offsets, segments); }};
}

Prepared prepare_skewed_rank(Workspace& w, ElemType type) {
  const Operand a = w.numbers(type, w.descriptor().elements, 1 << 30);
  const Result r = w.vector(ElemType::kI32, a.length);
  const std::int64_t segments = w.descriptor().segments;
  return {[=, &w] {
            w.backend().run(cvl::Rank{false, a, w.descriptor(), r});
          },
          bytes_in(a) + bytes_in(operand(r)) + w.map_bytes(), "cub::DeviceSegmentedSort::StableSortPairs",
          [=, offsets = w.offsets()] { return make_cub_segmented_sort(a.data, a.length, offsets, segments); }};
}

const Case kSkewedCases[] = {
    {"sum", {ElemType::kF32}, true, prepare_skewed_sum},
    {"scan", {ElemType::kF32}, true, prepare_skewed_scan},
    {"rank", {ElemType::kI32}, true, prepare_skewed_rank},
};

}  // namespace

Json measure_skew(cvl::Backend& backend, const Options& options, double copy_bandwidth) {
  const std::int64_t elements = std::min(options.elements, options.quick ? kElementsIfQuick : kElements);
  bool lost = false;
  Json rows = Json::array();
  for (const Case& row : kSkewedCases)
    for (const Shape shape : {Shape::kEqual16, Shape::kEqual1000, Shape::kPowerLaw, Shape::kLongRow}) {
      if (lost || seconds_since_start() > options.seconds) return rows;
      rows.push_back(measure_case(backend, options, copy_bandwidth, row, row.types[0], shape, elements, lost));
    }
  return rows;
}

}  // namespace bench::cuda
