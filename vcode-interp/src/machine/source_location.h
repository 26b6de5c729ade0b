#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/link.h"
#include "vcode/program.h"

namespace interp {

/// Source location of the last step that has one: function, file, line and column, as in "smxv:smxv.nesl:1:34". Empty
/// if no step has a location.
std::string kernel_location(const vcode::Program& program, const vcode::Kernel& kernel);
/// All lines that the steps of the kernel come from in the file of kernel_location(), in ascending order.
std::vector<std::uint32_t> kernel_lines(const vcode::Program& program, const vcode::Kernel& kernel);

/// The site of the last instruction (or step) that has one among the first `count`; or null.
template <class Instructions>
const vcode::InstructionSite* last_location(const vcode::Program& program, const Instructions& all, std::size_t count) {
  while (count > 0 && all[count - 1].site == vcode::kNoSite) --count;
  return count == 0 ? nullptr : &program.sites[all[count - 1].site];
}

/// The location of an instruction: its own site, or the last site before it in its function; or null.
const vcode::InstructionSite* location_of(const vcode::Program& program, LinkedProgram::Origin origin);

/// The location to which the cost of an instruction counts: of a kernel its kernel_location(), of other instructions
/// the last location of their function up to them, or in front of all of them the first. Null if the function is in a
/// library, or has none.
const vcode::Site* line_of(const vcode::Program& program, LinkedProgram::Origin origin);

/// Whether any instruction has a location in a source program, outside of libraries.
bool has_locations(const vcode::Program& program);

/// Name of a source function, from Site::function, for tables: what belongs to none is of the top level.
std::string shown_name(const std::string& function);
/// The source function that a function was compiled from. Of libraries, whose sites do not have it, it is made from the
/// label, as the NESL compiler makes labels from names; in a program without locations it is the label.
std::string source_function(const vcode::Program& program, std::uint32_t function);

}  // namespace interp
