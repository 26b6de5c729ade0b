#pragma once

namespace nesl_cli {

// The parts of a viewer's page that are the same for all programs.

/// Rules for the elements inside of .nesl-show only.
extern const char* const kPageStyle;
/// The buttons that choose a step; the script shows them.
extern const char* const kPageControls;
/// Shows one step at a time, in each viewer of the page.
extern const char* const kPageScript;

}  // namespace nesl_cli
