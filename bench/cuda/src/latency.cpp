#include <cstdint>

#include "device.h"
#include "device_workspace.h"
#include "results.h"
#include "sampling.h"

namespace bench::cuda {

Json measure_latency(cvl::Backend& backend, const Options& options) {
  constexpr std::int64_t kElements = 1000;
  constexpr int kSamples = 50, kIssues = 200, kReads = 300;
  Workspace w(backend, Shape::kFlat, kElements);
  const cvl::Operand operands[] = {w.numbers(ElemType::kI32, kElements, 1000),
                                   w.numbers(ElemType::kI32, kElements, 1000)};
  const cvl::Result sums = w.vector(ElemType::kI32, kElements), total = w.vector(ElemType::kI32, 1);
  backend.take_fault();

  std::vector<double> issues, reads;
  for (int s = 0; s < kSamples; ++s) {
    const double start = seconds_since_start();
    for (int k = 0; k < kIssues; ++k) backend.run(cvl::Elementwise{cvl::Op::kAdd, operands, sums});
    issues.push_back((seconds_since_start() - start) / kIssues);
    backend.take_fault();
  }
  for (int k = 0; k < kReads; ++k) {
    std::int32_t value = 0;
    const double start = seconds_since_start();
    backend.run(cvl::Reduce{cvl::Monoid::kSum, operands[0], w.descriptor(), total});
    backend.download(&value, total.data, sizeof value);
    reads.push_back(seconds_since_start() - start);
  }
  Json result{{"elements", kElements}, {"issue_seconds", median(issues)}, {"read_back_seconds", median(reads)}};
  if (options.on_device()) {
    result["cuda_launch_seconds"] = launch_seconds();
    result["cuda_round_trip_seconds"] = round_trip_seconds();
  }
  return result;
}

}  // namespace bench::cuda
