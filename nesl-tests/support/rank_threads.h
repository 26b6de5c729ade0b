#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "messages/thread_ranks.h"

namespace cvl::mpi {

/// Calls body(messenger) on a thread for each rank, and waits for all. An exception of a rank fails the test.
template <class Body>
void run_ranks(int ranks, Body&& body) {
  ThreadRanks team(ranks);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      const std::unique_ptr<Messenger> messenger = team.messenger(r);
      try {
        body(*messenger);
      } catch (...) {
        errors[static_cast<std::size_t>(r)] = std::current_exception();
        team.fail();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    EXPECT_NO_THROW({
      if (error != nullptr) std::rethrow_exception(error);
    });
}

}  // namespace cvl::mpi
