#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

/// Complex numbers as two arrays.
struct Complex {
  double *re, *im;
};

/// One pass of Stockham's algorithm with radix 4: transforms of `size` numbers, `stride` of them interleaved, become
/// transforms of a quarter of the size. `roots` are those of the whole transform, of size * stride numbers.
void pass_of_four(peers::Team& team, Complex x, Complex y, Complex roots, std::int64_t size, std::int64_t stride) {
  const std::int64_t quarter = size / 4, apart = stride * quarter;
  // Element p of interleaved transform q.
  const auto element = [&](std::int64_t p, std::int64_t q) {
    const double w1r = roots.re[p * stride], w1i = roots.im[p * stride];
    const double w2r = w1r * w1r - w1i * w1i, w2i = 2 * w1r * w1i;
    const double w3r = w1r * w2r - w1i * w2i, w3i = w1r * w2i + w1i * w2r;
    const std::int64_t from = q + stride * p, to = q + stride * 4 * p;
    const double ar = x.re[from], ai = x.im[from], br = x.re[from + apart], bi = x.im[from + apart];
    const double cr = x.re[from + 2 * apart], ci = x.im[from + 2 * apart], dr = x.re[from + 3 * apart],
                 di = x.im[from + 3 * apart];
    const double sr = ar + cr, si = ai + ci, tr = ar - cr, ti = ai - ci;
    // u = b + d, v = i (b - d)
    const double ur = br + dr, ui = bi + di, vr = di - bi, vi = br - dr;
    y.re[to] = sr + ur, y.im[to] = si + ui;
    const double er = tr + vr, ei = ti + vi, fr = sr - ur, fi = si - ui, gr = tr - vr, gi = ti - vi;
    y.re[to + stride] = w1r * er - w1i * ei, y.im[to + stride] = w1r * ei + w1i * er;
    y.re[to + 2 * stride] = w2r * fr - w2i * fi, y.im[to + 2 * stride] = w2r * fi + w2i * fr;
    y.re[to + 3 * stride] = w3r * gr - w3i * gi, y.im[to + 3 * stride] = w3r * gi + w3i * gr;
  };
  if (quarter >= stride) {
    team.for_chunks(quarter, std::max<std::int64_t>(1, 16384 / stride),
                    [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                      if (stride < 8) {
                        for (std::int64_t q = 0; q < stride; ++q)
#pragma GCC ivdep
                          for (std::int64_t p = begin; p < end; ++p) element(p, q);
                        return;
                      }
                      for (std::int64_t p = begin; p < end; ++p)
#pragma GCC ivdep
                        for (std::int64_t q = 0; q < stride; ++q) element(p, q);
                    });
  } else {
    team.for_chunks(stride, std::max<std::int64_t>(64, 16384 / quarter),
                    [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                      for (std::int64_t p = 0; p < quarter; ++p)
#pragma GCC ivdep
                        for (std::int64_t q = begin; q < end; ++q) element(p, q);
                    });
  }
}

/// The last pass, of transforms of two numbers.
void pass_of_two(peers::Team& team, Complex x, Complex y, std::int64_t stride) {
  team.for_chunks(stride, 16384, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
    for (std::int64_t q = begin; q < end; ++q) {
      const double ar = x.re[q], ai = x.im[q], br = x.re[q + stride], bi = x.im[q + stride];
      y.re[q] = ar + br, y.im[q] = ai + bi;
      y.re[q + stride] = ar - br, y.im[q + stride] = ai - bi;
    }
  });
}

}  // namespace
}  // namespace program_peers

// Stockham's algorithm with radix 4, without bit reversal and without recursion.
PROGRAM_PEER(fft) {
  const std::int64_t n = std::int64_t(1) << run.n();
  const Buffer<double> re(n, unit), im(n, [&](std::int64_t i) { return unit(n + i); });
  const auto angle = [&](std::int64_t i) { return 2 * 3.141592653589793 * double(i) / double(n); };
  const Buffer<double> root_re(n / 2, [&](std::int64_t i) { return std::cos(angle(i)); }),
      root_im(n / 2, [&](std::int64_t i) { return std::sin(angle(i)); });
  const Buffer<double> a_re(n), a_im(n), b_re(n), b_im(n);
  const Complex roots{root_re.data(), root_im.data()};
  Complex from{}, to{};
  run.time([&] {
    from = {re.data(), im.data()};
    to = {a_re.data(), a_im.data()};
    Complex other{b_re.data(), b_im.data()};
    std::int64_t stride = 1;
    const auto turn = [&] {
      from = to;
      std::swap(to, other);
    };
    for (std::int64_t size = n; size >= 4; size /= 4, stride *= 4) {
      pass_of_four(run.team(), from, to, roots, size, stride);
      turn();
    }
    if (stride < n) {
      pass_of_two(run.team(), from, to, stride);
      turn();
    }
  });
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += from.re[i] * from.re[i] + from.im[i] * from.im[i];
  run.result(total, from.re[1], from.im[n / 3]);
  const double passes = std::ceil(double(run.n()) / 2);
  run.cost(passes * 32.0 * n + 16.0 * n / 2, passes * n * 34.0 / 4);
  run.report();
}
