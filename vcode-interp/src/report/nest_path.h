#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"

namespace interp {

/// Where in the nested apply-to-each expressions of the source an element is.
struct NestPath {
  std::vector<std::int64_t> positions;  ///< of the element in its sequence, of that sequence in the enclosing one, …
  bool complete = false;                ///< the last one is of the outermost level

  /// "[12][3]", outermost first; "…[3]" if more levels are around it; empty if there are no positions.
  std::string text() const;
};

/// The site of an instruction. Null if it has none, or one that names a place only.
const vcode::InstructionSite* site_of(const vcode::Program& program, LinkedProgram::Origin origin);
/// The site of the instruction where the machine stands, or of the step of a kernel that failed there. Null as
/// for site_of().
const vcode::InstructionSite* present_site(const vcode::Program& program, const Machine& machine);

/// Where an instruction is: its own site, or the last place named before it in its function; or null.
const vcode::InstructionSite* place_of(const vcode::Program& program, LinkedProgram::Origin origin);
/// The same for the instruction, or the step of a kernel, where the machine stands.
const vcode::InstructionSite* present_place(const vcode::Program& program, const Machine& machine);

/// The path of the element that an instruction failed at, from the sites of the instruction and of the calls that led
/// to it. `element` is its index in the vectors that the instruction works on; if it is not known, the path is empty.
NestPath trace_nest(const Machine& failed, const vcode::Program& program, std::optional<std::int64_t> element,
                    bool strict);

/// The first false element of the flags that are the innermost nest of an EXIT.
std::optional<std::int64_t> first_false(const runtime::Value& flags, runtime::Evaluator& evaluator);

}  // namespace interp
