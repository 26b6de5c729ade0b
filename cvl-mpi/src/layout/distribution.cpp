#include "layout/distribution.h"

#include "base/check.h"

namespace cvl::mpi {

namespace {

/// floor(count * rank / ranks), for any count.
std::int64_t share_begin(std::int64_t count, int rank, int ranks) {
  return static_cast<std::int64_t>(static_cast<__int128>(count) * rank / ranks);
}

}  // namespace

Distribution::Distribution(int ranks, std::int64_t block) : ranks_(ranks), block_(block) {
  VC_CHECK(ranks > 0 && block > 0);
}

Range Distribution::part(std::int64_t length, int rank) const {
  if (!is_divided(length)) return {0, length};
  const std::int64_t blocks = (length - 1) / block_ + 1;
  const auto begin = [&](int r) { return r == ranks_ ? length : share_begin(blocks, r, ranks_) * block_; };
  return {begin(rank), begin(rank + 1)};
}

Ranges Distribution::parts(std::int64_t length) const {
  Ranges all(static_cast<std::size_t>(ranks_));
  for (int r = 0; r < ranks_; ++r) all[static_cast<std::size_t>(r)] = part(length, r);
  return all;
}

int Distribution::owner(std::int64_t length, std::int64_t element) const {
  VC_CHECK(is_divided(length) && 0 <= element && element < length);
  const std::int64_t blocks = (length - 1) / block_ + 1, own = element / block_;
  // The last rank r with blocks * r / ranks <= own.
  return static_cast<int>((static_cast<__int128>(own + 1) * ranks_ - 1) / blocks);
}

Ranges Distribution::shares(std::int64_t length) const {
  Ranges all(static_cast<std::size_t>(ranks_));
  for (int r = 0; r < ranks_; ++r)
    all[static_cast<std::size_t>(r)] = {share_begin(length, r, ranks_), share_begin(length, r + 1, ranks_)};
  return all;
}

}  // namespace cvl::mpi
