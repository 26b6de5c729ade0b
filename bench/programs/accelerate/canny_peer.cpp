#include <algorithm>
#include <cstdlib>
#include <vector>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

/// A square picture whose rows have two more points on both sides, equal to the points at the edge.
class Picture {
 public:
  explicit Picture(std::int64_t n) : n_(n), points_(n * (n + 4)) {}

  /// Row i, or the nearest one.
  std::int32_t* row(std::int64_t i) const {
    return points_.data() + std::clamp<std::int64_t>(i, 0, n_ - 1) * (n_ + 4) + 2;
  }
  void extend(std::int64_t i) const {
    std::int32_t* const points = row(i);
    points[-1] = points[-2] = points[0];
    points[n_] = points[n_ + 1] = points[n_ - 1];
  }

 private:
  std::int64_t n_;
  Buffer<std::int32_t> points_;
};

/// 0 for a change to the right, 1 downwards, 2 to the lower right, 3 to the lower left.
inline std::int32_t direction(std::int32_t gx, std::int32_t gy) {
  const std::int32_t x = std::abs(gx), y = std::abs(gy);
  const std::int32_t slanting = (gx > 0) == (gy > 0) ? 2 : 3;
  return 1000 * y < 414 * x ? 0 : 414 * y > 1000 * x ? 1 : slanting;
}

void smooth_across(const std::int32_t* g, std::int64_t n, std::int32_t* out) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < n; ++j) out[j] = g[j - 2] + 4 * g[j - 1] + 6 * g[j] + 4 * g[j + 1] + g[j + 2];
}

void smooth_down(const Picture& g, std::int64_t i, std::int64_t n, std::int32_t* out) {
  const std::int32_t *a = g.row(i - 2), *b = g.row(i - 1), *c = g.row(i), *d = g.row(i + 1), *e = g.row(i + 2);
#pragma GCC ivdep
  for (std::int64_t j = 0; j < n; ++j) out[j] = (a[j] + 4 * b[j] + 6 * c[j] + 4 * d[j] + e[j]) / 256;
}

void gradients(const Picture& g, std::int64_t i, std::int64_t n, std::int32_t* sizes, std::int32_t* directions) {
  const std::int32_t *above = g.row(i - 1), *own = g.row(i), *under = g.row(i + 1);
#pragma GCC ivdep
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int32_t gx = above[j + 1] + 2 * own[j + 1] + under[j + 1] - above[j - 1] - 2 * own[j - 1] - under[j - 1];
    const std::int32_t gy = under[j - 1] + 2 * under[j] + under[j + 1] - above[j - 1] - 2 * above[j] - above[j + 1];
    sizes[j] = std::abs(gx) + std::abs(gy);
    directions[j] = direction(gx, gy);
  }
}

void classify(const Picture& sizes, const std::int32_t* directions, std::int64_t i, std::int64_t n, std::uint8_t* out) {
  const std::int32_t *above = sizes.row(i - 1), *own = sizes.row(i), *under = sizes.row(i + 1);
#pragma GCC ivdep
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int32_t d = directions[j];
    const std::int32_t before = d == 0 ? own[j - 1] : d == 1 ? above[j] : d == 2 ? above[j - 1] : above[j + 1];
    const std::int32_t behind = d == 0 ? own[j + 1] : d == 1 ? under[j] : d == 2 ? under[j + 1] : under[j - 1];
    const bool no_line = own[j] < 60 || own[j] <= before || own[j] < behind;
    out[j] = no_line ? 0 : own[j] < 120 ? 1 : 2;
  }
}

/// Makes weak points strong that hang together with strong ones.
void connect(const Buffer<std::uint8_t>& classes, std::int64_t n) {
  std::vector<std::int64_t> found;
  for (std::int64_t p = 0; p < n * n; ++p)
    if (classes[p] == 2) found.push_back(p);
  while (!found.empty()) {
    const std::int64_t i = found.back() / n, j = found.back() % n;
    found.pop_back();
    for (std::int64_t a = std::max<std::int64_t>(i - 1, 0); a <= std::min(i + 1, n - 1); ++a)
      for (std::int64_t b = std::max<std::int64_t>(j - 1, 0); b <= std::min(j + 1, n - 1); ++b)
        if (classes[a * n + b] == 1) {
          classes[a * n + b] = 2;
          found.push_back(a * n + b);
        }
  }
}

}  // namespace
}  // namespace program_peers

// A pass for each phase; the last one goes from point to point with a stack.
PROGRAM_PEER(canny) {
  const std::int64_t n = run.n(), grain = std::max<std::int64_t>(1, 65536 / n);
  const Picture picture(n), across(n), smoothed(n), sizes(n), directions(n);
  const Buffer<std::uint8_t> classes(n * n);
  const auto by_rows = [&](auto&& body) {
    run.team().for_chunks(n, grain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) body(i);
    });
  };
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) picture.row(i)[j] = below(180, (i / 20) * n + j / 20) + below(40, i * n + j);
    picture.extend(i);
  }
  run.time([&] {
    by_rows([&](std::int64_t i) { smooth_across(picture.row(i), n, across.row(i)); });
    by_rows([&](std::int64_t i) {
      smooth_down(across, i, n, smoothed.row(i));
      smoothed.extend(i);
    });
    by_rows([&](std::int64_t i) {
      gradients(smoothed, i, n, sizes.row(i), directions.row(i));
      sizes.extend(i);
    });
    by_rows([&](std::int64_t i) { classify(sizes, directions.row(i), i, n, classes.data() + i * n); });
    connect(classes, n);
  });
  std::int32_t strong = 0, weak = 0;
  std::uint32_t places = 0;
  for (std::int64_t p = 0; p < n * n; ++p) {
    strong += classes[p] == 2, weak += classes[p] == 1;
    if (classes[p] == 2) places += std::uint32_t(p);
  }
  run.result(strong, weak, std::int32_t(places));
  run.cost(41.0 * n * n, 30.0 * n * n);
  run.report();
}
