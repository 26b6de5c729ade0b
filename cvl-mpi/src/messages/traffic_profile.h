#pragma once

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
    ~Scope() { profile_.add(operation_, profile_.messenger_.counts() - before_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    TrafficProfile& profile_;
    const std::string_view operation_;
    const MessageCounts before_;
  };

  /// A line for each operation that has sent messages, that with the most bytes first, and one for all. Collective.
  std::string table() const;

 private:
  struct Row {
    std::int64_t calls = 0;
    MessageCounts counts;
  };

  void add(std::string_view operation, const MessageCounts& counts);

  Messenger& messenger_;
  std::map<std::string_view, Row> rows_;  ///< operations with rounds of messages: the same ones on every rank
};

}  // namespace cvl::mpi
