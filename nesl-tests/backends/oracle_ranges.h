#pragma once

#include "oracle_memory.h"

namespace cvl::conformance {

/// The operations of the oracle that move ranges, and the first fault of any operation.
class OracleRanges : public OracleMemory {
 public:
  using OracleMemory::OracleMemory;

  void compute(const Slice& slice);
  void compute(const Append& append);
  void compute(const Merge& merge);

 protected:
  void report(const Fault& fault) {
    if (fault_.kind == FaultKind::kNone) fault_ = fault;
  }

  std::uint32_t site_ = 0;
  Fault fault_;

 private:
  template <int n>
  void check_join(const Join<n>& join, const Result& result, const char* operation) const;
};

}  // namespace cvl::conformance
