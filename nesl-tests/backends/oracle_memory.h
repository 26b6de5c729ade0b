#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <type_traits>

#include "oracle.h"

namespace cvl::conformance {

/// Ends the program because a backend was used against its contract.
[[noreturn]] void misuse(const std::string& what);

/// The memory of the oracle, and checks of arguments: addresses, sizes, overlaps, segment descriptors.
class OracleMemory : public Backend {
 public:
  OracleMemory(const BackendOptions& options, Addresses addresses);
  ~OracleMemory() override;

  void* allocate(std::size_t bytes) noexcept override;
  void deallocate(void* data, std::size_t bytes) noexcept override;
  MemoryUse memory_use() const override { return {live_, live_, peak_, limit_}; }
  void upload(void* device, const void* host, std::size_t bytes) override;
  void download(void* host, const void* device, std::size_t bytes) override;

 protected:
  void check_range(const void* data, std::size_t bytes, const char* operation) const;
  void check(const Operand& operand, const char* operation) const;
  void check_result(const Result& result, const char* operation) const;
  void check_map(const SegmentDescriptor& descriptor, const char* operation) const;
  /// Checks the addresses and sizes of all vectors and descriptors of an operation.
  template <class T>
  void check_vectors(const T& op, const char* operation) const {
    for_each_operand(op, [&](const Operand& operand) { check(operand, operation); });
    for_each_descriptor(op, [&](const SegmentDescriptor& descriptor) { check_map(descriptor, operation); });
    for_each_result(op, [&](const Result& result) {
      const bool is_optional = std::is_same_v<T, MakeOffsets> && &result != &result_of(op);
      if (!is_optional || result.data != nullptr) check_result(result, operation);
    });
  }
  void check_heads(const SegmentDescriptor& descriptor, const char* operation) const;
  static void check_same_length(std::int64_t a, std::int64_t b, const char* operation);
  static void check_same_type(ElemType a, ElemType b, const char* operation);
  /// Checks that a result does not overlap an operand, except that both may be the same vector if `same_allowed`.
  static void check_overlap(const Operand& operand, const Result& result, bool same_allowed, const char* operation);

 private:
  const Addresses addresses_;
  std::map<char*, std::size_t> blocks_;
  std::size_t limit_;
  std::size_t live_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace cvl::conformance
