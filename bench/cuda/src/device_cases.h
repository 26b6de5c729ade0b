#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "device_workspace.h"
#include "peers/device_peers.h"
#include "results.h"

namespace bench::cuda {

/// An operation ready to run.
struct Prepared {
  std::function<void()> issue;
  std::int64_t bytes = 0;  ///< bytes that the operation must read and write
  // CUB's function for the same operands; empty if there is none.
  std::string_view peer_name = "";
  std::function<std::unique_ptr<Peer>()> make_peer = nullptr;
};

/// A class of operations.
struct Case {
  std::string_view name;
  std::vector<ElemType> types;
  bool segmented = false;
  Prepared (*prepare)(Workspace&, ElemType) = nullptr;
};

std::span<const Case> all_cases();

/// Measures a case, and its peer in turns. `lost`: set if the device can no longer be used. copy_bandwidth: 0 if
/// unknown.
Json measure_case(cvl::Backend& backend, const Options& options, double copy_bandwidth, const Case& row, ElemType type,
                  Shape shape, std::int64_t elements, bool& lost);

}  // namespace bench::cuda
