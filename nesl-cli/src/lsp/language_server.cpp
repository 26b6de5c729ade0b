#include "language_server.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "base/stop_request.h"
#include "protocol_json.h"

namespace nesl_cli {

namespace {

// Global, because a stop request (base::set_stop_request) has no argument. Written by run() alone.
ClientChannel* g_channel = nullptr;
const json* g_request = nullptr;  // id of the request that is being answered; null while diagnostics are made

/// An answer stops when it is cancelled, diagnostics when a message has arrived.
bool should_stop() { return g_request != nullptr ? g_channel->is_cancelled(*g_request) : g_channel->has_next(); }

bool is_id(const json& id) { return id.is_string() || id.is_number(); }

}  // namespace

int LanguageServer::run() {
  g_channel = &channel_;
  base::set_stop_request(should_stop);
  while (state_ != State::kEnded && state_ != State::kAborted) {
    if (!channel_.has_next() && publish_one()) continue;
    const std::optional<json> message = channel_.next();
    if (!message) break;
    handle(*message);
  }
  base::set_stop_request(nullptr);
  if (!channel_.failure().empty()) {
    fmt::print(stderr, "nesl: lsp: {}\n", channel_.failure());
    return 1;
  }
  return state_ == State::kShutDown || state_ == State::kEnded ? 0 : 1;
}

void LanguageServer::handle(const json& message) {
  const json id = message.value("id", json());
  const json method = message.value("method", json());
  if (!method.is_string()) {
    const bool is_response = message.contains("result") || message.contains("error");
    if (!is_response)
      channel_.reply_error(is_id(id) ? id : json(), RpcError::kInvalidRequest, "the message has no method");
    return;
  }
  const json parameters = message.value("params", json());
  if (!message.contains("id"))
    handle_notification(method.get<std::string>(), parameters);
  else if (is_id(id))
    handle_request(id, method.get<std::string>(), parameters);
  else
    channel_.reply_error(nullptr, RpcError::kInvalidRequest, "the id of the request is neither a number nor a string");
}

void LanguageServer::handle_request(const json& id, const std::string& method, const json& parameters) {
  g_request = &id;
  try {
    if (channel_.is_cancelled(id))
      throw base::Stopped();
    else if (method == "initialize" && state_ == State::kNew)
      channel_.reply(id, initialize(parameters));
    else if (state_ == State::kNew)
      channel_.reply_error(id, RpcError::kNotInitialized, "the first request must be initialize");
    else if (state_ == State::kShutDown || method == "initialize")
      channel_.reply_error(id, RpcError::kInvalidRequest,
                           state_ == State::kShutDown ? "the server has been shut down" : "initialize comes once");
    else if (method == "shutdown") {
      state_ = State::kShutDown;
      channel_.reply(id, nullptr);
    } else if (!EditorRequests::knows(method))
      channel_.reply_error(id, RpcError::kMethodNotFound, fmt::format("there is no method {}", method));
    else
      channel_.reply(id, requests_.answer(method, parameters));
  } catch (const base::Stopped&) {
    channel_.reply_error(id, RpcError::kCancelled, "cancelled");
  } catch (const BadParameters& bad) {
    channel_.reply_error(id, RpcError::kInvalidParams, bad.message);
  } catch (const RequestFailure& failure) {
    channel_.reply_error(id, RpcError::kFailed, failure.message);
  }
  channel_.forget(id);
  g_request = nullptr;
}

json LanguageServer::initialize(const json& parameters) {
  const json abilities = parameters.is_object() ? parameters.value("capabilities", json()) : json();
  const bool utf8 = lists(abilities, {"general", "positionEncodings"}, "utf-8");
  workspace_.set_encoding(utf8 ? PositionEncoding::kUtf8 : PositionEncoding::kUtf16);
  requests_.set_abilities(
      {.related_information = is_on(abilities, {"textDocument", "publishDiagnostics", "relatedInformation"}),
       .markdown = lists(abilities, {"textDocument", "hover", "contentFormat"}, "markdown"),
       .nested_symbols = is_on(abilities, {"textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"}),
       .label_offsets = is_on(abilities, {"textDocument", "signatureHelp", "signatureInformation",
                                          "parameterInformation", "labelOffsetSupport"})});
  state_ = State::kRunning;
  json capabilities = EditorRequests::capabilities();
  capabilities["positionEncoding"] = utf8 ? "utf-8" : "utf-16";
  return {{"capabilities", std::move(capabilities)}, {"serverInfo", {{"name", "nesl"}, {"version", version_}}}};
}

void LanguageServer::handle_notification(const std::string& method, const json& parameters) {
  if (method == "exit") {
    state_ = state_ == State::kShutDown ? State::kEnded : State::kAborted;
    return;
  }
  if (state_ != State::kRunning) return;
  try {
    if (method == "textDocument/didOpen") {
      const json& document = member(parameters, "textDocument");
      workspace_.open(string_member(document, "uri"), string_member(document, "text"), int_member(document, "version"));
    } else if (method == "textDocument/didChange") {
      change(parameters);
    } else if (method == "textDocument/didClose") {
      const std::string uri = string_member(member(parameters, "textDocument"), "uri");
      workspace_.close(file_of_uri(uri));
      published_.erase(file_of_uri(uri));
      channel_.notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", json::array()}});
    } else if (method == "textDocument/didSave") {
      workspace_.note_change();
    }
  } catch (const BadParameters& bad) {
    channel_.notify("window/logMessage", {{"type", 1}, {"message", fmt::format("{}: {}", method, bad.message)}});
  }
}

void LanguageServer::change(const json& parameters) {
  const json& identifier = member(parameters, "textDocument");
  const std::string uri = string_member(identifier, "uri");
  Workspace::Open* const open = workspace_.find(file_of_uri(uri));
  if (open == nullptr) throw BadParameters{fmt::format("{} is not open", uri)};
  const json& changes = member(parameters, "contentChanges");
  if (!changes.is_array()) throw BadParameters{"contentChanges is not a list"};
  // The text changes as a whole or not at all.
  TextDocument document = open->document;
  for (const json& one : changes) {
    const bool is_part = one.is_object() && one.contains("range");
    const std::optional<Range> range = is_part ? std::optional(range_member(one, "range")) : std::nullopt;
    if (!document.replace(range, string_member(one, "text"))) throw BadParameters{"a change has no valid range"};
  }
  open->version = int_member(identifier, "version");
  open->document = std::move(document);
  workspace_.note_change();
}

/// Sends the diagnostics of a program whose editor does not have them; false if there is none.
bool LanguageServer::publish_one() {
  for (auto& [file, open] : workspace_.all()) {
    if (open.is_published) continue;
    try {
      json found = requests_.diagnostics(file);
      open.is_published = true;
      json& last = published_[file];
      if (found != last) channel_.notify("textDocument/publishDiagnostics", found);
      last = std::move(found);
    } catch (const base::Stopped&) {
      // A message has arrived, which comes first.
    }
    return true;
  }
  return false;
}

}  // namespace nesl_cli
