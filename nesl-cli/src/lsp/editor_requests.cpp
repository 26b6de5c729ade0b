#include "editor_requests.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "editing/completion_items.h"
#include "editing/hover_text.h"
#include "nesl-compiler/cursor.h"
#include "nesl-compiler/format.h"
#include "nesl-compiler/outline.h"
#include "protocol_json.h"

namespace nesl_cli {

const EditorRequests::Method EditorRequests::kMethods[] = {
    {"textDocument/hover", &EditorRequests::hover},
    {"textDocument/definition", &EditorRequests::definition},
    {"textDocument/references", &EditorRequests::references},
    {"textDocument/documentHighlight", &EditorRequests::highlights},
    {"textDocument/prepareRename", &EditorRequests::prepare_rename},
    {"textDocument/rename", &EditorRequests::rename},
    {"textDocument/documentSymbol", &EditorRequests::symbols},
    {"textDocument/completion", &EditorRequests::completion},
    {"completionItem/resolve", &EditorRequests::resolve_completion},
    {"textDocument/signatureHelp", &EditorRequests::signature},
    {"textDocument/formatting", &EditorRequests::formatting},
    {"textDocument/codeAction", &EditorRequests::code_actions},
};

json EditorRequests::capabilities() {
  return {{"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", json::object()}}},
          {"hoverProvider", true},
          {"definitionProvider", true},
          {"referencesProvider", true},
          {"documentHighlightProvider", true},
          {"renameProvider", {{"prepareProvider", true}}},
          {"documentSymbolProvider", true},
          {"completionProvider", {{"triggerCharacters", {"."}}, {"resolveProvider", true}}},
          {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
          {"documentFormattingProvider", true},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}}};
}

bool EditorRequests::knows(const std::string& method) {
  return std::any_of(std::begin(kMethods), std::end(kMethods), [&](const Method& m) { return m.name == method; });
}

json EditorRequests::answer(const std::string& method, const json& parameters) {
  for (const Method& m : kMethods)
    if (m.name == method) return (this->*m.answer)(parameters);
  return nullptr;
}

const Workspace::Open& EditorRequests::document_of(const json& parameters, std::string& file) const {
  const std::string uri = string_member(member(parameters, "textDocument"), "uri");
  file = file_of_uri(uri);
  const Workspace::Open* open = std::as_const(workspace_).find(file);
  if (open == nullptr) throw BadParameters{fmt::format("{} is not open", uri)};
  return *open;
}

EditorRequests::At EditorRequests::place_of(const json& parameters) const {
  std::string file;
  const TextDocument& document = document_of(parameters, file).document;
  return {file, document, document.offset(position_member(parameters, "position"))};
}

std::string EditorRequests::uri_of(const std::string& file) const {
  const Workspace::Open* open = std::as_const(workspace_).find(file);
  return open == nullptr ? uri_of_file(file) : open->uri;
}

json EditorRequests::location(const FileRange& place) const {
  return {{"uri", uri_of(place.file)}, {"range", to_json(place.range)}};
}

json EditorRequests::edits(const TextDocument& document, const std::vector<TextChange>& changes) const {
  json list = json::array();
  for (const TextChange& change : changes)
    list.push_back({{"range", to_json(document.range(change.span))}, {"newText", change.text}});
  return list;
}

json EditorRequests::diagnostic_json(const Workspace::Open& open, const base::Diagnostic& diagnostic) const {
  std::string message = diagnostic.message;
  json related = json::array();
  for (const base::Diagnostic::Note& note : diagnostic.notes) {
    const Range range = open.document.range(note.located ? note.span : diagnostic.span);
    if (abilities_.related_information)
      related.push_back({{"location", {{"uri", open.uri}, {"range", to_json(range)}}}, {"message", note.message}});
    else if (note.located)
      message += fmt::format("\nline {}: {}", range.start.line + 1, note.message);
    else
      message += fmt::format("\n{}", note.message);
  }
  json result = {{"range", to_json(open.document.range(diagnostic.span))},
                 {"severity", diagnostic.severity == base::Severity::kError ? 1 : 2},
                 {"source", "nesl"},
                 {"message", message}};
  if (!diagnostic.code.empty()) result["code"] = diagnostic.code;
  if (!related.empty()) result["relatedInformation"] = std::move(related);
  return result;
}

json EditorRequests::diagnostics(const std::string& file) {
  const ProgramAnalysis& program = workspace_.analysis(file, ProgramAnalysis::Depth::kProgram);
  const Workspace::Open& open = *std::as_const(workspace_).find(file);
  json list = json::array();
  for (const base::Diagnostic& diagnostic : program.diagnostics().all())
    list.push_back(diagnostic_json(open, diagnostic));
  return {{"uri", open.uri}, {"version", open.version}, {"diagnostics", std::move(list)}};
}

json EditorRequests::hover(const json& parameters) {
  const At at = place_of(parameters);
  const std::optional<HoverText> text = hover_text(workspace_.analysis(at.file), at.offset);
  if (!text) return nullptr;
  const std::string between = text->documentation.empty() ? "" : "\n\n";
  const std::string value = abilities_.markdown ? fmt::format("```nesl\n{}\n```{}{}", text->signature, between,
                                                              markdown_escaped(text->documentation))
                                                : text->signature + between + text->documentation;
  return {{"contents", {{"kind", abilities_.markdown ? "markdown" : "plaintext"}, {"value", value}}},
          {"range", to_json(at.document.range(text->span))}};
}

json EditorRequests::definition(const json& parameters) {
  const At at = place_of(parameters);
  const std::optional<FileRange> place = workspace_.definition(at.file, at.offset);
  return place ? location(*place) : json();
}

json EditorRequests::references(const json& parameters) {
  const At at = place_of(parameters);
  const bool with_declaration = is_on(parameters, {"context", "includeDeclaration"});
  json places = json::array();
  for (const FileRange& place : workspace_.references(at.file, at.offset, with_declaration))
    places.push_back(location(place));
  return places;
}

json EditorRequests::highlights(const json& parameters) {
  const At at = place_of(parameters);
  json places = json::array();
  for (const FileRange& place : workspace_.references(at.file, at.offset, true))
    if (place.file == at.file) places.push_back({{"range", to_json(place.range)}});
  return places;
}

json EditorRequests::prepare_rename(const json& parameters) {
  const At at = place_of(parameters);
  std::string error;
  const std::optional<base::Span> span = workspace_.can_rename(at.file, at.offset, error);
  if (!span) throw RequestFailure{error};
  return to_json(at.document.range(*span));
}

json EditorRequests::rename(const json& parameters) {
  const At at = place_of(parameters);
  std::string error;
  const std::optional<FileChanges> changes =
      workspace_.rename(at.file, at.offset, string_member(parameters, "newName"), error);
  if (!changes) throw RequestFailure{error};
  json by_uri = json::object();
  for (const auto& [file, list] : *changes)
    if (const std::optional<TextDocument> document = workspace_.document(file))
      by_uri[uri_of(file)] = edits(*document, list);
  return {{"changes", std::move(by_uri)}};
}

namespace {

int symbol_kind(nesl::OutlineItem::Kind kind) {
  switch (kind) {
    case nesl::OutlineItem::Kind::kFunction:
      return 12;
    case nesl::OutlineItem::Kind::kDatatype:
      return 23;
    case nesl::OutlineItem::Kind::kField:
      return 8;
    case nesl::OutlineItem::Kind::kVariable:
      return 13;
    case nesl::OutlineItem::Kind::kTest:
    case nesl::OutlineItem::Kind::kBench:
      return 24;  // an event
  }
  return 13;
}

json symbol_json(const TextDocument& document, const nesl::OutlineItem& item) {
  json parts = json::array();
  for (const nesl::OutlineItem& part : item.parts) parts.push_back(symbol_json(document, part));
  return {{"name", item.name.empty() ? "(no title)" : item.name},
          {"kind", symbol_kind(item.kind)},
          {"range", to_json(document.range(item.span))},
          {"selectionRange", to_json(document.range(item.name_span))},
          {"children", std::move(parts)}};
}

}  // namespace

json EditorRequests::symbols(const json& parameters) {
  std::string file;
  const Workspace::Open& open = document_of(parameters, file);
  json list = json::array();
  for (const nesl::OutlineItem& item : nesl::outline(base::Source(file, open.document.text()))) {
    json symbol = symbol_json(open.document, item);
    if (!abilities_.nested_symbols)
      symbol = {{"name", symbol["name"]},
                {"kind", symbol["kind"]},
                {"location", {{"uri", open.uri}, {"range", symbol["range"]}}}};
    list.push_back(std::move(symbol));
  }
  return list;
}

json EditorRequests::completion(const json& parameters) {
  const At at = place_of(parameters);
  const nesl::Session& session = workspace_.analysis(at.file).session();
  const nesl::CursorContext context = nesl::cursor_context(at.document.text(), at.offset);
  const json range = to_json(at.document.range({context.word.begin, at.offset}));
  json list = json::array();
  for (const CompletionItem& item : completion_items(session, at.document.text(), at.offset)) {
    json one = {{"label", item.label},
                {"kind", static_cast<int>(item.kind)},
                {"textEdit", {{"range", range}, {"newText", item.label}}}};
    if (!item.detail.empty()) one["detail"] = item.detail;
    one["data"] = at.file;
    list.push_back(std::move(one));
  }
  return list;
}

json EditorRequests::resolve_completion(const json& item) {
  json resolved = item;
  const std::string label = string_member(item, "label"), file = string_member(item, "data");
  if (std::as_const(workspace_).find(file) == nullptr || int_member(item, "kind") == int(CompletionItem::Kind::kField))
    return resolved;
  if (const auto description = workspace_.analysis(file).session().describe(label);
      description && !description->doc.empty())
    resolved["documentation"] = documentation_text(*description);
  return resolved;
}

json EditorRequests::signature(const json& parameters) {
  const At at = place_of(parameters);
  const nesl::Session& session = workspace_.analysis(at.file).session();
  const std::optional<SignatureHelp> help = signature_help(session, at.document.text(), at.offset);
  if (!help) return nullptr;
  const TextDocument label(help->label, PositionEncoding::kUtf16);
  json labels = json::array();
  for (const auto& [begin, end] : help->parameters) {
    const Range range = label.range({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    if (abilities_.label_offsets)
      labels.push_back({{"label", {range.start.character, range.end.character}}});
    else
      labels.push_back({{"label", help->label.substr(begin, end - begin)}});
  }
  json signature = {{"label", help->label}, {"parameters", std::move(labels)}};
  if (!help->documentation.empty()) signature["documentation"] = help->documentation;
  return {{"signatures", {signature}}, {"activeSignature", 0}, {"activeParameter", help->active}};
}

json EditorRequests::formatting(const json& parameters) {
  std::string file;
  const Workspace::Open& open = document_of(parameters, file);
  const base::Source source(file, open.document.text());
  base::Diagnostics errors;
  const std::optional<std::string> formatted = nesl::format(source, errors);
  if (!formatted) {
    const base::Diagnostic& first = errors.all().front();
    throw RequestFailure{fmt::format("not formatted, because line {} has an error: {}",
                                     open.document.position(first.span.begin).line + 1, first.message)};
  }
  return edits(open.document, changed_lines(source.text(), *formatted));
}

json EditorRequests::code_actions(const json& parameters) {
  std::string file;
  const Workspace::Open& open = document_of(parameters, file);
  const Range range = range_member(parameters, "range");
  const base::Span wanted{open.document.offset(range.start), open.document.offset(range.end)};
  const json& context = member(parameters, "context");
  if (context.contains("only") && !lists(context, {"only"}, "quickfix")) return json::array();
  const ProgramAnalysis& program = workspace_.analysis(file, ProgramAnalysis::Depth::kProgram);
  json actions = json::array();
  for (const base::Diagnostic& diagnostic : program.diagnostics().all()) {
    if (diagnostic.span.end < wanted.begin || wanted.end < diagnostic.span.begin) continue;
    for (const QuickFix& fix : quick_fixes(program.session(), program.source(), diagnostic))
      actions.push_back({{"title", fix.title},
                         {"kind", "quickfix"},
                         {"diagnostics", {diagnostic_json(open, diagnostic)}},
                         {"edit", {{"changes", {{open.uri, edits(open.document, fix.changes)}}}}}});
  }
  return actions;
}

}  // namespace nesl_cli
