#pragma once

#include <string>

#include "nesl-compiler/session.h"

namespace nesl_cli {

/// Type and documentation of a name, in lines. Empty if there is no such name.
std::string description_text(const nesl::Session& session, const std::string& name);

/// Names and types of all definitions whose name or documentation contains the word. Empty if there are none.
std::string apropos_text(const nesl::Session& session, const std::string& word);

/// The message "there is no NAME", with a similar name if there is one.
std::string unknown_name_text(const nesl::Session& session, const std::string& name);

}  // namespace nesl_cli
