#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr int kShares = 3, kDates = 8, kBits = 30;
using Directions = std::array<std::int32_t, kBits>;

/// The direction numbers of a primitive polynomial of this degree with these inner coefficients; random odd numbers are
/// first.
Directions directions_of(int degree, int inner, std::int64_t seed) {
  Directions numbers;
  for (int k = 0; k < kBits; ++k) {
    if (degree == 0) {
      numbers[k] = 1;
    } else if (k < degree) {
      numbers[k] = 1 + 2 * below(1 << k, seed + k);
    } else {
      numbers[k] = numbers[k - degree] ^ (numbers[k - degree] << degree);
      for (int j = 1; j < degree; ++j)
        if ((inner >> (degree - 1 - j)) & 1) numbers[k] ^= numbers[k - j] << j;
    }
  }
  for (int k = 0; k < kBits; ++k) numbers[k] <<= kBits - 1 - k;
  return numbers;
}

double sobol(std::uint32_t i, const Directions& directions) {
  std::int32_t number = 0;
  for (std::uint32_t gray = i ^ (i >> 1); gray != 0; gray &= gray - 1) number ^= directions[std::countr_zero(gray)];
  return double(number) / 1073741824.0;
}

double tail(double q) {
  return (((((-7.784894002430293e-3 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734) * q +
           4.374664141464968) *
              q +
          2.938163982698783) /
         ((((7.784695709041462e-3 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q +
          1.0);
}

double middle(double q) {
  const double r = q * q;
  return (((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.3577518672690) * r -
           30.66479806614716) *
              r +
          2.506628277459239) *
         q /
         (((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r -
           13.28068155288572) *
              r +
          1.0);
}

/// The inverse of the normal distribution, by Acklam's approximation.
double inverse_normal(double p) {
  if (p < 0.02425) return tail(std::sqrt(-2.0 * std::log(p)));
  if (p > 0.97575) return -tail(std::sqrt(-2.0 * std::log(1.0 - p)));
  return middle(p - 0.5);
}

constexpr double kYears = 2.0, kRate = 0.03;
constexpr std::array<double, kShares> kVolatilities{0.2, 0.25, 0.3};
constexpr double kMixing[kShares][kShares] = {
    {1.0, 0.0, 0.0}, {0.5, 0.8660254037844386, 0.0}, {0.4, 0.3, 0.8660254037844386}};
using Dates = std::array<double, kDates>;

/// A Brownian motion at eight dates, the last one first, then those in the middle between dates that are known.
Dates bridge(const Dates& normals) {
  std::array<double, kDates + 1> points{};
  points[kDates] = std::sqrt(kYears) * normals[0];
  double width = kYears;
  int used = 1;
  for (int step = kDates; step > 1; step /= 2, width *= 0.5)
    for (int left = 0; left < kDates; left += step)
      points[left + step / 2] = 0.5 * (points[left] + points[left + step]) + 0.5 * std::sqrt(width) * normals[used++];
  Dates motion;
  std::copy_n(points.begin() + 1, kDates, motion.begin());
  return motion;
}

struct Sums {
  double payoffs = 0, first = 0;
};

void add_path(std::uint32_t i, const std::array<std::array<Directions, kDates>, kShares>& directions, Sums& sums) {
  std::array<Dates, kShares> motions;
  for (int share = 0; share < kShares; ++share) {
    Dates normals;
    for (int k = 0; k < kDates; ++k) normals[k] = inverse_normal(sobol(i, directions[share][k]));
    motions[share] = bridge(normals);
  }
  double lowest = 1e300, worst = 1e300;
  for (int share = 0; share < kShares; ++share) {
    const double v = kVolatilities[share], drift = (kRate - 0.5 * v * v) * kYears / double(kDates);
    double price = 0;
    for (int k = 0; k < kDates; ++k) {
      double moved = 0;
      for (int other = 0; other < kShares; ++other) moved += kMixing[share][other] * motions[other][k];
      price = std::exp(drift * double(k + 1) + v * moved);
      lowest = std::min(lowest, price);
    }
    worst = std::min(worst, price);
    if (share == 0) sums.first += price;
  }
  if (lowest >= 0.7) sums.payoffs += std::max(0.0, worst - 1.0);
}

constexpr std::array<std::array<int, 2>, kShares * kDates> kPolynomials{
    {{0, 0},  {1, 0}, {2, 1},  {3, 1},  {3, 2},  {4, 1},  {4, 4},  {5, 2}, {5, 4}, {5, 7}, {5, 11}, {5, 13},
     {5, 14}, {6, 1}, {6, 13}, {6, 16}, {6, 19}, {6, 22}, {6, 25}, {7, 1}, {7, 4}, {7, 7}, {7, 8},  {7, 14}}};

}  // namespace
}  // namespace program_peers

// One path after the other, without memory for paths.
PROGRAM_PEER(option_pricing) {
  constexpr std::int64_t kGrain = 1024;
  const std::int64_t n = run.n();
  std::array<std::array<Directions, kDates>, kShares> directions;
  for (int k = 0; k < kShares * kDates; ++k)
    directions[k % kShares][k / kShares] = directions_of(kPolynomials[k][0], kPolynomials[k][1], 8 * k);
  const Buffer<Sums> parts((n + kGrain - 1) / kGrain);
  run.time([&] {
    run.team().for_chunks(n, kGrain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      Sums sums;
      for (std::int64_t i = begin; i < end; ++i) add_path(std::uint32_t(i + 1), directions, sums);
      parts[chunk] = sums;
    });
  });
  Sums all;
  for (const Sums& part : parts) all.payoffs += part.payoffs, all.first += part.first;
  const double discount = std::exp(-kRate * kYears);
  run.result(discount * all.payoffs / double(n), std::lround(1000.0 * discount * all.first / double(n)));
  // exp counts 36 operations, an inverse normal 20, the bits of a Sobol number 20.
  run.cost(0.0, double(n) * kShares * kDates * (36.0 + 20.0 + 20.0 + 8.0));
  run.report();
}
