#include <algorithm>
#include <vector>

#include "../frame/peer_run.h"
#include "../frame/ragged_rows.h"

namespace program_peers {
namespace {

struct Entry {
  std::int32_t column;
  double value;
};

RaggedRows<Entry> random_matrix(std::int64_t n, std::int64_t seed) {
  return {n, [seed](std::int64_t i) { return 1 + below(15, i + seed); },
          [n, seed](std::int64_t i, std::int32_t j) {
            return Entry{below(std::int32_t(n), 16 * i + j + seed), unit(16 * i + j - seed)};
          }};
}

}  // namespace
}  // namespace program_peers

// Gustavson's method: a table says where the entry of each column is in the present row. Columns of a row are in the
// order of their first terms. The entries of a thread are consecutive.
PROGRAM_PEER(sparse_product) {
  const std::int64_t n = run.n(), threads = run.team().threads(), grain = (n + threads - 1) / threads;
  const RaggedRows<Entry> a = random_matrix(n, 1), b = random_matrix(n, 2);
  // Number of the terms of all rows before each row.
  std::vector<std::int64_t> terms(n + 1, 0);
  for (std::int64_t i = 0; i < n; ++i) {
    terms[i + 1] = terms[i];
    for (const Entry& x : a[i]) terms[i + 1] += std::int64_t(b[x.column].size());
  }
  const Buffer<Entry> product(terms[n]);
  const Buffer<std::int32_t> places(threads * n), begins(n), ends(n);
  run.time([&] {
    run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t first, std::int64_t last) {
      std::int32_t* place = places.data() + chunk * n;
      std::fill_n(place, n, -1);
      auto at = std::int32_t(terms[first]);
      for (std::int64_t i = first; i < last; ++i) {
        const std::int32_t begin = at;
        for (const Entry& x : a[i])
          for (const Entry& y : b[x.column]) {
            std::int32_t& entry = place[y.column];
            if (entry < begin) {
              entry = at;
              product[at++] = {y.column, x.value * y.value};
            } else {
              product[entry].value += x.value * y.value;
            }
          }
        begins[i] = begin;
        ends[i] = at;
      }
    });
  });
  std::int64_t count = 0;
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    count += ends[i] - begins[i];
    for (std::int64_t e = begins[i]; e < ends[i]; ++e) total += product[e].value * double(1 + product[e].column % 10);
  }
  run.result(count, total);
  run.cost(16.0 * double(a.elements.size() + b.elements.size() + count) + 8.0 * n, 2.0 * double(terms[n]));
  run.report();
}
