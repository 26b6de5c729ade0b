#include <algorithm>
#include <array>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr int kColumns = 8, kValues = 16;

using Row = std::array<std::int32_t, kColumns>;

struct Example {
  Row row;
  std::int32_t its_class;
};

struct Question {
  Row row;
  std::int32_t index;
};

Row make_row(std::int64_t i) {
  Row row;
  for (int j = 0; j < kColumns; ++j) row[j] = below(kValues, 8 * i + j);
  return row;
}

std::int32_t class_of(const Row& row, std::int64_t i, std::int32_t rarity) {
  if (below(20, i) == 0 || below(rarity, 7 * i) > 0) return 0;
  return (row[0] + row[1] > 14) != (row[2] > 9 && row[3] < 8) ? 1 : 0;
}

/// High if most of the rows, of which so many are in each class, are in one class.
double purity(std::int32_t zeros, std::int32_t ones) {
  return zeros + ones == 0 ? 0.0 : (double(zeros) * zeros + double(ones) * ones) / double(zeros + ones);
}

struct Split {
  int column = 0, bound = 0;
  double purity = -1;
};

/// The first split after which both sides together are purest.
Split best_split(const Example* examples, std::int64_t n) {
  std::array<std::array<std::array<std::int32_t, 2>, kValues>, kColumns> counts{};
  for (std::int64_t i = 0; i < n; ++i)
    for (int j = 0; j < kColumns; ++j) ++counts[j][examples[i].row[j]][examples[i].its_class];
  Split best;
  for (int j = 0; j < kColumns; ++j) {
    std::int32_t all_zeros = 0, all_ones = 0;
    for (const auto& [zeros, ones] : counts[j]) all_zeros += zeros, all_ones += ones;
    std::int32_t a = 0, b = 0;
    for (int v = 0; v < kValues; ++v) {
      const double both = purity(a, b) + purity(all_zeros - a, all_ones - b);
      if (both > best.purity) best = {j, v, both};
      a += counts[j][v][0], b += counts[j][v][1];
    }
  }
  return best;
}

/// Classifies the questions from the examples. Changes the order of both.
void classify(Example* examples, std::int64_t n, Question* questions, std::int64_t asked,
              const Buffer<std::int32_t>& classes) {
  const std::int64_t ones = std::count_if(examples, examples + n, [](const Example& e) { return e.its_class == 1; });
  Split split;
  if (asked > 0 && n >= 10 && ones > 0 && ones < n) split = best_split(examples, n);
  if (split.purity < 1.0 + purity(std::int32_t(n - ones), std::int32_t(ones))) {
    for (std::int64_t i = 0; i < asked; ++i) classes[questions[i].index] = 2 * ones > n ? 1 : 0;
    return;
  }
  const auto left = [&](const auto& of) { return of.row[split.column] < split.bound; };
  const std::int64_t left_n = std::partition(examples, examples + n, left) - examples;
  const std::int64_t left_asked = std::partition(questions, questions + asked, left) - questions;
  classify(examples, left_n, questions, left_asked, classes);
  classify(examples + left_n, n - left_n, questions + left_asked, asked - left_asked, classes);
}

}  // namespace
}  // namespace program_peers

// Depth first, with examples and questions partitioned in place.
PROGRAM_PEER(decision_tree) {
  const std::int64_t n = run.n();
  const Buffer<Example> given(n, [&](std::int64_t i) {
    const Row row = make_row(i);
    return Example{row, class_of(row, i, std::int32_t(run.argument(0)))};
  });
  const Buffer<Question> asked(n, [&](std::int64_t i) { return Question{make_row(n + i), std::int32_t(i)}; });
  const Buffer<Example> examples(n);
  const Buffer<Question> questions(n);
  const Buffer<std::int32_t> classes(n);
  run.time([&] {
    std::copy(given.begin(), given.end(), examples.begin());
    std::copy(asked.begin(), asked.end(), questions.begin());
    classify(examples.data(), n, questions.data(), n, classes);
  });
  std::uint32_t sum = 0;
  std::int32_t ones = 0;
  for (std::int64_t i = 0; i < n; ++i) ones += classes[i], sum += std::uint32_t(classes[i]) * std::uint32_t(i);
  run.result(ones, std::int32_t(sum));
  // Bytes: examples and questions read and written once, the classes. Operations: a count for each number on ten
  // levels.
  run.cost(72.0 * 2 * n + 4.0 * n, 10.0 * kColumns * n);
  run.report();
}
