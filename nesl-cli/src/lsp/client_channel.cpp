#include "client_channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace nesl_cli {

void ClientChannel::fail(std::string reason) {
  if (failure_.empty()) failure_ = std::move(reason);
  ended_ = true;
}

bool ClientChannel::read_more() {
  char bytes[1 << 16];
  const ssize_t count = ::read(input_, bytes, sizeof bytes);
  if (count < 0) {
    if (errno != EINTR) fail(fmt::format("standard input could not be read: {}", strerror(errno)));
    return errno == EINTR;
  }
  if (count == 0) {
    ended_ = true;
    if (!reader_.is_between()) fail("standard input ended within a message");
    return false;
  }
  reader_.append({bytes, static_cast<std::size_t>(count)});
  receive();
  return true;
}

void ClientChannel::receive() {
  while (std::optional<std::string> content = reader_.next()) accept(*content);
  if (!reader_.error().empty()) fail(reader_.error());
}

void ClientChannel::accept(const std::string& content) {
  json message = json::parse(content, nullptr, false);
  if (message.is_discarded()) {
    reply_error(nullptr, RpcError::kParse, "the message is not JSON in UTF-8");
  } else if (!message.is_object()) {
    reply_error(nullptr, RpcError::kInvalidRequest, "the message is not a JSON object");
  } else if (message.value("method", json()) == "$/cancelRequest") {
    if (const json parameters = message.value("params", json()); parameters.is_object() && parameters.contains("id"))
      cancelled_.push_back(parameters["id"]);
  } else {
    queue_.push_back(std::move(message));
  }
}

bool ClientChannel::has_next() {
  for (pollfd input{input_, POLLIN, 0}; !ended_ && ::poll(&input, 1, 0) > 0;) read_more();
  return !must_wait();
}

std::optional<json> ClientChannel::next() {
  while (must_wait()) read_more();
  if (queue_.empty()) return std::nullopt;
  json message = std::move(queue_.front());
  queue_.pop_front();
  return message;
}

bool ClientChannel::is_cancelled(const json& id) {
  has_next();
  return std::find(cancelled_.begin(), cancelled_.end(), id) != cancelled_.end();
}

void ClientChannel::forget(const json& id) {
  std::erase(cancelled_, id);
  // An id that no request has any longer was cancelled after the answer.
  std::erase_if(cancelled_, [&](const json& other) {
    return std::none_of(queue_.begin(), queue_.end(), [&](const json& m) { return m.value("id", json()) == other; });
  });
}

void ClientChannel::send(const json& message) {
  const std::string content = message.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::string text = fmt::format("Content-Length: {}\r\n\r\n{}", content.size(), content);
  for (std::size_t at = 0; at < text.size() && can_write_;) {
    const ssize_t count = ::write(output_, text.data() + at, text.size() - at);
    if (count > 0) {
      at += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      can_write_ = false;
      fail(fmt::format("standard output could not be written: {}", strerror(errno)));
    }
  }
}

void ClientChannel::reply(const json& id, json result) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void ClientChannel::reply_error(const json& id, RpcError code, const std::string& message) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
}

void ClientChannel::notify(const std::string& method, json parameters) {
  send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(parameters)}});
}

}  // namespace nesl_cli
