#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "machine/source_location.h"

namespace interp {

/// The position of an element in the nested apply-to-eaches of the source.
struct NestPath {
  std::vector<std::int64_t> positions;  ///< of the element in its sequence, of that sequence in the enclosing one, …
  bool complete = false;                ///< positions.back() is that in the outermost sequence

  /// The positions as text, outermost first: "[12][3]"; "…[3]" if the path is not complete; empty without positions.
  std::string text() const;
};

/// The site of an instruction. Null if there is none, or if the site has only a location.
const vcode::InstructionSite* site_of(const vcode::Program& program, LinkedProgram::Origin origin);
/// The site of the machine's current instruction, or of the kernel step that failed. Null as for site_of().
const vcode::InstructionSite* present_site(const vcode::Program& program, const Machine& machine);

/// The location of the machine's current instruction, or of the kernel step that failed; or null.
const vcode::InstructionSite* present_location(const vcode::Program& program, const Machine& machine);

/// The path of the element at fault, derived from the sites of the failed instruction and of the calls that led to it.
/// `element` is the index in the operands of the instruction; without it, the path is empty.
NestPath trace_nest(const Machine& failed, const vcode::Program& program, std::optional<std::int64_t> element,
                    bool strict);

/// The first false element of the flags at the innermost nesting level of an EXIT; nothing if there is none.
std::optional<std::int64_t> first_false(const runtime::Value& flags, runtime::Evaluator& evaluator);

}  // namespace interp
