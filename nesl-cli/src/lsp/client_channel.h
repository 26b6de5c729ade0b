#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "message_reader.h"

namespace nesl_cli {

using nlohmann::json;

/// Error codes of JSON-RPC and of the Language Server Protocol.
enum class RpcError : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kNotInitialized = -32002,
  kCancelled = -32800,
  kFailed = -32803,
};

/// The connection to an editor: JSON-RPC messages by two file descriptors. Messages that have arrived are read ahead,
/// so that a request can be cancelled while it waits or is being answered.
class ClientChannel {
 public:
  ClientChannel(int input, int output) : input_(input), output_(output) {}

  /// Waits for the next request or notification. Nothing at the end of the stream. Malformed JSON is answered here.
  std::optional<json> next();
  /// Reads messages that have arrived; true if next() need not wait, be it for the end of the stream.
  bool has_next();
  /// Reads messages that have arrived; true if the request with this id has been cancelled.
  bool is_cancelled(const json& id);
  /// Forgets that a request was cancelled, which has been answered.
  void forget(const json& id);

  void send(const json& message);
  void reply(const json& id, json result);
  void reply_error(const json& id, RpcError code, const std::string& message);
  void notify(const std::string& method, json parameters);

  /// Why the connection has failed: what was wrong with the stream, or that it ended within a message or could not be
  /// written. Empty if it has not failed.
  const std::string& failure() const { return failure_; }

 private:
  bool read_more();
  void receive();
  void accept(const std::string& content);
  void fail(std::string reason);
  bool must_wait() const { return queue_.empty() && !ended_; }

  const int input_, output_;
  MessageReader reader_;
  std::deque<json> queue_;
  std::vector<json> cancelled_;  ///< ids of requests
  bool ended_ = false;           ///< nothing more will be read
  bool can_write_ = true;
  std::string failure_;
};

}  // namespace nesl_cli
