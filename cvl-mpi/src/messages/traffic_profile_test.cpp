#include "messages/traffic_profile.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "rank_threads.h"

namespace cvl::mpi {
namespace {

TEST(TrafficProfile, HasTheMostOfAnyRankAndTheSumOfAll) {
  std::mutex mutex;
  std::set<std::string> tables;
  run_ranks(3, [&](Messenger& messenger) {
    TrafficProfile profile(messenger);
    for (int k = 0; k < 2; ++k) {
      const TrafficProfile::Scope scope(profile, "gather");
      messenger.gather_to_all(std::int64_t{1});
    }
    { const TrafficProfile::Scope scope(profile, "nothing"); }
    {
      const TrafficProfile::Scope scope(profile, "exchange");
      char byte = 0, received[1000];
      std::vector<Outgoing> outgoing(3);
      std::vector<Incoming> incoming(3);
      const std::vector<char> given(1000);
      if (messenger.rank() == 1) outgoing[0] = {given.data(), given.size()};
      if (messenger.rank() == 1) outgoing[2] = {&byte, 1};
      if (messenger.rank() == 0) incoming[1] = {received, given.size()};
      if (messenger.rank() == 2) incoming[1] = {received, 1};
      messenger.exchange(outgoing, incoming);
    }
    const std::string table = profile.table();
    const std::lock_guard lock(mutex);
    tables.insert(table);
  });
  ASSERT_EQ(tables.size(), 1u);  // the same on every rank
  std::string counts;            // without the times
  const std::size_t work = tables.begin()->find("work of a rank in operations, ms: least ");
  ASSERT_NE(work, std::string::npos);
  for (std::size_t at = 0; at < work; at = tables.begin()->find('\n', at) + 1)
    counts += tables.begin()->substr(at, 97) + "\n";
  EXPECT_EQ(counts,
            "messages of            calls    rounds  collectives     of a rank bytes of a rank    bytes of all\n"
            "exchange                   1         1            0             2            1001            1001\n"
            "gather                     2         2            2             0              32              96\n"
            "all                        3         3            2             2            1033            1097\n");
}

}  // namespace
}  // namespace cvl::mpi
