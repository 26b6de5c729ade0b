#include <dlfcn.h>
#include <exception>
#include <memory>

#include "device_cases.h"
#include "results.h"
#include "sampling.h"

namespace bench::cuda {
namespace {

/// The result of cvl_cuda_fewest_blocks() of the vector library; 0 if the library lacks that function.
int fewest_blocks(cvl::Backend& backend) {
  using Function = int(cvl::Backend&);
  static Function* const function = [] {
    void* library = dlopen("libcvl-cuda.so", RTLD_NOW | RTLD_NOLOAD);
    return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, "cvl_cuda_fewest_blocks"));
  }();
  return function == nullptr ? 0 : function(backend);
}

}  // namespace

Json measure_case(cvl::Backend& backend, const Options& options, double copy_bandwidth, const Case& row, ElemType type,
                  Shape shape, std::int64_t elements, bool& lost) {
  Json result{
      {"operation", row.name}, {"type", vcode::elem_name(type)}, {"shape", shape_name(shape)}, {"elements", elements}};
  try {
    Workspace w(backend, shape, elements);
    result["segments"] = w.descriptor().segments;
    result["longest_segment"] = w.longest_segment();
    const Prepared prepared = row.prepare(w, type);
    if (options.on_device()) fewest_blocks(backend);  // resets the record of launches
    prepared.issue();
    if (backend.take_fault().kind != cvl::FaultKind::kNone) throw std::runtime_error("the operation reports a fault");
    if (const int blocks = options.on_device() ? fewest_blocks(backend) : 0; blocks > 0)
      result["blocks_per_multiprocessor"] = blocks;
    Contestant library{prepared.issue, [&] { backend.take_fault(); }};
    std::vector<Contestant*> contestants{&library};
    std::unique_ptr<Peer> peer;
    Contestant by_peer{[&] { peer->issue(); }, wait_for_device};
    if (options.on_device() && prepared.make_peer != nullptr) {
      peer = prepared.make_peer();
      contestants.push_back(&by_peer);
    }
    compete(contestants, options.quick ? Effort{.sample_seconds = 0.002, .samples = 5} : Effort{});
    const double seconds = median(library.samples), bandwidth = double(prepared.bytes) / seconds;
    result["bytes"] = prepared.bytes;
    result["seconds"] = seconds;
    result["GB_per_s"] = bandwidth * 1e-9;
    if (copy_bandwidth > 0) result["of_copy"] = bandwidth / copy_bandwidth;
    if (peer != nullptr) {
      result["peer"] = prepared.peer_name;
      result["peer_seconds"] = median(by_peer.samples);
      result["times_peer"] = seconds / median(by_peer.samples);
    }
  } catch (const cvl::BackendLost& failure) {
    result["error"] = failure.what();
    lost = true;
  } catch (const std::exception& failure) {
    result["error"] = failure.what();
  }
  return result;
}

Json measure_classes(cvl::Backend& backend, const Options& options, double copy_bandwidth) {
  // The most important sizes come first, in case time runs out.
  const std::vector<std::int64_t> sizes =
      options.quick ? std::vector<std::int64_t>{100000000, 1000, 1000000}
                    : std::vector<std::int64_t>{100000000, 1000, 1000000, 10000000, 100000, 10000};
  bool lost = false;
  Json rows = Json::array();
  for (const std::int64_t elements : sizes) {
    if (elements > options.elements) continue;
    for (const Shape shape : {Shape::kFlat, Shape::kShort, Shape::kLong, Shape::kHuge})
      for (const Case& row : all_cases())
        for (const ElemType type : row.types) {
          if (shape != Shape::kFlat && !row.segmented) continue;
          if (lost || seconds_since_start() > options.seconds) return rows;
          rows.push_back(measure_case(backend, options, copy_bandwidth, row, type, shape, elements, lost));
        }
  }
  return rows;
}

}  // namespace bench::cuda
