#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "vcode/cuts.h"
#include "vcode/kernel.h"
#include "vcode/op.h"

namespace vcode {

/// The values of the stream names that CONST INT accepts.
enum class Stream : std::int8_t { kNull = -1, kStdin = 0, kStdout = 1, kStderr = 2 };

/// The operand of CONST. Exactly one of the data members is used, by `type`: ints for INT, SEGDES (segment
/// lengths) and CHAR (signed character codes), floats for FLOAT, bools for BOOL. So that a text can express
/// it, a float must be finite; a CHAR constant with codes that no string can hold (a double quote, or outside -128
/// to 127) is printed as the same value of type INT.
struct Constant {
  Suffix type = Suffix::kInt;
  bool bracketed = false;             ///< written as a vector; a plain scalar otherwise
  std::optional<Stream> stream = {};  ///< written as a stream name; ints holds its value
  std::vector<std::int64_t> ints = {};
  std::vector<double> floats = {};
  std::vector<std::uint8_t> bools = {};

  std::size_t size() const { return ints.size() + floats.size() + bools.size(); }
  friend bool operator==(const Constant&, const Constant&) = default;
};

enum class Statement : std::uint8_t {
  kOp,     ///< an instruction of ops.def
  kConst,  ///< target: index into Program::constants
  kCopy,   ///< count, depth
  kPop,    ///< count, depth
  kCpop,   ///< count, depth
  kPair,
  kUnpair,
  kCall,  ///< target: index into Program::functions
  kIf,    ///< target: index, in this body, of the matching ELSE, or ENDIF where there is none
  kElse,  ///< target: index of the matching ENDIF
  kEndif,
  kFused,  ///< target: index into Program::kernels
};

/// A place in the source language a program was compiled from, for run-time errors.
struct Site {
  std::string file = {};  ///< as reported; empty: part of a library, the caller's place is reported
  std::uint32_t line = 0, column = 0;
  std::string function = {};  ///< the source function it is in
  std::string message = {};   ///< what to say if the instruction fails; empty: the machine's own words
  std::string values = {};    ///< of REQUIRE: how to tell its numbers, with %a and %b for them; not without a message
  /// Of an ASSERT that stands for a check of the program's own: what the program says, on standard error, before it
  /// ends as by an EXIT with this site. As an EXIT without a site if `line` is 0.
  std::string said = {};
  /// Whether the place of a call counts instead of this one.
  bool is_of_library() const { return file.empty() && (said.empty() || line != 0); }
  friend bool operator==(const Site&, const Site&) = default;
};

inline constexpr std::uint32_t kNoCall = UINT32_MAX;

/// A call in the source program, from a function that is not of a library, of which nothing is left in the program but
/// what the function does: it was inlined.
struct InlinedCall {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::string function = {};       ///< the source function the call is in
  std::uint32_t around = kNoCall;  ///< the call of that function, if that was inlined as well: an earlier one
};

/// Where an instruction comes from, and how to find which element of which enclosing apply-to-each failed. Written
/// as a comment behind the instruction, see docs/vcode.md.
struct InstructionSite {
  Site site = {};
  /// The descriptors (SEGDES) and index vectors (INT) that lead from an element of the instruction out to the
  /// enclosing levels, innermost first: distances from the top of the stack before the instruction runs.
  std::vector<std::uint32_t> nest = {};
  bool outermost = false;  ///< the nest ends here: no apply-to-each of the calling functions is around it
  /// Only the place is known, not the nest. An instruction without a site is at the last place named before it in its
  /// function.
  bool place_only = false;
  std::uint32_t inlined = kNoCall;  ///< index into Program::inlined: the call that brought the instruction here
  friend bool operator==(const InstructionSite&, const InstructionSite&) = default;
};
inline constexpr std::uint32_t kNoSite = UINT32_MAX;

/// One statement of a function. Bodies are flat: IF, ELSE and ENDIF are statements that know their partner.
struct Instruction {
  Statement statement = Statement::kOp;
  Op op = Op::kExit;
  Suffix suffix = Suffix::kNone;
  std::uint32_t target = 0;
  std::int64_t count = 0;
  std::int64_t depth = 0;
  base::Span span = {};
  std::uint32_t site = kNoSite;  ///< index into Program::sites
};

/// The I … O … list after a function's name. Nothing depends on it.
struct Annotation {
  std::vector<Suffix> inputs, outputs;
  friend bool operator==(const Annotation&, const Annotation&) = default;
};

struct Function {
  std::string name;
  std::optional<Annotation> annotation;
  Cuts cuts = {};  ///< of FCODE: how a call may be run in pieces
  std::vector<Instruction> body;
  base::Span span = {};      ///< of the name
  base::Span ret_span = {};  ///< of RET
};

/// The version of FCODE that is read and written.
inline constexpr std::int64_t kFcodeVersion = 1;

/// A step of a kernel as the instruction it stands for.
Instruction step_instruction(const Kernel::Step& step);

/// A whole VCODE or FCODE file. Where a label is defined twice, the last definition has replaced the first.
struct Program {
  bool is_fcode = false;  ///< the file starts with FCODE 1
  std::vector<Kernel> kernels;
  std::vector<Function> functions;  ///< in the order of first definition
  std::vector<Constant> constants;
  std::vector<InstructionSite> sites;
  std::vector<InlinedCall> inlined;
  std::uint32_t entry = 0;  ///< MAIN, else the first function

  /// Equal in everything but the spans.
  friend bool operator==(const Program& a, const Program& b);
};

}  // namespace vcode
