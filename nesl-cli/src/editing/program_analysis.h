#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "nesl-compiler/session.h"

namespace nesl_cli {

/// Whether there are errors for which the parser drops statements, so that their names are not known.
bool has_syntax_errors(const base::Diagnostics& diagnostics);

/// The analysis of one program with the files that it loads, for an editor: nothing is run.
class ProgramAnalysis {
 public:
  /// The text of a file, which may be open in the editor; nothing, with a message in `error`, if it cannot be read.
  using ReadFile = std::function<std::optional<std::string>(const std::string& file, std::string& error)>;
  enum class Depth {
    kTypes,    ///< names and types
    kProgram,  ///< also whether the values can be compiled, as `nesl check` finds out
  };

  /// With `wide_ints`, the program may have literals of 64 bits.
  ProgramAnalysis(bool wide_ints, ReadFile read_file);

  /// Analyses a program in place of the previous one. `file` is its name. Throws base::Stopped after a stop request;
  /// the analysis is then incomplete until the next call.
  void analyze(const std::string& file, const std::string& text, Depth depth);

  const nesl::Session& session() const { return session_; }
  /// The text of the program, not of a file that it loads.
  const base::Source& source() const { return *source_; }
  /// Errors and warnings, with spans in source().
  const base::Diagnostics& diagnostics() const { return diagnostics_; }

  /// A place in the text of a file. A test in a comment has a text of its own in the session; here it is part of its
  /// file.
  struct FilePlace {
    const base::Source* source = nullptr;  ///< that of the library, of the program, or of a file that it loads
    base::Span span{};
  };
  FilePlace place_in_file(const nesl::Place& place) const;
  /// Whether a text belongs to the library, not to the program.
  bool is_library(const base::Source& source) const;
  /// The names of the program and of the files that it loads.
  std::set<std::string> files() const;
  /// The recorded name at an offset of the program; nothing if there is none.
  std::optional<nesl::NameUse> name_at(std::uint32_t offset) const;

 private:
  void read(const base::Source& source, int depth, base::Diagnostics& diagnostics);
  void use(nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics);
  void load(const nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics);
  void check_main();
  void analyze_trials();
  void analyze_trial(const nesl::Unit& unit);
  void check(const nesl::Unit& unit, base::Diagnostics& diagnostics);
  void keep(const base::Source& source, const base::Diagnostics& found);

  ReadFile read_file_;
  nesl::Session session_;
  Depth depth_ = Depth::kTypes;
  const base::Source* source_ = nullptr;
  std::vector<const base::Source*> files_;       ///< the program and what it loads
  std::vector<std::string> loading_;             ///< the files that are being read, the program first
  std::vector<const base::Source*> test_texts_;  ///< tests in comments of the program
  std::vector<nesl::Unit> trials_;
  std::optional<base::Span> main_;  ///< the definition of main, if a run of the program ends with a call of it
  base::Diagnostics diagnostics_;
  bool lacks_definitions_ = false;  ///< the name of a loaded file is not known
};

}  // namespace nesl_cli
