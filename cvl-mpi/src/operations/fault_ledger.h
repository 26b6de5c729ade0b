#pragma once

#include <cstdint>
#include <optional>

#include "cvl/backend.h"
#include "messages/messenger.h"

namespace cvl::mpi {

/// The first fault of all ranks. Ranks agree on it after each operation whose faults only some of them may have seen,
/// so that they all take the same way, and the message is that of one machine.
class FaultLedger {
 public:
  explicit FaultLedger(Messenger& messenger) : messenger_(messenger) {}

  void set_site(std::uint32_t site) { site_ = site; }
  std::uint32_t site() const { return site_; }

  /// Begins an operation. `may_differ`: its faults may be seen by some ranks only.
  void begin_operation(bool may_differ) {
    ++operation_;
    is_open_ = is_open_ || may_differ;
    is_common_ = !may_differ;
  }
  /// Records a fault in the data of the operation; the site is filled in. Of several faults of an operation, that with
  /// the least position counts.
  void report(Fault fault);
  /// Records the fault that the wrapped backend has found in this rank's part of the operation, if any. Positions get
  /// `offset` added. Fails the job if the rank has no memory for the operation, since the other ranks have gone on.
  void take_from(Backend& inner, std::int64_t offset = 0) { report_found(inner.take_fault(), offset); }
  void report_found(Fault fault, std::int64_t offset = 0);
  /// Fails the job because of a fault kOutOfMemory of the wrapped backend.
  static void fail_for_memory(Messenger& messenger, const Fault& fault);

  /// Whether some rank has found a fault, reported or, as `mine` says of this rank, not yet. If none has, all ranks
  /// have agreed: agree() sends nothing more for this operation. One round of messages. Collective.
  bool any_found(bool mine);
  /// Makes the first fault known to all ranks: one round of messages, none if no operation can have caused one, and one
  /// more if there is a fault. Collective.
  void agree();
  /// Whether this rank has found a fault about which ranks have not agreed yet.
  bool has_own() const { return first_.operation != 0; }
  /// Records that ranks have told each other whether all of them are good, without faults: agree() then sends nothing
  /// more for this operation if they are.
  void agree_on(bool all_good) { is_open_ = is_open_ && !all_good; }
  /// Forgets the faults that this rank has found, about which ranks then agree otherwise. Whether there are some.
  bool drop_own();
  /// Whether a fault is known to all ranks.
  bool is_known() const { return known_; }
  /// Returns and forgets the first fault, which agree() has made known.
  Fault take();

 private:
  struct Entry {
    std::int64_t operation = 0;  ///< number of the operation; 0: no fault
    Fault fault;

    bool is_before(const Entry& other) const;
  };

  Messenger& messenger_;
  std::uint32_t site_ = 0;
  std::int64_t operation_ = 0;
  bool is_open_ = false;    ///< whether ranks may have seen different faults since they last agreed
  bool is_common_ = false;  ///< whether all ranks see the faults of the current operation
  bool known_ = false;
  Entry first_;
};

}  // namespace cvl::mpi
