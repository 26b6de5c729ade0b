#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "messages/messenger.h"

namespace cvl::mpi {

/// The messages of a rank by operation.
class TrafficProfile {
 public:
  explicit TrafficProfile(Messenger& messenger) : messenger_(messenger) {}

  /// Counts the messages between its construction and destruction as those of one operation. Scopes do not nest.
  class Scope {
   public:
    /// `operation` must outlive the profile.
    Scope(TrafficProfile& profile, std::string_view operation)
        : profile_(profile), operation_(operation), before_(profile.messenger_.counts()) {}
    ~Scope() {
      const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin_;
      profile_.add(operation_, profile_.messenger_.counts() - before_, whole.count());
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    TrafficProfile& profile_;
    const std::string_view operation_;
    const MessageCounts before_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  };

  /// A line for each operation that has sent messages, that with the most bytes first, and one for all, with the time
  /// that ranks spend in messages; and how long ranks compute in all operations, those without messages included.
  /// Collective.
  std::string table() const;

 private:
  struct Row {
    std::int64_t calls = 0;
    MessageCounts counts;
  };

  void add(std::string_view operation, const MessageCounts& counts, double seconds);

  Messenger& messenger_;
  double work_seconds_ = 0;               ///< in operations, without messages
  std::map<std::string_view, Row> rows_;  ///< operations with rounds of messages: the same ones on every rank
};

}  // namespace cvl::mpi
