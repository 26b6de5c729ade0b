#include <algorithm>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr int kShops = 50, kArticles = 100;

struct Sale {
  std::int32_t shop, article;
  double amount;
};

/// The sales of one article in one shop: their number and sum, and the largest three, in descending order, or zeros.
struct Group {
  std::int64_t count;
  double sum, first, second, third;
};

void add(Group& group, double amount) {
  ++group.count;
  group.sum += amount;
  if (amount <= group.third) return;
  group.third = std::min(group.second, amount);
  group.second = std::max(group.second, std::min(group.first, amount));
  group.first = std::max(group.first, amount);
}

}  // namespace
}  // namespace program_peers

// One pass, with a table of all shops and articles.
PROGRAM_PEER(group_statistics) {
  const std::int64_t n = run.n();
  const Buffer<Sale> sales(n, [](std::int64_t i) {
    return Sale{below(kShops, 4 * i), below(1 + below(kArticles, 4 * i + 1), 4 * i + 2), 100.0 * unit(4 * i + 3)};
  });
  const Buffer<Group> groups(kShops * kArticles);
  run.time([&] {
    std::fill(groups.begin(), groups.end(), Group{});
    for (const Sale& sale : sales) add(groups[sale.shop * kArticles + sale.article], sale.amount);
  });
  std::int64_t count = 0;
  double means = 0, most = 0, three = 0;
  for (std::int64_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    if (group.count == 0) continue;
    ++count;
    means += group.sum / double(group.count);
    most += group.first;
    three += (group.first + group.second + group.third) * double(g / kArticles);
  }
  run.result(count, means, most, three);
  run.cost(16.0 * n + 40.0 * double(groups.size()), 3.0 * n);
  run.report();
}
