#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "editing/program_analysis.h"
#include "editing/text_document.h"
#include "quick_fixes.h"

namespace nesl_cli {

/// The path of a file: URI; any other URI stays as it is.
std::string file_of_uri(const std::string& uri);
/// The URI of a file; a name that is a URI stays as it is.
std::string uri_of_file(const std::string& file);

/// A range of a file.
struct FileRange {
  std::string file;
  Range range;
};

/// Changes of several files, by their names.
using FileChanges = std::map<std::string, std::vector<TextChange>>;

/// The texts that are open in an editor, and the analysis of one of them at a time.
class Workspace {
 public:
  struct Open {
    std::string uri;
    TextDocument document;
    std::int64_t version = 0;
    bool is_published = false;  ///< the editor has the diagnostics of the present state
  };

  /// `library_folder`: where texts of the library are written when a definition in them is to be shown; may be empty.
  Workspace(bool wide_ints, std::string library_folder);

  void set_encoding(PositionEncoding encoding) { encoding_ = encoding; }
  void open(const std::string& uri, std::string text, std::int64_t version);
  void close(const std::string& file);
  /// Null if the file is not open.
  const Open* find(const std::string& file) const;
  Open* find(const std::string& file);
  std::map<std::string, Open>& all() { return open_; }
  /// Must be called after each change of a text, and when files may have changed on disk.
  void note_change();

  /// The analysis of an open file, with types at least. Throws base::Stopped.
  const ProgramAnalysis& analysis(const std::string& file,
                                  ProgramAnalysis::Depth depth = ProgramAnalysis::Depth::kTypes);

  /// The definition of the name at an offset; nothing if there is none, or no file has it.
  std::optional<FileRange> definition(const std::string& file, std::uint32_t offset);
  /// The places of the name at an offset, in all open programs and what they load.
  std::vector<FileRange> references(const std::string& file, std::uint32_t offset, bool with_declaration);
  /// The span of a name that can be renamed; otherwise nothing, and the reason in `error`.
  std::optional<base::Span> can_rename(const std::string& file, std::uint32_t offset, std::string& error);
  /// The changes that rename a name, after a check that all names keep their meaning. After an error nothing, and the
  /// reason in `error`.
  std::optional<FileChanges> rename(const std::string& file, std::uint32_t offset, const std::string& name,
                                    std::string& error);
  /// A document with the text of a file, open or not; nothing if it cannot be read.
  std::optional<TextDocument> document(const std::string& file) const;

 private:
  /// Places of one name, in order, by the names of files.
  using Occurrences = std::map<std::string, std::map<std::uint32_t, nesl::NameUse>>;

  std::optional<std::string> text_of(const std::string& file, std::string& error) const;
  Occurrences occurrences(const std::string& file, const std::string& declared_file, std::uint32_t declared);
  void add_occurrences(const std::string& declared_file, std::uint32_t declared, Occurrences& found);
  bool keeps_meaning(const std::string& file, const FileChanges& changes, const std::string& declared_file,
                     std::uint32_t declared);
  std::string library_file(const base::Source& source) const;

  PositionEncoding encoding_ = PositionEncoding::kUtf16;
  const std::string library_folder_;
  std::map<std::string, Open> open_;
  std::map<std::string, std::string> changed_texts_;  ///< stand in place of files during a check of changes
  ProgramAnalysis analysis_;
  std::string analysed_;  ///< the file of the analysis; empty: none
  ProgramAnalysis::Depth analysed_depth_ = ProgramAnalysis::Depth::kTypes;
};

}  // namespace nesl_cli
