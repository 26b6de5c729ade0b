#pragma once

#include <set>
#include <string>

#include "fcode-opt/pass.h"
#include "partition.h"

namespace fcode_opt {

/// Reports kernels and the pairs that were not fused: in words for --explain, as a graph for --dot.
class Report {
 public:
  explicit Report(PassContext& context);
  ~Report();
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  void begin(const letform::Program& program, const letform::Function& function);
  /// Adds the partition of one basic block, before the block is rewritten.
  void add(const Partition& partition);
  void end();

 private:
  void explain(const Partition& partition);
  void note_kept_apart(const letform::Binding& maker, const letform::Binding& reader, const std::string& reason);
  void draw(const Partition& partition);

  PassContext& context_;
  const letform::Program* program_ = nullptr;
  const letform::Function* function_ = nullptr;
  int operations_ = 0;  ///< traversals of the function without fusion
  int kernels_ = 0;     ///< kernels of the function
  Cost before_, after_;
  std::set<std::string> copied_;   ///< one line for each operation that several kernels compute
  std::set<std::string> unfused_;  ///< one line with a reason for each pair that exchanges a vector and is not fused
  std::uint32_t drawn_ = 0;        ///< basic blocks so far
};

}  // namespace fcode_opt
