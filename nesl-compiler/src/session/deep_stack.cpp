#include <pthread.h>

#include <cstdint>
#include <new>

#include "base/address_space.h"
#include "nesl-compiler/session.h"

namespace nesl {

namespace {

/// Reserved address space only: pages are committed when they are touched.
constexpr std::size_t kStackBytes = std::size_t(16) << 30;
constexpr std::size_t kSmallestStackBytes = std::size_t(16) << 20;
constexpr std::size_t kPartOfAddressSpace = 8;

struct Job {
  const std::function<void()>& work;
  std::exception_ptr failure = {};
};

void* run_job(void* argument) {
  auto& job = *static_cast<Job*>(argument);
  try {
    job.work();
  } catch (...) {
    job.failure = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void run_with_deep_stack(const std::function<void()>& work) {
  Job job{work};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  int error = 1;
  // Where address space is limited, reserve a smaller stack, which suffices for all but the deepest programs.
  const std::size_t most = base::address_space_left().value_or(SIZE_MAX) / kPartOfAddressSpace;
  std::size_t first = kStackBytes;
  while (first > most && first > kSmallestStackBytes) first /= 2;
  for (std::size_t bytes = first; error != 0 && bytes >= kSmallestStackBytes; bytes /= 2) {
    pthread_attr_setstacksize(&attributes, bytes);
    error = pthread_create(&thread, &attributes, run_job, &job);
  }
  pthread_attr_destroy(&attributes);
  if (error != 0) throw std::bad_alloc();
  pthread_join(thread, nullptr);
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace nesl
