#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nesl-compiler/session.h"

namespace nesl_cli {

/// A candidate for the word at a position. The numbers are those of CompletionItemKind in the Language Server Protocol.
struct CompletionItem {
  enum class Kind { kFunction = 3, kField = 5, kVariable = 6, kKeyword = 14, kDatatype = 22 };
  std::string label;
  Kind kind = Kind::kVariable;
  std::string detail{};  ///< the type, if it is known
};

/// The candidates at an offset of a text, sorted by name: the names of the session, those in the same statement and
/// reserved words, or behind a point the fields of all datatypes. Case does not matter.
std::vector<CompletionItem> completion_items(const nesl::Session& session, std::string_view text, std::uint32_t offset);

/// The parameters of the call around a position.
struct SignatureHelp {
  std::string label;  ///< name(parameter : type, …), or name : type for functions without named parameters
  std::vector<std::pair<std::size_t, std::size_t>> parameters{};  ///< ranges of bytes of the label
  std::size_t active = 0;                                         ///< number of the parameter at the position
  std::string documentation{};
};
std::optional<SignatureHelp> signature_help(const nesl::Session& session, std::string_view text, std::uint32_t offset);

}  // namespace nesl_cli
