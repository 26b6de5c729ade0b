#pragma once

#include <string>

#include "nesl-compiler/session.h"

namespace nesl_cli {

/// What is known of a name, in lines: its type and its documentation. Empty if there is no such name.
std::string description_text(const nesl::Session& session, const std::string& name);

/// The names and types of everything whose name or documentation contains the word. Empty if there is none.
std::string apropos_text(const nesl::Session& session, const std::string& word);

/// "there is no NAME", and a similar name if there is one.
std::string unknown_name_text(const nesl::Session& session, const std::string& name);

}  // namespace nesl_cli
