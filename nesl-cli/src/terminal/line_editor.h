#pragma once

#include <functional>
#include <memory>
#include <string>

#include "completion.h"
#include "line_source.h"

namespace nesl_cli {

/// Whether the user's settings of the editor (~/.editrc) are read.
enum class EditorFiles { kUsers, kNone };

/// Lines typed at the terminal that standard input is, edited, with a history kept in a file (none if the name is
/// empty) and with Tab completing what stands before the cursor.
std::unique_ptr<LineSource> line_editor(const std::string& history_file, EditorFiles files,
                                        std::function<Completion(std::string_view before)> completer);

}  // namespace nesl_cli
