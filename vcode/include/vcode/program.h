#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "vcode/kernel.h"
#include "vcode/op.h"
#include "vcode/piece_operands.h"

namespace vcode {

/// The values of the stream names that CONST INT accepts.
enum class Stream : std::int8_t { kNull = -1, kStdin = 0, kStdout = 1, kStderr = 2 };

/// The operand of CONST. Exactly one of the data members is used, by `type`: ints for INT, SEGDES (segment lengths) and
/// CHAR (signed character codes), floats for FLOAT, bools for BOOL. A float must be finite, as texts express no others.
/// A CHAR constant with codes that no string can hold (a double quote, or outside -128 to 127) is printed as the same
/// value of type INT.
struct Constant {
  Suffix type = Suffix::kInt;
  bool bracketed = false;             ///< written as a vector, not as a plain scalar
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
  kIf,    ///< target: index, in this body, of the matching ELSE, or of ENDIF if there is none
  kElse,  ///< target: index of the matching ENDIF
  kEndif,
  kFused,  ///< target: index into Program::kernels
};

/// A location in the source program, for run-time errors.
struct Site {
  std::string file =
      {};  ///< name for messages; empty: part of a library, whose errors are reported at the caller's location
  std::uint32_t line = 0, column = 0;
  std::string function = {};  ///< the source function that contains the location
  std::string message = {};   ///< the message if the instruction fails; empty: a message of the machine
  std::string values = {};    ///< of REQUIRE: text about its two numbers, %a and %b; only with a message
  /// Only of an ASSERT for a check in the source program: the program's own message, printed to standard error before
  /// the program ends like an EXIT with this site, or like one without a site if the rest is empty.
  std::string said = {};
  /// Whether errors are reported at the location of the call instead of this one.
  bool is_of_library() const { return file.empty() && !is_nowhere(); }
  /// Whether there is a text that the program says, and neither a location nor a message.
  bool is_nowhere() const { return !said.empty() && file.empty() && message.empty(); }
  friend bool operator==(const Site&, const Site&) = default;
};

inline constexpr std::uint32_t kNoCall = UINT32_MAX;

/// An inlined call in the source program, from a function that is not part of a library. Only the body of the callee is
/// left in the program.
struct InlinedCall {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::string function = {};       ///< the source function that contains the call
  std::uint32_t around = kNoCall;  ///< the call of that function if it was inlined too: an earlier entry
};

/// The source location of an instruction, and the path to the failed element of each enclosing apply-to-each. Written
/// as a comment behind the instruction, see docs/vcode.md.
struct InstructionSite {
  Site site = {};
  /// The nest path: descriptors (SEGDES) and index vectors (INT) that lead from an element of the instruction out to
  /// the enclosing nesting levels, innermost first, as distances from the top of the stack before the instruction runs.
  std::vector<std::uint32_t> nest = {};
  bool outermost = false;  ///< the nest ends here: no apply-to-each of the calling functions is around it
  /// Only the location is known, not the nest. An instruction without a site is at the last location named before it in
  /// its function.
  bool location_only = false;
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

/// The I … O … list after a function's name. Ignored by everything but the printer.
struct Annotation {
  std::vector<Suffix> inputs, outputs;
  friend bool operator==(const Annotation&, const Annotation&) = default;
};

struct Function {
  std::string name;
  std::optional<Annotation> annotation;
  PieceOperands piece_operands = {};  ///< of FCODE: the parts of its operands that a piece of a call takes
  std::vector<Instruction> body;
  base::Span span = {};      ///< span of the name
  base::Span ret_span = {};  ///< span of RET
};

/// The version of FCODE that is read and written.
inline constexpr std::int64_t kFcodeVersion = 1;

/// The instruction that is equivalent to a step of a kernel.
Instruction step_instruction(const Kernel::Step& step);

/// A whole VCODE or FCODE file. The last definition of a label has replaced earlier ones.
struct Program {
  bool is_fcode = false;  ///< the file starts with FCODE 1
  std::vector<Kernel> kernels;
  std::vector<Function> functions;  ///< in the order of first definition
  std::vector<Constant> constants;
  std::vector<InstructionSite> sites;
  std::vector<InlinedCall> inlined;
  std::uint32_t entry = 0;  ///< MAIN, else the first function

  /// Equality of everything but the spans.
  friend bool operator==(const Program& a, const Program& b);
};

}  // namespace vcode
