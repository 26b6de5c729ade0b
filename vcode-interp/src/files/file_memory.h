#pragma once

#include <algorithm>
#include <memory_resource>
#include <new>

#include "cvl/backend.h"

namespace interp {

/// Memory for files that are read. It counts toward the memory limit of the backend; with unified memory, the backend
/// allocates it.
class FileMemory final : public std::pmr::memory_resource {
 public:
  explicit FileMemory(cvl::Backend& device) : device_(device) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    if (device_.unified_memory()) {
      void* const data = device_.allocate(bytes);
      if (data == nullptr) throw std::bad_alloc();
      return data;
    }
    const cvl::MemoryUse use = device_.memory_use();
    if (bytes > use.limit - std::min(use.live + on_host_, use.limit)) throw std::bad_alloc();
    void* const data = ::operator new(bytes);
    on_host_ += bytes;
    return data;
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t) override {
    if (device_.unified_memory()) return device_.deallocate(data, bytes);
    ::operator delete(data);
    on_host_ -= bytes;
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  cvl::Backend& device_;
  std::size_t on_host_ = 0;
};

}  // namespace interp
