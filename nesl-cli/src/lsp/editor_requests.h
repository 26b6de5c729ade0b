#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "editing/editor_workspace.h"

namespace nesl_cli {

using nlohmann::json;

/// Abilities of an editor, from its request `initialize`.
struct EditorAbilities {
  bool related_information = false;  ///< shows notes with places of their own
  bool markdown = false;             ///< in hovers
  bool nested_symbols = false;
  bool label_offsets = false;  ///< of parameters
};

/// The answers to an editor's requests about open documents. All throw BadParameters and RequestFailure
/// (protocol_json.h), and base::Stopped.
class EditorRequests {
 public:
  explicit EditorRequests(Workspace& workspace) : workspace_(workspace) {}

  void set_abilities(const EditorAbilities& abilities) { abilities_ = abilities; }
  /// Abilities of the server, for the answer to `initialize`.
  static json capabilities();
  static bool knows(const std::string& method);
  json answer(const std::string& method, const json& parameters);
  /// The parameters of `textDocument/publishDiagnostics` for an open file.
  json diagnostics(const std::string& file);

 private:
  using Answer = json (EditorRequests::*)(const json&);
  struct Method {
    const char* name;
    Answer answer;
  };
  static const Method kMethods[];

  /// A place in an open document, from the parameters of a request.
  struct At {
    std::string file;
    const TextDocument& document;
    std::uint32_t offset;
  };
  const Workspace::Open& document_of(const json& parameters, std::string& file) const;
  At place_of(const json& parameters) const;
  json location(const FileRange& place) const;
  std::string uri_of(const std::string& file) const;
  json edits(const TextDocument& document, const std::vector<TextChange>& changes) const;
  json diagnostic_json(const Workspace::Open& open, const base::Diagnostic& diagnostic) const;

  json hover(const json& parameters);
  json definition(const json& parameters);
  json references(const json& parameters);
  json highlights(const json& parameters);
  json prepare_rename(const json& parameters);
  json rename(const json& parameters);
  json symbols(const json& parameters);
  json completion(const json& parameters);
  json resolve_completion(const json& item);
  json signature(const json& parameters);
  json formatting(const json& parameters);
  json code_actions(const json& parameters);

  Workspace& workspace_;
  EditorAbilities abilities_;
};

}  // namespace nesl_cli
