#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace program_peers {

/// Memory in huge pages, zero at first. Inputs are written before timing begins; the pages of results come in the first
/// round, as those of a NESL program do. The process keeps a list of all live blocks, because it measures how fast it
/// can read them.
class HugeBlock {
 public:
  explicit HugeBlock(std::size_t bytes);
  HugeBlock(HugeBlock&& other) noexcept;
  HugeBlock& operator=(HugeBlock&&) = delete;
  ~HugeBlock();

  void* data() const { return data_; }

  /// All live blocks.
  static const std::vector<std::span<const std::byte>>& all();

 private:
  void* data_;
  std::size_t bytes_;
};

/// An array in huge pages.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Buffer(std::size_t size) : block_(size * sizeof(T)), size_(size) {}
  template <class Element>
  Buffer(std::size_t size, Element&& element) : Buffer(size) {
    for (std::size_t i = 0; i < size; ++i) data()[i] = element(std::int64_t(i));
  }

  T* data() const { return static_cast<T*>(block_.data()); }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  std::int64_t size() const { return std::int64_t(size_); }
  T& operator[](std::int64_t i) const { return data()[i]; }

 private:
  HugeBlock block_;
  std::size_t size_;
};

}  // namespace program_peers
