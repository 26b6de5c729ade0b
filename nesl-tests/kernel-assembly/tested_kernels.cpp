#include "tested_kernels.h"

#include <cstdlib>
#include <utility>

#include "kernels/chosen_kernels.h"
#include "segmentation.h"

namespace cvl::conformance {
namespace {

std::uint64_t seed() {
  const char* const text = std::getenv("NESL_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

}  // namespace

std::vector<KernelCase> tested_kernels(vcode::Widths widths) {
  Rng rng(seed());
  constexpr std::int64_t kElements = 65;  // the length of data that nobody reads
  std::vector<KernelCase> cases;
  for (int k = 0; k < 20; ++k) cases.push_back(random_kernel(kElements, widths, rng));
  const Segmentation halves = {"two", {kElements / 2, kElements - kElements / 2}};
  for (int k = 0; k < 4; ++k)
    for (auto [suffix, type] :
         {std::pair(vcode::Suffix::kInt, widths.int_type), std::pair(vcode::Suffix::kFloat, widths.float_type)})
      cases.push_back(folding_case(suffix, type, widths, kElements, halves, rng));
  cases.push_back(dividing_case(widths, kElements, {"one", {kElements}}, 0, rng));
  for (const vcode::Kind kind : {vcode::Kind::kInt, vcode::Kind::kFloat, vcode::Kind::kBool})
    for (int k = 0; k < 2; ++k) cases.push_back(gathering_case(kind, widths, kElements, 100, rng));
  for (int k = 0; k < 2; ++k) cases.push_back(neighbours_case(vcode::Kind::kFloat, widths, halves, rng));
  return cases;
}

}  // namespace cvl::conformance
