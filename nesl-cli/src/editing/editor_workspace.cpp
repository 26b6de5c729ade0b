#include "editor_workspace.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"
#include "nesl-compiler/cursor.h"

namespace nesl_cli {

namespace {

constexpr std::string_view kScheme = "file://";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string changed(const std::string& text, const std::vector<TextChange>& changes) {
  std::string result;
  std::size_t at = 0;
  for (const TextChange& change : changes) {
    result += text.substr(at, change.span.begin - at) + change.text;
    at = change.span.end;
  }
  return result + text.substr(at);
}

}  // namespace

std::string file_of_uri(const std::string& uri) {
  if (!uri.starts_with(kScheme)) return uri;
  const std::size_t path = uri.find('/', kScheme.size());  // behind the name of the host
  if (path == uri.npos) return uri;
  std::string file;
  for (std::size_t at = path; at < uri.size(); ++at) {
    const int high = uri[at] == '%' && at + 2 < uri.size() ? hex_digit(uri[at + 1]) : -1;
    const int low = high >= 0 ? hex_digit(uri[at + 2]) : -1;
    file += low >= 0 ? static_cast<char>(high * 16 + low) : uri[at];
    if (low >= 0) at += 2;
  }
  return file;
}

std::string uri_of_file(const std::string& file) {
  if (!file.starts_with('/')) return file;
  std::string uri(kScheme);
  for (const char c : file) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Workspace::Workspace(bool wide_ints, std::string library_folder)
    : library_folder_(std::move(library_folder)),
      analysis_(wide_ints, [this](const std::string& file, std::string& error) { return text_of(file, error); }) {}

std::optional<std::string> Workspace::text_of(const std::string& file, std::string& error) const {
  if (const auto text = changed_texts_.find(file); text != changed_texts_.end()) return text->second;
  if (const Open* open = find(file)) return open->document.text();
  std::string text;
  std::error_code failure;
  // Reading a pipe or a device could take for ever.
  if (!std::filesystem::is_regular_file(file, failure)) {
    const bool exists = std::filesystem::exists(file, failure);
    error =
        fmt::format("cannot open {}: {}", base::printable(file), exists ? "not a file" : "No such file or directory");
    return std::nullopt;
  }
  return base::read_file(file, text, error) ? std::optional(std::move(text)) : std::nullopt;
}

void Workspace::open(const std::string& uri, std::string text, std::int64_t version) {
  open_.insert_or_assign(file_of_uri(uri), Open{uri, TextDocument(std::move(text), encoding_), version});
  note_change();
}

void Workspace::close(const std::string& file) {
  open_.erase(file);
  note_change();
}

const Workspace::Open* Workspace::find(const std::string& file) const {
  const auto at = open_.find(file);
  return at == open_.end() ? nullptr : &at->second;
}

Workspace::Open* Workspace::find(const std::string& file) { return const_cast<Open*>(std::as_const(*this).find(file)); }

void Workspace::note_change() {
  analysed_.clear();
  for (auto& [file, open] : open_) open.is_published = false;
}

const ProgramAnalysis& Workspace::analysis(const std::string& file, ProgramAnalysis::Depth depth) {
  if (analysed_ == file && analysed_depth_ >= depth) return analysis_;
  analysed_.clear();
  std::string error;
  analysis_.analyze(file, text_of(file, error).value_or(""), depth);
  analysed_ = file;
  analysed_depth_ = depth;
  return analysis_;
}

std::optional<TextDocument> Workspace::document(const std::string& file) const {
  if (const Open* open = find(file)) return open->document;
  std::string error;
  std::optional<std::string> text = text_of(file, error);
  return text ? std::optional(TextDocument(std::move(*text), encoding_)) : std::nullopt;
}

/// The file with a text of the library, which is written if it is not there yet. Empty if that fails.
std::string Workspace::library_file(const base::Source& source) const {
  if (library_folder_.empty()) return {};
  std::error_code failure;
  std::filesystem::create_directories(library_folder_, failure);
  const std::string file =
      (std::filesystem::path(library_folder_) / std::filesystem::path(source.name()).filename()).string();
  std::string present, error;
  if (std::filesystem::is_regular_file(file, failure) && base::read_file(file, present, error) &&
      present == source.text())
    return file;
  return base::write_file(file, std::string(source.text()), error) ? file : std::string();
}

std::optional<FileRange> Workspace::definition(const std::string& file, std::uint32_t offset) {
  const ProgramAnalysis& program = analysis(file);
  const std::optional<nesl::NameUse> use = program.name_at(offset);
  if (!use) return std::nullopt;
  const ProgramAnalysis::FilePlace place = program.place_in_file(program.session().names_in_texts().declaration(*use));
  if (place.source == nullptr) return std::nullopt;
  if (program.is_library(*place.source)) {
    const std::string shown = library_file(*place.source);
    if (shown.empty()) return std::nullopt;
    const TextDocument text(std::string(place.source->text()), encoding_);
    return FileRange{shown, text.range(place.span)};
  }
  const std::optional<TextDocument> text = document(place.source->name());
  return text ? std::optional(FileRange{place.source->name(), text->range(place.span)}) : std::nullopt;
}

/// Adds the places of a name in the program that has been analysed.
void Workspace::add_occurrences(const std::string& declared_file, std::uint32_t declared, Occurrences& found) {
  const nesl::NameUses& names = analysis_.session().names_in_texts();
  for (const nesl::NameUse& use : names.every()) {
    const ProgramAnalysis::FilePlace place = analysis_.place_in_file(names.declaration(use));
    if (place.source == nullptr || place.source->name() != declared_file || place.span.begin != declared) continue;
    const ProgramAnalysis::FilePlace here = analysis_.place_in_file(use.place);
    nesl::NameUse moved = use;
    moved.place.span = here.span;
    const auto [at, is_new] = found[here.source->name()].try_emplace(here.span.begin, moved);
    if (!is_new) at->second.binds = at->second.binds || use.binds;
  }
}

/// The places of a name in the program of a file, which has been analysed, and in those of the other open files.
Workspace::Occurrences Workspace::occurrences(const std::string& file, const std::string& declared_file,
                                              std::uint32_t declared) {
  Occurrences found;
  add_occurrences(declared_file, declared, found);
  for (const auto& [other, open] : open_) {
    if (other == file) continue;
    analysis(other);
    add_occurrences(declared_file, declared, found);
  }
  return found;
}

std::vector<FileRange> Workspace::references(const std::string& file, std::uint32_t offset, bool with_declaration) {
  const ProgramAnalysis& program = analysis(file);
  const std::optional<nesl::NameUse> use = program.name_at(offset);
  if (!use) return {};
  const ProgramAnalysis::FilePlace declared =
      program.place_in_file(program.session().names_in_texts().declaration(*use));
  if (declared.source == nullptr) return {};
  const std::string declared_file = declared.source->name();
  const Occurrences found = occurrences(file, declared_file, declared.span.begin);
  std::vector<FileRange> ranges;
  for (const auto& [name, places] : found) {
    const std::optional<TextDocument> text = document(name);
    if (!text) continue;
    for (const auto& [begin, place] : places)
      if (with_declaration || !place.binds) ranges.push_back({name, text->range(place.place.span)});
  }
  return ranges;
}

std::optional<base::Span> Workspace::can_rename(const std::string& file, std::uint32_t offset, std::string& error) {
  const ProgramAnalysis& program = analysis(file);
  const std::optional<nesl::NameUse> use = program.name_at(offset);
  const ProgramAnalysis::FilePlace declared =
      use ? program.place_in_file(program.session().names_in_texts().declaration(*use)) : ProgramAnalysis::FilePlace{};
  const base::Span span = use ? program.place_in_file(use->place).span : base::Span{};
  if (declared.source == nullptr)
    error = "there is no name here, or its statement has an error";
  else if (program.is_library(*declared.source))
    error = fmt::format("{} belongs to the library", program.source().text(span));
  else if (has_syntax_errors(program.diagnostics()))
    error = "the program has errors of syntax: the names in such statements are not known";
  return error.empty() ? std::optional(span) : std::nullopt;
}

std::optional<FileChanges> Workspace::rename(const std::string& file, std::uint32_t offset, const std::string& name,
                                             std::string& error) {
  if (!can_rename(file, offset, error)) return std::nullopt;
  if (!nesl::can_be_defined(name)) {
    error = fmt::format("'{}' cannot be a name", base::printable(name));
    return std::nullopt;
  }
  const ProgramAnalysis& program = analysis(file);
  const nesl::NameUse use = *program.name_at(offset);
  const ProgramAnalysis::FilePlace declared =
      program.place_in_file(program.session().names_in_texts().declaration(use));
  const std::string declared_file = declared.source->name(), old_name(use.place.source->text(use.place.span));
  const Occurrences found = occurrences(file, declared_file, declared.span.begin);
  FileChanges changes;
  for (const auto& [changed_file, places] : found)
    for (const auto& [begin, place] : places) changes[changed_file].push_back({place.place.span, name});
  if (keeps_meaning(file, changes, declared_file, declared.span.begin)) return changes;
  error = fmt::format("{} cannot be renamed to {}: that is another name in a place where it is used", old_name, name);
  return std::nullopt;
}

// Analyses the program with the changes. It must not have more errors than before, and the declared name must have the
// places of the changes and no others.
bool Workspace::keeps_meaning(const std::string& file, const FileChanges& changes, const std::string& declared_file,
                              std::uint32_t declared) {
  const int errors = analysis(file).diagnostics().errors();
  std::string error;
  std::map<std::string, std::string> texts;
  for (const auto& [name, list] : changes) texts[name] = changed(text_of(name, error).value_or(""), list);
  const auto moved = [&](const std::string& name, std::uint32_t offset) {
    std::int64_t shift = 0;
    for (const TextChange& change : changes.at(name))
      if (change.span.end <= offset)
        shift += static_cast<std::int64_t>(change.text.size()) - (change.span.end - change.span.begin);
    return static_cast<std::uint32_t>(offset + shift);
  };
  changed_texts_ = std::move(texts);
  analysed_.clear();
  Occurrences found;
  const bool has_new_errors = analysis(file).diagnostics().errors() > errors;
  add_occurrences(declared_file, moved(declared_file, declared), found);
  const auto read = analysis_.files();
  changed_texts_.clear();
  analysed_.clear();
  if (has_new_errors) return false;
  for (const auto& [name, places] : found)
    if (!changes.contains(name) || places.size() != changes.at(name).size()) return false;
  for (const auto& [name, list] : changes) {
    if (!read.contains(name)) continue;  // of another open program
    for (const TextChange& change : list)
      if (!found.contains(name) || !found.at(name).contains(moved(name, change.span.begin))) return false;
  }
  return true;
}

}  // namespace nesl_cli
