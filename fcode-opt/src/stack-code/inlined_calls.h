#pragma once

#include <map>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Copies inlined calls to VCODE: only those that its sites name, which are fewer than passes have noted.
class InlinedCalls {
 public:
  InlinedCalls(const Program& from, vcode::Program& to) : from_(from), to_(to) {}

  /// Number of a call in the VCODE; kNoCall for kNoCall.
  std::uint32_t take(std::uint32_t call);

 private:
  const Program& from_;
  vcode::Program& to_;
  std::map<std::uint32_t, std::uint32_t> taken_;
};

}  // namespace vcode::letform
