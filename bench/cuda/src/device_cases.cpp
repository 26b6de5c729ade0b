#include "device_cases.h"

#include <memory>
#include <stdexcept>

namespace bench::cuda {
namespace {

using cvl::Op;
using cvl::Operand;
using cvl::Result;

constexpr std::int32_t kSmall = 1000;  // so that sums stay exact or nearly so

std::int64_t bytes_of(const Operand& vector) { return vector.length * std::int64_t(cvl::elem_size(vector.type)); }

Prepared elementwise(Workspace& w, Op op, std::vector<Operand> operands, Result result) {
  std::int64_t bytes = bytes_of(operand(result));
  for (const Operand& o : operands) bytes += bytes_of(o);
  return {[&w, op, operands, result] { w.backend().run(cvl::Elementwise{op, operands, result}); }, bytes};
}

Prepared prepare_sqrt(Workspace& w, ElemType type) {
  const std::int64_t n = w.descriptor().elements;
  return elementwise(w, Op::kSqrt, {w.numbers(type, n, kSmall)}, w.vector(type, n));
}
Prepared prepare_not(Workspace& w, ElemType type) {
  const std::int64_t n = w.descriptor().elements;
  return elementwise(w, Op::kNot, {w.numbers(type, n, kSmall)}, w.vector(type, n));
}
Prepared prepare_add(Workspace& w, ElemType type) {
  const std::int64_t n = w.descriptor().elements;
  return elementwise(w, Op::kAdd, {w.numbers(type, n, kSmall), w.numbers(type, n, kSmall)}, w.vector(type, n));
}
Prepared prepare_less(Workspace& w, ElemType type) {
  const std::int64_t n = w.descriptor().elements;
  return elementwise(w, Op::kLess, {w.numbers(type, n, kSmall), w.numbers(type, n, kSmall)},
                     w.vector(ElemType::kB8, n));
}
Prepared prepare_select(Workspace& w, ElemType type) {
  const std::int64_t n = w.descriptor().elements;
  return elementwise(w, Op::kSelect, {w.flags(n), w.numbers(type, n, kSmall), w.numbers(type, n, kSmall)},
                     w.vector(type, n));
}

Prepared prepare_scan(Workspace& w, ElemType type) {
  const Operand a = w.numbers(type, w.descriptor().elements, kSmall);
  const Result r = w.vector(type, a.length);
  Prepared prepared{[=, &w] {
                      w.backend().run(cvl::Scan{cvl::Monoid::kSum, a, w.descriptor(), r});
                    },
                    2 * bytes_of(a) + w.map_bytes()};
  if (!w.descriptor().is_single()) return prepared;
  prepared.peer_name = "cub::DeviceScan::ExclusiveSum";
  prepared.make_peer = [=] { return make_cub_scan(type, a.data, a.length); };
  return prepared;
}
Prepared prepare_reduce(Workspace& w, ElemType type) {
  const Operand a = w.numbers(type, w.descriptor().elements, kSmall);
  const Result r = w.vector(type, w.descriptor().segments);
  Prepared prepared{[=, &w] {
                      w.backend().run(cvl::Reduce{cvl::Monoid::kSum, a, w.descriptor(), r});
                    },
                    bytes_of(a) + bytes_of(operand(r)) + w.map_bytes()};
  if (w.descriptor().is_single()) {
    prepared.peer_name = "cub::DeviceReduce::Sum";
    prepared.make_peer = [=] { return make_cub_reduce(type, a.data, a.length); };
  } else {
    prepared.peer_name = "cub::DeviceSegmentedReduce::Sum";
    prepared.make_peer = [=, map = w.descriptor()] {
      return make_cub_segmented_reduce(type, a.data, map.offsets, map.segments);
    };
  }
  return prepared;
}

Prepared prepare_permute(Workspace& w, ElemType type) {
  const Operand source = w.numbers(type, w.descriptor().elements, kSmall), indices = w.permutation();
  const Result r = w.vector(type, w.descriptor().elements);
  return {[=, &w] {
            w.backend().run(cvl::Scatter{source, indices, {}, {}, w.descriptor(), w.descriptor(), r});
          },
          2 * bytes_of(source) + bytes_of(indices) + w.map_bytes()};
}
Prepared prepare_gather(Workspace& w, ElemType type) {
  const Operand source = w.numbers(type, w.descriptor().elements, kSmall), indices = w.permutation();
  const Result r = w.vector(type, w.descriptor().elements);
  return {[=, &w] {
            w.backend().run(cvl::Gather{source, indices, {}, w.descriptor(), w.descriptor(), r});
          },
          2 * bytes_of(source) + bytes_of(indices) + w.map_bytes()};
}

std::unique_ptr<cvl::PackPlan> plan_of(Workspace& w, const Operand& flags, const Result& lengths) {
  std::unique_ptr<cvl::PackPlan> plan = w.backend().plan_pack(flags, w.descriptor(), lengths);
  if (plan != nullptr) return plan;
  (void)w.backend().take_fault();
  throw std::runtime_error("out of memory");
}

/// Packs, and reads the number of kept elements: the wait is a part of the operation.
Prepared prepare_pack(Workspace& w, ElemType type) {
  const Operand a = w.numbers(type, w.descriptor().elements, kSmall), f = w.flags(a.length);
  const Result lengths = w.vector(ElemType::kI32, w.descriptor().segments), r = w.vector(type, a.length);
  const std::int64_t kept = plan_of(w, f, lengths)->kept;
  Prepared prepared{[=, &w] {
                      const auto plan = plan_of(w, f, lengths);
                      w.backend().run(cvl::Pack{*plan, a, f, {r.type, plan->kept, r.data}});
                    },
                    bytes_of(a) + bytes_of(f) + kept * std::int64_t(cvl::elem_size(type)) + bytes_of(operand(lengths)) +
                        w.map_bytes()};
  if (!w.descriptor().is_single()) return prepared;
  prepared.peer_name = "cub::DeviceSelect::Flagged";
  prepared.make_peer = [=] { return make_cub_select(type, a.data, f.data, a.length); };
  return prepared;
}

Prepared prepare_dist(Workspace& w, ElemType type) {
  const Operand v = w.numbers(type, w.descriptor().segments, kSmall);
  const Result r = w.vector(type, w.descriptor().elements);
  return {[=, &w] {
            w.backend().run(cvl::Dist{v, w.descriptor(), r});
          },
          bytes_of(v) + bytes_of(operand(r)) + w.map_bytes()};
}
Prepared prepare_index(Workspace& w, ElemType type) {
  const Operand start = w.numbers(type, w.descriptor().segments, kSmall),
                stride = w.numbers(type, w.descriptor().segments, kSmall);
  const Result r = w.vector(type, w.descriptor().elements);
  return {[=, &w] {
            w.backend().run(cvl::Index{start, stride, w.descriptor(), r});
          },
          2 * bytes_of(start) + bytes_of(operand(r)) + w.map_bytes()};
}
Prepared prepare_rank(Workspace& w, ElemType type) {
  const Operand a = w.numbers(type, w.descriptor().elements, 1 << 30);
  const Result r = w.vector(ElemType::kI32, a.length);
  Prepared prepared{[=, &w] {
                      w.backend().run(cvl::Rank{false, a, w.descriptor(), r});
                    },
                    bytes_of(a) + bytes_of(operand(r)) + w.map_bytes()};
  if (!w.descriptor().is_single()) return prepared;
  prepared.peer_name = "cub::DeviceRadixSort::SortPairs";
  prepared.make_peer = [=] { return make_sort_pairs(type, a.data, a.length); };
  return prepared;
}

const std::vector<ElemType> kNumbers{ElemType::kI32, ElemType::kF64, ElemType::kF32};
const std::vector<ElemType> kFloats{ElemType::kF64, ElemType::kF32};
const std::vector<ElemType> kInts{ElemType::kI32};

const Case kCases[] = {
    {"sqrt", kFloats, false, prepare_sqrt},      {"not", kInts, false, prepare_not},
    {"add", kNumbers, false, prepare_add},       {"less", kNumbers, false, prepare_less},
    {"select", kNumbers, false, prepare_select}, {"scan", kNumbers, true, prepare_scan},
    {"reduce", kNumbers, true, prepare_reduce},  {"permute", kNumbers, true, prepare_permute},
    {"gather", kNumbers, true, prepare_gather},  {"pack", kNumbers, true, prepare_pack},
    {"dist", kNumbers, true, prepare_dist},      {"index", kInts, true, prepare_index},
    {"rank", kNumbers, true, prepare_rank},
};

}  // namespace

std::span<const Case> all_cases() { return kCases; }

}  // namespace bench::cuda
