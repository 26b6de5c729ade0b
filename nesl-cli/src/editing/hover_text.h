#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "editing/program_analysis.h"

namespace nesl_cli {

/// Documentation of a name in a program.
struct HoverText {
  std::string signature;      ///< as NESL: name(parameters) : type
  std::string documentation;  ///< in words; may be empty
  base::Span span{};          ///< of the name
};
/// Type and documentation of the name, word or operator at an offset; nothing if there is none. In a statement with
/// errors of syntax only global names are known.
std::optional<HoverText> hover_text(const ProgramAnalysis& program, std::uint32_t offset);

/// Documentation of a definition: the text of the library, or of the string behind a function's parameters. Sentences
/// about work and depth become a paragraph of their own. Empty if there is none.
std::string documentation_text(const nesl::Description& description);

/// The comment that ends on the line above a place, without its signs of comments; empty if there is none.
std::string comment_above(std::string_view text, std::uint32_t offset);

}  // namespace nesl_cli
