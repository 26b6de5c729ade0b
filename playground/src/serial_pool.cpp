// A pool of one thread, the caller's, in place of the pool of oneTBB.
#include <utility>

#include "base/thread_pool.h"

namespace cvl::cpu {

struct ThreadPool::Arena {};

ThreadPool::ThreadPool(int) {}
ThreadPool::~ThreadPool() = default;

void ThreadPool::run(int times, void (*work)(void*, int), void* argument) {
  for (int k = 0; k < times; ++k) work(argument, 0);
}

struct ThreadPool::Group::Tasks {};

ThreadPool::Group::Group(ThreadPool& pool) : pool_(pool) {}
ThreadPool::Group::~Group() = default;

void ThreadPool::Group::start(std::function<void()> work) { work(); }
void ThreadPool::Group::wait() {}

}  // namespace cvl::cpu
