#pragma once

#include <functional>
#include <memory>
#include <string>

#include "completion.h"
#include "line_source.h"

namespace nesl_cli {

/// Whether the line editor reads the user's settings (~/.editrc).
enum class EditorFiles { kUsers, kNone };

/// Reads lines from the terminal on standard input with a line editor. The history is kept in a file (none if the name
/// is empty); Tab completes the text before the cursor.
std::unique_ptr<LineSource> line_editor(const std::string& history_file, EditorFiles files,
                                        std::function<Completion(std::string_view before)> completer);

}  // namespace nesl_cli
