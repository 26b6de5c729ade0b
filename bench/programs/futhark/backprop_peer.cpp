#include <algorithm>
#include <cmath>
#include <numeric>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr std::int64_t kHidden = 16;

double squashed(double x) { return 1.0 / (1.0 + std::exp(-x)); }

}  // namespace
}  // namespace program_peers

// A row of weights for each hidden unit. Weights and changes go to new memory.
PROGRAM_PEER(backprop) {
  const std::int64_t n = run.n(), width = n + 1;
  const double scale = 1.0 / std::sqrt(double(n)), target = 0.1;
  const Buffer<double> inputs(width, [](std::int64_t i) { return i == 0 ? 1.0 : unit(i - 1); });
  const Buffer<double> weights(kHidden * width,
                               [&](std::int64_t e) { return scale * (unit(n + 16 * (e % width) + e / width) - 0.5); });
  const Buffer<double> last(kHidden * width), new_weights(kHidden * width), changes(kHidden * width);
  const Buffer<double> out_weights(kHidden + 1, [](std::int64_t i) { return unit(-i) - 0.5; });
  const Buffer<double> new_out_weights(kHidden + 1), hidden(kHidden + 1);
  double output = 0;
  run.time([&] {
    hidden[0] = 1.0;
    run.team().for_chunks(kHidden, 1, [&](std::int64_t j, std::int64_t, std::int64_t) {
      const double* const row = weights.data() + j * width;
      hidden[j + 1] = squashed(std::inner_product(row, row + width, inputs.data(), 0.0));
    });
    output = squashed(std::inner_product(hidden.begin(), hidden.end(), out_weights.data(), 0.0));
    const double delta = output * (1.0 - output) * (target - output);
    run.team().for_chunks(kHidden, 1, [&](std::int64_t j, std::int64_t, std::int64_t) {
      const double h = hidden[j + 1], hidden_delta = h * (1.0 - h) * delta * out_weights[j + 1];
      const std::int64_t row = j * width;
#pragma GCC ivdep
      for (std::int64_t i = 0; i < width; ++i) {
        changes[row + i] = 0.3 * hidden_delta * inputs[i] + 0.3 * last[row + i];
        new_weights[row + i] = weights[row + i] + changes[row + i];
      }
    });
    for (std::int64_t j = 0; j <= kHidden; ++j) new_out_weights[j] = out_weights[j] + 0.3 * delta * hidden[j];
  });
  double magnitudes = 0;
  for (const double change : changes) magnitudes += std::fabs(change);
  run.result(output, std::accumulate(new_weights.begin(), new_weights.end(), 0.0), magnitudes,
             std::accumulate(new_out_weights.begin(), new_out_weights.end(), 0.0));
  run.cost(kHidden * 40.0 * width, kHidden * 7.0 * width);
  run.report();
}
