#pragma once

#include <cstdint>
#include <exception>

#include "base/pool.h"

namespace cvl::cuda {

/// No memory is left for the working memory of an operation, or to load a kernel.
struct OutOfMemory : std::exception {
  std::size_t bytes;  ///< requested; 0 for a kernel
  explicit OutOfMemory(std::size_t asked) : bytes(asked) {}
  const char* what() const noexcept override { return "out of memory"; }
};

/// n elements of working memory of an operation. Throws OutOfMemory.
template <class T>
class Scratch {
 public:
  Scratch(Pool& pool, std::int64_t n) : pool_(&pool), bytes_(static_cast<std::size_t>(n) * sizeof(T)) {
    data_ = static_cast<T*>(pool.allocate(bytes_));
    if (data_ == nullptr) throw OutOfMemory(bytes_);
  }
  ~Scratch() { pool_->deallocate(data_, bytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() const { return data_; }

 private:
  Pool* pool_;
  std::size_t bytes_;
  T* data_;
};

/// A copy of a few bytes from the device to the host, as one of several with a single wait.
struct Transfer {
  void* host = nullptr;
  const void* device = nullptr;
  std::size_t bytes = 0;  ///< at most kMostTransferBytes
};

/// The double buffer of a sort: the elements, and an equally large second buffer.
template <class T>
struct Buffers {
  T* current;
  T* other;
};

}  // namespace cvl::cuda
