#include "messages/traffic_profile.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace cvl::mpi {

namespace {

/// The figures of an operation that differ between ranks.
struct RankFigures {
  std::int64_t messages = 0, bytes = 0;
  double seconds = 0;
};

/// A line of the table.
struct Line {
  std::string_view operation;
  std::int64_t calls = 0, rounds = 0, collectives = 0;
  std::int64_t most_messages = 0, most_bytes = 0, all_bytes = 0;
  double least_seconds = 0, most_seconds = 0;

  std::string text() const {
    return fmt::format("{:<18}{:>10}{:>10}{:>13}{:>14}{:>16}{:>16}{:>12.3f}{:>12.3f}\n", operation, calls, rounds,
                       collectives, most_messages, most_bytes, all_bytes, 1e3 * least_seconds, 1e3 * most_seconds);
  }
};

}  // namespace

void TrafficProfile::add(std::string_view operation, const MessageCounts& counts, double seconds) {
  work_seconds_ += seconds - counts.seconds;
  if (counts.rounds == 0) return;
  Row& row = rows_[operation];
  ++row.calls;
  row.counts += counts;
}

std::string TrafficProfile::table() const {
  // The last figures are those of all operations.
  std::vector<RankFigures> mine;
  Row all;
  const auto figures_of = [](const Row& row) {
    return RankFigures{row.counts.messages, row.counts.bytes, row.counts.seconds};
  };
  std::vector<Line> lines;
  const auto add_line = [&](std::string_view operation, const Row& row) {
    mine.push_back(figures_of(row));
    lines.push_back({operation, row.calls, row.counts.rounds, row.counts.collectives});
  };
  for (const auto& [operation, row] : rows_) {
    add_line(operation, row);
    all.calls += row.calls;
    all.counts += row.counts;
  }
  add_line("all", all);

  const auto ranks = static_cast<std::size_t>(messenger_.ranks());
  std::vector<RankFigures> figures(ranks * mine.size());
  messenger_.gather_to_all(mine.data(), std::vector<std::size_t>(ranks, mine.size() * sizeof(RankFigures)),
                           figures.data());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    Line& line = lines[k];
    line.least_seconds = line.most_seconds = figures[k].seconds;
    for (std::size_t r = 0; r < ranks; ++r) {
      const RankFigures& of_rank = figures[r * lines.size() + k];
      line.most_messages = std::max(line.most_messages, of_rank.messages);
      line.most_bytes = std::max(line.most_bytes, of_rank.bytes);
      line.all_bytes += of_rank.bytes;
      line.least_seconds = std::min(line.least_seconds, of_rank.seconds);
      line.most_seconds = std::max(line.most_seconds, of_rank.seconds);
    }
  }
  std::stable_sort(lines.begin(), std::prev(lines.end()),
                   [](const Line& a, const Line& b) { return a.all_bytes > b.all_bytes; });
  std::string table =
      fmt::format("{:<18}{:>10}{:>10}{:>13}{:>14}{:>16}{:>16}{:>12}{:>12}\n", "messages of", "calls", "rounds",
                  "collectives", "of a rank", "bytes of a rank", "bytes of all", "ms, least", "ms, most");
  for (const Line& line : lines) table += line.text();
  const std::vector<double> work = messenger_.gather_to_all(work_seconds_);
  const auto [least, most] = std::ranges::minmax_element(work);
  const double mean = std::reduce(work.begin(), work.end()) / static_cast<double>(work.size());
  return table + fmt::format(
                     "work of a rank in operations, ms: least {:.3f} (rank {}), most {:.3f} (rank {}), which is "
                     "{:.2f} times the mean\n",
                     1e3 * *least, least - work.begin(), 1e3 * *most, most - work.begin(),
                     mean > 0 ? *most / mean : 1.0);
}

}  // namespace cvl::mpi
