#include "cvl/compiler_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace cvl {
namespace {

TEST(CompilerThread, RunningWorkEndsBeforeTheThreadDoes) {
  std::promise<void> begun, go_on;
  std::atomic<bool> done = false;
  std::thread other;
  {
    CompilerThread thread;
    thread.submit(nullptr, [&] {
      begun.set_value();
      go_on.get_future().wait();
      done = true;
    });
    begun.get_future().wait();
    other = std::thread([&] { go_on.set_value(); });
  }
  EXPECT_TRUE(done);
  other.join();
}

TEST(CompilerThread, WithdrawWaitsForRunningWork) {
  std::promise<void> begun, go_on;
  std::atomic<bool> done = false;
  const int owner = 0;
  CompilerThread thread;
  thread.submit(&owner, [&] {
    begun.set_value();
    go_on.get_future().wait();
    done = true;
  });
  begun.get_future().wait();
  std::thread other([&] { go_on.set_value(); });
  thread.withdraw(&owner);
  EXPECT_TRUE(done);
  other.join();
}

TEST(CompilerThread, WithdrawnWorkIsNotBegun) {
  std::promise<void> begun, go_on;
  std::atomic<bool> done = false;
  const int first = 0, second = 0;
  CompilerThread thread;
  thread.submit(&first, [&] {
    begun.set_value();
    go_on.get_future().wait();
  });
  thread.submit(&second, [&] { done = true; });
  begun.get_future().wait();
  thread.withdraw(&second);
  go_on.set_value();
  thread.withdraw(&first);
  EXPECT_FALSE(done);
}

}  // namespace
}  // namespace cvl
