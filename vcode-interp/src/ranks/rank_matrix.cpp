#include "ranks/rank_matrix.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "files/matrix_market.h"
#include "ranks/rank_npy.h"

namespace interp {

namespace {

/// The rows of a matrix in groups of about as many rows, which are dealt to ranks whole.
class RowGroups {
 public:
  RowGroups(std::int64_t rows, int ranks) : rows_(rows), groups_(std::min(rows, kGroupsOfRank * ranks)) {}

  std::int64_t count() const { return groups_; }
  /// The first row of a group; also for the number behind the last one.
  std::int64_t begin(std::int64_t group) const { return rows_ * group / groups_; }
  std::int64_t of(std::int64_t row) const { return ((row + 1) * groups_ - 1) / rows_; }
  /// Deals consecutive groups, with so many entries, so that ranks get about as much memory: for each rank, and behind
  /// the last one, the first group.
  std::vector<std::int64_t> deal(const std::vector<std::int64_t>& entries, int ranks) const {
    std::vector<std::int64_t> weights(entries.size() + 1), first{0};
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto group = static_cast<std::int64_t>(k);
      // An entry is a column and a number, a row its length.
      weights[k + 1] = weights[k] + 2 * entries[k] + begin(group + 1) - begin(group);
    }
    for (int r = 1; r < ranks; ++r) {
      const std::int64_t share = weights.back() / ranks * r;
      first.push_back(std::ranges::lower_bound(weights, share) - weights.begin());
    }
    first.push_back(groups_);
    return first;
  }

 private:
  static constexpr std::int64_t kGroupsOfRank = 256;

  std::int64_t rows_, groups_;
};

/// The entries of the groups first[r] to before first[r + 1] on each rank r, those of ranks before others first.
/// counts: the entries of each group, for each rank.
FileElements<MatrixEntry> exchange(cvl::RankJob& job, const RowGroups& groups, const std::vector<std::int64_t>& counts,
                                   const std::vector<std::int64_t>& first, const FileElements<MatrixEntry>& entries) {
  const auto ranks = static_cast<std::size_t>(job.ranks()), self = static_cast<std::size_t>(job.rank());
  const auto count = [&](std::size_t from, std::size_t to) {
    const auto of_rank = counts.begin() + static_cast<std::int64_t>(from) * groups.count();
    return static_cast<std::size_t>(std::reduce(of_rank + first[to], of_rank + first[to + 1]));
  };
  std::vector<std::size_t> sent, received, next;
  std::size_t all_sent = 0, all_received = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    next.push_back(all_sent);
    all_sent += count(self, r);
    all_received += count(r, self);
    sent.push_back(count(self, r) * sizeof(MatrixEntry));
    received.push_back(count(r, self) * sizeof(MatrixEntry));
  }
  FileElements<MatrixEntry> from(all_sent, entries.get_allocator()), to(all_received, entries.get_allocator());
  std::vector<std::size_t> rank_of(static_cast<std::size_t>(groups.count()));
  for (std::size_t r = 0; r < ranks; ++r) std::fill(rank_of.begin() + first[r], rank_of.begin() + first[r + 1], r);
  for (const MatrixEntry& entry : entries)
    from[next[rank_of[static_cast<std::size_t>(groups.of(entry.row))]]++] = entry;
  job.exchange(from.data(), sent, to.data(), received);
  return to;
}

}  // namespace

std::optional<FileValue> read_matrix_in_parts(cvl::RankJob& job, const FileRequest& request, const SharedFile& file) {
  std::optional<MatrixPart> part;
  // Rank 0 reads a file with mistakes from its beginning, and tells the first one.
  const auto try_part = [&](const auto& work) {
    return agree_on_part(job, [&] {
      try {
        work();
      } catch (const FileError&) {
        throw NotInParts();
      } catch (const std::bad_alloc&) {
        throw NotInParts();
      }
    });
  };
  const auto rank = static_cast<std::size_t>(job.rank());
  if (!try_part([&] { part.emplace(request, file, rank, static_cast<std::size_t>(job.ranks())); })) return std::nullopt;
  const std::vector<std::int64_t> all = job.gather(part->count());
  const MatrixHead head = part->head();
  if (std::reduce(all.begin(), all.end()) != head.promised || head.rows == 0) return std::nullopt;

  const RowGroups groups(head.rows, job.ranks());
  FileElements<MatrixEntry> entries(request.memory);
  std::vector<std::int64_t> mine(static_cast<std::size_t>(groups.count()));
  if (!try_part([&] {
        entries = part->take_entries(std::reduce(all.begin(), all.begin() + job.rank()));
        for (const MatrixEntry& entry : entries) ++mine[static_cast<std::size_t>(groups.of(entry.row))];
      }))
    return std::nullopt;
  part.reset();
  const std::vector<std::size_t> bytes(static_cast<std::size_t>(job.ranks()), mine.size() * sizeof(std::int64_t));
  std::vector<std::int64_t> counts(mine.size() * bytes.size()), of_all(mine.size());
  job.gather(mine.data(), bytes, counts.data());
  for (std::size_t k = 0; k < counts.size(); ++k) of_all[k % of_all.size()] += counts[k];
  const std::vector<std::int64_t> first = groups.deal(of_all, job.ranks());
  entries = exchange(job, groups, counts, first, entries);
  std::optional<FileValue> value;
  const auto row = [&](std::size_t of_rank) { return groups.begin(first[of_rank]); };
  const bool is_good = try_part([&] { value = matrix_by_rows(request, std::move(entries), row(rank), row(rank + 1)); });
  return is_good ? std::move(value) : std::nullopt;
}

}  // namespace interp
