#include <pthread.h>

#include <stdexcept>

#include "nesl-compiler/session.h"

namespace nesl {

namespace {

/// Address space only: pages are committed when they are touched.
constexpr std::size_t kStackBytes = std::size_t(16) << 30;
constexpr std::size_t kSmallestStackBytes = std::size_t(64) << 20;

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
  // Where address space is limited, a smaller stack serves all but the deepest programs.
  for (std::size_t bytes = kStackBytes; error != 0 && bytes >= kSmallestStackBytes; bytes /= 2) {
    pthread_attr_setstacksize(&attributes, bytes);
    error = pthread_create(&thread, &attributes, run_job, &job);
  }
  pthread_attr_destroy(&attributes);
  if (error != 0) throw std::runtime_error("there is no memory for a thread's stack");
  pthread_join(thread, nullptr);
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace nesl
