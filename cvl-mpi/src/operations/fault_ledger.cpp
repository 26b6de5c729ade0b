#include "operations/fault_ledger.h"

#include <utility>

#include <fmt/format.h>

namespace cvl::mpi {

bool FaultLedger::Entry::is_before(const Entry& other) const {
  if (operation == 0 || other.operation == 0) return operation != 0;
  return std::pair(operation, fault.position) < std::pair(other.operation, other.fault.position);
}

void FaultLedger::report(Fault fault) {
  fault.site = site_;
  const Entry entry{operation_, fault};
  if (entry.is_before(first_)) first_ = entry;
  known_ = known_ || is_common_;
}

void FaultLedger::report_found(Fault fault, std::int64_t offset) {
  if (fault.kind == FaultKind::kNone) return;
  if (fault.kind == FaultKind::kOutOfMemory) fail_for_memory(messenger_, fault);
  fault.position += offset;
  report(fault);
}

void FaultLedger::fail_for_memory(Messenger& messenger, const Fault& fault) {
  messenger.fail(fmt::format("out of memory: there are no {} bytes for an operation", fault.value));
}

bool FaultLedger::any_found(bool mine) {
  std::int64_t any = mine || first_.operation != 0 ? 1 : 0;
  messenger_.reduce({&any, 1}, Reduction::kMax);
  is_open_ = is_open_ && any != 0;
  return any != 0;
}

void FaultLedger::agree() {
  if (!is_open_) return;
  const bool any = any_found(false);
  is_open_ = false;
  if (!any) return;
  for (const Entry& entry : messenger_.gather_to_all(first_))
    if (entry.is_before(first_)) first_ = entry;
  known_ = first_.operation != 0;
}

bool FaultLedger::drop_own() {
  is_open_ = known_ = false;
  return std::exchange(first_, {}).operation != 0;
}

Fault FaultLedger::take() {
  known_ = false;
  return std::exchange(first_, {}).fault;
}

}  // namespace cvl::mpi
