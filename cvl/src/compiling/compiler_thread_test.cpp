#include "cvl/compiler_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace cvl {
namespace {

TEST(CompilerThread, WithdrawDoesNotWaitForTheRestOfAWork) {
  std::promise<void> begun, go_on;
  std::atomic<bool> done = false;
  const int owner = 0;
  {
    CompilerThread thread;
    thread.submit(&owner, [&]() -> CompilerThread::Rest {
      return [&] {
        begun.set_value();
        go_on.get_future().wait();
        done = true;
      };
    });
    begun.get_future().wait();
    thread.withdraw(&owner);  // would deadlock if it waited for the rest
    EXPECT_FALSE(done);
    go_on.set_value();
  }
  EXPECT_TRUE(done);
}

TEST(CompilerThread, WithdrawWaitsForRunningWork) {
  std::promise<void> begun, go_on;
  std::atomic<bool> done = false;
  const int owner = 0;
  CompilerThread thread;
  thread.submit(&owner, [&]() -> CompilerThread::Rest {
    begun.set_value();
    go_on.get_future().wait();
    done = true;
    return {};
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
  thread.submit(&first, [&]() -> CompilerThread::Rest {
    begun.set_value();
    go_on.get_future().wait();
    return {};
  });
  thread.submit(&second, [&]() -> CompilerThread::Rest {
    done = true;
    return {};
  });
  begun.get_future().wait();
  thread.withdraw(&second);
  go_on.set_value();
  thread.withdraw(&first);
  EXPECT_FALSE(done);
}

}  // namespace
}  // namespace cvl
