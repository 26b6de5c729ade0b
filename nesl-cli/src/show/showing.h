#pragma once

#include <string>
#include <vector>

#include "show/fused_loops.h"
#include "show/step.h"

namespace nesl_cli {

/// A run that is shown step by step.
struct Showing {
  std::string title;  ///< the expression
  std::vector<Step> steps;
  std::size_t omitted = 0;  ///< number of later steps, which were not recorded
  std::vector<FusedLoop> loops;
  std::string result;   ///< the reply, "it = 3 : int"; empty if the run has failed
  std::string failure;  ///< the report of a failed run
};

// Words about a step, the same in texts and pages.

/// The expression, pattern or parameter of a step, on one line of at most 60 characters.
std::string step_title(const Step& step);
/// The function and the level of recursion; how many instances are computed at once, and which are left out. Empty for
/// a step at the top level.
std::string step_context(const Step& step);
/// Numbers of the loops, from 1, that contain operations of the step.
std::vector<std::size_t> loops_of(const Showing& showing, const Step& step);
/// Text of a place, on one line of at most `longest` bytes.
std::string place_text(const nesl::Place& place, std::size_t longest = 60);
/// How many steps are missing; empty if none is.
std::string omission_text(const Showing& showing);

/// The steps as text for a terminal: for each step its source, nested value and flat vectors. With `colours`, segments
/// and their elements have the same colour, by ANSI escape sequences.
std::string show_text(const Showing& showing, bool colours);

/// The steps as HTML that needs no other file: a whole page, or a part of one, for the output of a notebook.
std::string show_page(const Showing& showing);
std::string show_fragment(const Showing& showing);

}  // namespace nesl_cli
