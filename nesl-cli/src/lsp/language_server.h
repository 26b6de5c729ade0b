#pragma once

#include <map>
#include <string>

#include "client_channel.h"
#include "editing/editor_workspace.h"
#include "editor_requests.h"

namespace nesl_cli {

/// A server of the Language Server Protocol 3.17, for one editor. Answers requests in their order; while none waits, it
/// analyses the open programs and sends their diagnostics. Must run on a thread made by nesl::run_with_deep_stack().
class LanguageServer {
 public:
  LanguageServer(ClientChannel& channel, Workspace& workspace, std::string version)
      : channel_(channel), workspace_(workspace), requests_(workspace), version_(std::move(version)) {}

  /// Serves until the editor says `exit` or closes the connection. Returns the exit status: 0 if the editor has said
  /// `shutdown` before, else 1.
  int run();

 private:
  enum class State { kNew, kRunning, kShutDown, kEnded, kAborted };

  void handle(const json& message);
  void handle_request(const json& id, const std::string& method, const json& parameters);
  void handle_notification(const std::string& method, const json& parameters);
  json initialize(const json& parameters);
  void change(const json& parameters);
  bool publish_one();

  ClientChannel& channel_;
  Workspace& workspace_;
  EditorRequests requests_;
  const std::string version_;
  State state_ = State::kNew;
  std::map<std::string, json> published_;  ///< the last diagnostics of each file, as they were sent
};

}  // namespace nesl_cli
