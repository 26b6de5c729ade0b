// Programs of bench/programs with ParlayLib, which parlay_programs.py compiles and calls with arrays of NumPy. Results
// go to arrays that the caller has made; a function whose results are of any number returns it.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <parlay/parallel.h>
#include <parlay/primitives.h>
#include <parlay/sequence.h>

namespace {

using Int = std::int64_t;
using parlay::parallel_for;

double normal(double x) {
  const double k = 1.0 / (1.0 + 0.2316419 * std::abs(x));
  const double p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  const double tail = 0.3989422804014327 * std::exp(-0.5 * x * x) * p;
  return x < 0.0 ? tail : 1.0 - tail;
}

struct Point {
  double x = 0, y = 0, z = 0, count = 0;
};

}  // namespace

extern "C" {

void dot_product(Int n, const double* v, const double* w, double* result) {
  *result =
      parlay::reduce(parlay::delayed_tabulate(static_cast<std::size_t>(n), [&](std::size_t k) { return v[k] * w[k]; }));
}

void black_scholes(Int n, const double* spot, const double* strike, const double* years, double* calls, double* puts) {
  parallel_for(0, static_cast<std::size_t>(n), [&](std::size_t k) {
    const double spread = 0.3 * std::sqrt(years[k]);
    const double d1 = (std::log(spot[k] / strike[k]) + (0.02 + 0.5 * 0.3 * 0.3) * years[k]) / spread;
    const double discounted = strike[k] * std::exp(-0.02 * years[k]);
    calls[k] = spot[k] * normal(d1) - discounted * normal(d1 - spread);
    puts[k] = calls[k] - spot[k] + discounted;
  });
}

void sparse_matrix(Int rows, const Int* offsets, const Int* columns, const double* values, const double* vector,
                   double* result) {
  parallel_for(0, static_cast<std::size_t>(rows), [&](std::size_t row) {
    double sum = 0;
    for (Int k = offsets[row]; k < offsets[row + 1]; ++k) sum += values[k] * vector[columns[k]];
    result[row] = sum;
  });
}

void n_body(Int n, const double* x, const double* y, const double* z, double* fx, double* fy, double* fz) {
  parallel_for(0, static_cast<std::size_t>(n), [&](std::size_t i) {
    double px = 0, py = 0, pz = 0;
    for (Int j = 0; j < n; ++j) {
      const double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      const double square = dx * dx + dy * dy + dz * dz + 1.0e-3, strength = 1.0 / (square * std::sqrt(square));
      px += strength * dx, py += strength * dy, pz += strength * dz;
    }
    fx[i] = px, fy[i] = py, fz[i] = pz;
  });
}

void mandelbrot(Int n, Int* counts) {
  const double h = 2.5 / static_cast<double>(n);
  parallel_for(0, static_cast<std::size_t>(n * n), [&](std::size_t point) {
    const double a = static_cast<double>(static_cast<Int>(point) % n) * h - 1.75;
    const double b = static_cast<double>(static_cast<Int>(point) / n) * h - 1.25;
    double x = 0, y = 0;
    Int k = 0;
    for (; k < 100 && x * x + y * y <= 4.0; ++k) {
      const double next = x * x - y * y + a;
      y = 2.0 * x * y + b;
      x = next;
    }
    counts[point] = k;
  });
}

void k_means(Int n, const double* x, const double* y, const double* z, double* cx, double* cy, double* cz) {
  for (int c = 0; c < 10; ++c) cx[c] = x[c], cy[c] = y[c], cz[c] = z[c];
  const auto nearest = [&](std::size_t k) {
    int best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int c = 0; c < 10; ++c) {
      const double dx = x[k] - cx[c], dy = y[k] - cy[c], dz = z[k] - cz[c], square = dx * dx + dy * dy + dz * dz;
      if (square < least) least = square, best = c;
    }
    return best;
  };
  const auto add = [](const Point& a, const Point& b) {
    return Point{a.x + b.x, a.y + b.y, a.z + b.z, a.count + b.count};
  };
  for (int round = 0; round < 5; ++round) {
    const auto members = parlay::tabulate(static_cast<std::size_t>(n), [&](std::size_t k) {
      return std::pair(static_cast<unsigned>(nearest(k)), Point{x[k], y[k], z[k], 1});
    });
    const auto sums = parlay::reduce_by_index(members, 10, parlay::binary_op(add, Point{}));
    for (std::size_t c = 0; c < 10; ++c)
      cx[c] = sums[c].x / sums[c].count, cy[c] = sums[c].y / sums[c].count, cz[c] = sums[c].z / sums[c].count;
  }
}

void histogram(Int n, const Int* values, Int* counts) {
  const auto keys = parlay::delayed_tabulate(static_cast<std::size_t>(n),
                                             [&](std::size_t k) { return static_cast<unsigned>(values[k]); });
  const auto found = parlay::histogram_by_index(keys, 1000u);
  for (std::size_t c = 0; c < found.size(); ++c) counts[c] = static_cast<Int>(found[c]);
}

void floyd_warshall(Int side, Int* lengths) {
  const auto n = static_cast<std::size_t>(side);
  for (std::size_t k = 0; k < n; ++k)
    parallel_for(0, n, [&](std::size_t i) {
      const Int to_k = lengths[i * n + k];
      for (std::size_t j = 0; j < n; ++j) lengths[i * n + j] = std::min(lengths[i * n + j], to_k + lengths[k * n + j]);
    });
}

void breadth_first(Int vertices, const Int* offsets, const Int* targets, Int* distances) {
  const auto n = static_cast<std::size_t>(vertices);
  parlay::sequence<std::atomic<Int>> found =
      parlay::tabulate<std::atomic<Int>>(n, [](std::size_t v) { return v == 0 ? 0 : -1; });
  parlay::sequence<Int> frontier(1, 0);
  for (Int distance = 1; !frontier.empty(); ++distance) {
    const auto reached = parlay::flatten(parlay::map(frontier, [&](Int v) {
      return parlay::to_sequence(parlay::make_slice(targets + offsets[v], targets + offsets[v + 1]));
    }));
    frontier = parlay::filter(reached, [&](Int v) {
      Int none = -1;
      auto& own = found[static_cast<std::size_t>(v)];
      return own.load() < 0 && own.compare_exchange_strong(none, distance);
    });
  }
  parallel_for(0, n, [&](std::size_t v) { distances[v] = found[v]; });
}

void triangles(Int vertices, const Int* offsets, const Int* targets, Int* counts) {
  parallel_for(0, static_cast<std::size_t>(vertices), [&](std::size_t u) {
    Int count = 0;
    for (Int e = offsets[u]; e < offsets[u + 1]; ++e) {
      const Int end = offsets[targets[e] + 1];
      for (Int i = offsets[u], j = offsets[targets[e]]; i < offsets[u + 1] && j < end;) {
        const Int a = targets[i], b = targets[j];
        count += a == b, i += a <= b, j += b <= a;
      }
    }
    counts[u] = count;
  });
}

void library_sort(Int n, const Int* keys, Int* sorted) {
  const auto found = parlay::sort(parlay::make_slice(keys, keys + n));
  parallel_for(0, found.size(), [&](std::size_t k) { sorted[k] = found[k]; });
}

Int remove_duplicates(Int n, const Int* values, Int* different) {
  const auto found = parlay::remove_duplicates(parlay::make_slice(values, values + n));
  parallel_for(0, found.size(), [&](std::size_t k) { different[k] = found[k]; });
  return static_cast<Int>(found.size());
}

Int word_count(Int n, const char* text, Int* lengths, Int* counts) {
  const auto words = parlay::tokens(parlay::make_slice(text, text + n), [](char c) { return c == ' '; });
  const auto found = parlay::histogram_by_key<Int>(words);
  parallel_for(0, found.size(), [&](std::size_t k) {
    lengths[k] = static_cast<Int>(found[k].first.size());
    counts[k] = found[k].second;
  });
  return static_cast<Int>(found.size());
}

}  // extern "C"
