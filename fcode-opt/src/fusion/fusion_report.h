#pragma once

#include <set>
#include <string>

#include "fcode-opt/pass.h"
#include "partition.h"

namespace fcode_opt {

/// Reports what fusion did: for --explain in words, for --dot as a graph.
class Report {
 public:
  explicit Report(PassContext& context);
  ~Report();
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  void begin(const letform::Function& function);
  /// Adds the partition of one region, before the region is rewritten.
  void add(const Partition& partition);
  void end();

 private:
  void explain(const Partition& partition);
  void draw(const Partition& partition);

  PassContext& context_;
  const letform::Function* function_ = nullptr;
  int operations_ = 0;  ///< of the function, that could be in kernels
  int kernels_ = 0;     ///< that they became
  Cost before_, after_;
  std::set<std::string> copied_;   ///< what is computed in several kernels, a line for each operation
  std::set<std::string> unfused_;  ///< why not, a line for each pair that exchanges a vector
  std::uint32_t drawn_ = 0;        ///< regions so far
};

}  // namespace fcode_opt
