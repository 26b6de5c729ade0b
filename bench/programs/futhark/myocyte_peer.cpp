#include <algorithm>
#include <array>
#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

enum Part { kV, kCalcium, kX1, kM, kH, kJ, kD, kF, kParts };
using Cell = std::array<double, kParts>;

/// A cell and multiples of changes added.
template <std::size_t n>
Cell combined(const Cell& cell, const std::array<double, n>& factors, const std::array<Cell, n>& changes) {
  Cell sum = cell;
  for (std::size_t k = 0; k < n; ++k)
    for (int part = 0; part < kParts; ++part) sum[part] += factors[k] * changes[k][part];
  return sum;
}

Cell change_of(const Cell& c, double stimulus) {
  const double v = c[kV];
  const double potassium =
      0.35 * (4.0 * (std::exp(0.04 * (v + 85.0)) - 1.0) / (std::exp(0.08 * (v + 53.0)) + std::exp(0.04 * (v + 53.0))) +
              0.2 * (v + 23.0) / (1.0 - std::exp(-0.04 * (v + 23.0))));
  const double outward = c[kX1] * 0.8 * (std::exp(0.04 * (v + 77.0)) - 1.0) / std::exp(0.04 * (v + 35.0));
  const double sodium = (4.0 * c[kM] * c[kM] * c[kM] * c[kH] * c[kJ] + 0.003) * (v - 50.0);
  const double slow = 0.09 * c[kD] * c[kF] * (v + 82.3 + 13.0287 * std::log(c[kCalcium]));
  Cell change;
  const auto gate = [&](Part part, double opening, double closing) {
    change[part] = opening * (1.0 - c[part]) - closing * c[part];
  };
  change[kV] = stimulus - potassium - outward - sodium - slow;
  change[kCalcium] = 0.07 * (1.0e-7 - c[kCalcium]) - 1.0e-7 * slow;
  gate(kX1, 0.0005 * std::exp(0.083 * (v + 50.0)) / (std::exp(0.057 * (v + 50.0)) + 1.0),
       0.0013 * std::exp(-0.06 * (v + 20.0)) / (std::exp(-0.04 * (v + 20.0)) + 1.0));
  gate(kM, -(v + 47.0) / (std::exp(-0.1 * (v + 47.0)) - 1.0), 40.0 * std::exp(-0.056 * (v + 72.0)));
  gate(kH, 0.126 * std::exp(-0.25 * (v + 77.0)), 1.7 / (std::exp(-0.082 * (v + 22.5)) + 1.0));
  gate(kJ, 0.055 * std::exp(-0.25 * (v + 78.0)) / (std::exp(-0.2 * (v + 78.0)) + 1.0),
       0.3 / (std::exp(-0.1 * (v + 32.0)) + 1.0));
  gate(kD, 0.095 * std::exp(-0.01 * (v - 5.0)) / (std::exp(-0.072 * (v - 5.0)) + 1.0),
       0.07 * std::exp(-0.017 * (v + 44.0)) / (std::exp(0.05 * (v + 44.0)) + 1.0));
  gate(kF, 0.012 * std::exp(-0.008 * (v + 28.0)) / (std::exp(0.15 * (v + 28.0)) + 1.0),
       0.0065 * std::exp(-0.02 * (v + 30.0)) / (std::exp(-0.2 * (v + 30.0)) + 1.0));
  return change;
}

struct Step {
  Cell after;
  double error;
};

/// A step of fifth order, and how far that is from one of fourth order.
Step fehlberg(const Cell& c, double step, double stimulus) {
  const Cell k1 = change_of(c, stimulus);
  const Cell k2 = change_of(combined<1>(c, {0.25 * step}, {k1}), stimulus);
  const Cell k3 = change_of(combined<2>(c, {3.0 / 32.0 * step, 9.0 / 32.0 * step}, {k1, k2}), stimulus);
  const Cell k4 =
      change_of(combined<3>(c, {1932.0 / 2197.0 * step, -7200.0 / 2197.0 * step, 7296.0 / 2197.0 * step}, {k1, k2, k3}),
                stimulus);
  const Cell k5 =
      change_of(combined<4>(c, {439.0 / 216.0 * step, -8.0 * step, 3680.0 / 513.0 * step, -845.0 / 4104.0 * step},
                            {k1, k2, k3, k4}),
                stimulus);
  const Cell k6 = change_of(
      combined<5>(
          c, {-8.0 / 27.0 * step, 2.0 * step, -3544.0 / 2565.0 * step, 1859.0 / 4104.0 * step, -11.0 / 40.0 * step},
          {k1, k2, k3, k4, k5}),
      stimulus);
  const std::array<Cell, 5> changes{k1, k3, k4, k5, k6};
  const Cell error = combined<5>(
      {}, {1.0 / 360.0 * step, -128.0 / 4275.0 * step, -2197.0 / 75240.0 * step, 1.0 / 50.0 * step, 2.0 / 55.0 * step},
      changes);
  double gates = 0;
  for (int part = kX1; part < kParts; ++part) gates = std::max(gates, std::fabs(error[part]));
  return {combined<5>(c,
                      {16.0 / 135.0 * step, 6656.0 / 12825.0 * step, 28561.0 / 56430.0 * step, -9.0 / 50.0 * step,
                       2.0 / 55.0 * step},
                      changes),
          std::max(std::fabs(error[kV]), 100.0 * gates)};
}

struct Simulation {
  Cell cell;
  std::int64_t tried;
};

Simulation simulated(double stimulus) {
  Simulation now{{-84.57, 1.0e-7, 0.0001, 0.011, 0.988, 0.975, 0.003, 0.994}, 0};
  double step = 0.01;
  for (double time_left = 10.0; time_left > 0.0; ++now.tried) {
    const double taken = std::min(step, time_left);
    const Step next = fehlberg(now.cell, taken, stimulus);
    step = taken * std::clamp(0.9 * std::pow(1.0e-4 / std::max(next.error, 1.0e-12), 0.2), 0.2, 4.0);
    if (next.error > 1.0e-4) continue;
    now.cell = next.after;
    time_left -= taken;
  }
  return now;
}

}  // namespace
}  // namespace program_peers

// One cell after the other.
PROGRAM_PEER(myocyte) {
  const std::int64_t n = run.n();
  const Buffer<double> stimuli(n, [](std::int64_t i) { return 5.0 + 25.0 * unit(i); });
  const Buffer<Simulation> cells(n);
  run.time([&] {
    run.team().for_chunks(n, 8, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) cells[i] = simulated(stimuli[i]);
    });
  });
  std::int64_t tried = 0;
  double potential = 0, calcium = 0, gates = 0;
  for (const Simulation& simulation : cells) {
    const Cell& c = simulation.cell;
    tried += simulation.tried;
    potential += c[kV], calcium += 1.0e6 * c[kCalcium];
    gates += c[kX1] + c[kH] + c[kJ] + c[kD] + c[kF];
  }
  run.result(potential, calcium, gates);
  // Numbers of steps and the gates of sodium are not compared: they depend on rounding. Six changes a step, of 25
  // exponentials, which count 36 operations.
  run.cost(double(sizeof(Simulation)) * n, 6.0 * double(tried) * (25 * 36.0 + 100.0));
  run.report();
}
