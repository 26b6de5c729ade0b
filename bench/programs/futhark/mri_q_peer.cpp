#include <array>
#include <cmath>

#include "../frame/peer_run.h"

// All angles of a voxel first, then their cosines and sines in loops of their own, which the compiler vectorises.
PROGRAM_PEER(mri_q) {
  constexpr std::int64_t kSamples = 512;
  constexpr double kTurn = 2.0 * 3.14159265358979323846;
  const std::int64_t n = run.n();
  const auto place = [&](int c) { return Buffer<double>(n, [c](std::int64_t i) { return unit(3 * i + c) - 0.5; }); };
  const auto frequency = [](int c) {
    return Buffer<double>(kSamples, [c](std::int64_t k) { return 8.0 * unit(-5 * k - c) - 4.0; });
  };
  const Buffer<double> xs = place(0), ys = place(1), zs = place(2);
  const Buffer<double> kx = frequency(0), ky = frequency(1), kz = frequency(2);
  const Buffer<double> re(kSamples, [](std::int64_t k) { return unit(-5 * k - 3); });
  const Buffer<double> im(kSamples, [](std::int64_t k) { return unit(-5 * k - 4); });
  const Buffer<double> squares(kSamples), real(n), imaginary(n);
  run.time([&] {
    for (std::int64_t k = 0; k < kSamples; ++k) squares[k] = re[k] * re[k] + im[k] * im[k];
    run.team().for_chunks(n, 64, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      std::array<double, kSamples> angles;
      for (std::int64_t i = begin; i < end; ++i) {
        const double x = kTurn * xs[i], y = kTurn * ys[i], z = kTurn * zs[i];
        for (std::int64_t k = 0; k < kSamples; ++k) angles[k] = kx[k] * x + ky[k] * y + kz[k] * z;
        double cosines = 0, sines = 0;
        for (std::int64_t k = 0; k < kSamples; ++k) cosines += squares[k] * std::cos(angles[k]);
        for (std::int64_t k = 0; k < kSamples; ++k) sines += squares[k] * std::sin(angles[k]);
        real[i] = cosines, imaginary[i] = sines;
      }
    });
  });
  double reals = 0, real_magnitudes = 0, imaginary_magnitudes = 0;
  for (const double x : real) reals += x, real_magnitudes += std::fabs(x);
  for (const double x : imaginary) imaginary_magnitudes += std::fabs(x);
  run.result(real_magnitudes, imaginary_magnitudes, reals);
  // Cosines and sines count 36 operations.
  run.cost(40.0 * n, double(n) * kSamples * (2 * 36.0 + 10.0));
  run.report();
}
