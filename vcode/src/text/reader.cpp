#include "vcode/reader.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/check.h"
#include "base/suggestion.h"
#include "constant_reader.h"
#include "kernel_reader.h"
#include "token_cursor.h"

namespace vcode {
namespace {

/// A recursive-descent parser with one token of look-ahead, for one text. After an error inside a statement, the parser
/// skips to the next word that can begin a statement.
class ProgramReader {
 public:
  ProgramReader(const base::Source& source, base::Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics), in_(source, diagnostics), kernels_(in_, program_) {}

  std::optional<Program> read() {
    if (source_.text().size() >= UINT32_MAX) {
      in_.error({}, "the text is larger than 4 GiB");
      return std::nullopt;
    }
    in_.advance();
    read_preamble();
    while (!in_.stopped() && in_.token().kind != TokenKind::kEnd) {
      if (in_.word().word_class == WordClass::kFunc)
        read_function();
      else
        reject_text_outside();
    }
    if (program_.functions.empty() && !in_.any_error()) in_.error(in_.token().span, "the file defines no function");
    resolve_calls();
    if (in_.any_error()) return std::nullopt;
    return std::move(program_);
  }

 private:
  struct OpenIf {
    std::size_t index;  ///< index of the IF in the body
    std::size_t last;   ///< index of the IF or the ELSE
    bool has_else = false;
  };
  struct Call {
    std::size_t instruction;
    base::Span name;
  };
  struct Definition {
    std::size_t index;
    base::Span first;
  };

  // --- the file ----------------------------------------------------------------------------------------

  void read_preamble() {
    if (in_.is_label("FCODE")) read_version();
    if (in_.is_label("KERNEL") && !program_.is_fcode)
      in_.error(in_.token().span, fmt::format("a program with kernels begins with FCODE {}", kFcodeVersion));
    while (!in_.stopped() && in_.is_label("KERNEL")) kernels_.read();
  }

  void read_version() {
    base::Span fcode = in_.token().span;
    in_.advance();
    base::Span at = in_.token().span;
    std::optional<std::int64_t> version = in_.read_count(fcode, "FCODE needs a version number");
    if (version && *version != kFcodeVersion)
      in_.error(at, fmt::format("this is FCODE of version {}; known is version {}", *version, kFcodeVersion));
    program_.is_fcode = true;
  }

  void reject_text_outside() {
    if (program_.functions.empty() && !is_after_function_)
      in_.error(in_.token().span, fmt::format("a program begins with FUNC, not with {}", in_.found()));
    else
      in_.error(in_.token().span, fmt::format("only FUNC or the end of the file can follow RET, not {}", in_.found()));
    while (!in_.stopped() && !in_.is(WordClass::kFunc) && in_.token().kind != TokenKind::kEnd) in_.advance();
  }

  // --- functions ---------------------------------------------------------------------------------------

  void read_function() {
    is_after_function_ = true;
    std::uint32_t func = in_.token().span.begin;
    in_.advance();
    Function function;
    function_ = &function;
    calls_in_function_.clear();
    bool named = read_function_name(function, func);
    if (in_.is(WordClass::kInputs)) read_annotation(function);
    if (in_.is_label("PIECES")) read_piece_operands(function);
    read_body();
    if (named && !in_.stopped()) define(std::move(function));
  }

  bool read_function_name(Function& function, std::uint32_t func) {
    function.span = in_.token().span;
    if (in_.is(WordClass::kLabel) || in_.is(WordClass::kMain)) {
      function.name = in_.text();
      in_.advance();
      return true;
    }
    if (in_.token().kind == TokenKind::kWord && !in_.is(WordClass::kFunc) && !in_.is(WordClass::kRet)) {
      in_.error(in_.token().span, fmt::format("{} is a reserved word and cannot name a function", in_.text()));
      in_.advance();
      return false;
    }
    function.span = {func, func + 4};
    in_.error(in_.token().span, fmt::format("FUNC needs a name, not {}", in_.found()));
    in_.skip_operands();
    return false;
  }

  void read_annotation(Function& function) {
    base::Span at = in_.token().span;
    Annotation annotation;
    auto types = [&](std::vector<Suffix>& list) {
      for (in_.advance(); in_.is(WordClass::kType); in_.advance()) list.push_back(in_.word().type);
    };
    types(annotation.inputs);
    if (!in_.is(WordClass::kOutputs)) {
      in_.error(at, fmt::format("the annotation I ... needs its O ... list, not {}", in_.found()));
      in_.skip_operands();
      return;
    }
    types(annotation.outputs);
    function.annotation = std::move(annotation);
  }

  /// Reads PIECES, and the part of each operand that a piece takes.
  void read_piece_operands(Function& function) {
    const Token pieces = in_.token();
    if (!program_.is_fcode)
      in_.error(pieces.span, fmt::format("a program with PIECES begins with FCODE {}", kFcodeVersion));
    in_.advance();
    for (std::optional<PieceOperand::How> how; in_.is(WordClass::kLabel) && (how = find_piece_operand(in_.text()));) {
      PieceOperand& cut = function.piece_operands.emplace_back(PieceOperand{*how, kIndexSpace});
      const base::Span word = in_.token().span;
      in_.advance();
      if (cut.how == PieceOperand::How::kShared || in_.token().kind != TokenKind::kInteger) continue;
      // A number that is too large becomes that of the operand itself, and is refused below.
      const std::int64_t own = std::ssize(function.piece_operands) - 1;
      const std::optional<std::int64_t> of = in_.read_count(word, "the number of an operand was expected");
      cut.of = static_cast<std::uint32_t>(std::min(of.value_or(own), own));
    }
    if (function.piece_operands.empty())
      in_.error(pieces.span, fmt::format("PIECES needs SHARED, EACH or WHOLE for each operand, not {}", in_.found()));
    else if (const std::string complaint = complaint_about(function.piece_operands); !complaint.empty())
      in_.error(in_.span_from(pieces.span.begin), fmt::format("PIECES: {}", complaint));
  }

  /// Adds the function to the program. Replaces an earlier function with the same name.
  void define(Function function) {
    auto [it, is_new] = definitions_.try_emplace(function.name, Definition{program_.functions.size(), function.span});
    std::size_t index = it->second.index;
    if (is_new) {
      if (function.name == "MAIN") program_.entry = static_cast<std::uint32_t>(index);
      program_.functions.emplace_back();
      calls_.emplace_back();
    } else if (function.name == "MAIN") {
      in_.error(function.span, "MAIN is defined twice", {{it->second.first, "the first definition", true}});
      return;
    } else {
      diagnostics_
          .warning(function.span,
                   fmt::format("{} is defined twice; this definition replaces the earlier one everywhere",
                               quoted(function.name)))
          .notes.push_back({it->second.first, "the earlier definition", true});
      it->second.first = function.span;
    }
    calls_[index] = std::move(calls_in_function_);
    program_.functions[index] = std::move(function);
  }

  void resolve_calls() {
    for (std::size_t f = 0; f < calls_.size(); ++f)
      for (const Call& call : calls_[f]) {
        if (in_.stopped()) return;
        std::string_view name = source_.text(call.name);
        auto it = definitions_.find(std::string(name));
        if (it != definitions_.end()) {
          program_.functions[f].body[call.instruction].target = static_cast<std::uint32_t>(it->second.index);
          continue;
        }
        std::vector<std::string_view> names;
        for (const Function& function : program_.functions) names.push_back(function.name);
        in_.error(call.name, fmt::format("there is no function {}{}", quoted(name), base::suggestion(name, names)));
      }
  }

  // --- statements --------------------------------------------------------------------------------------

  /// Reads the statements of a function, its RET included.
  void read_body() {
    open_ifs_.clear();
    while (!in_.stopped()) {
      if (in_.is(WordClass::kRet)) {
        if (read_ret()) return;
      } else if (in_.ends_body()) {
        for (const OpenIf& open : open_ifs_) in_.error(function_->body[open.index].span, "this IF has no ENDIF");
        in_.error(in_.here(), fmt::format("RET expected, not {}", in_.found()),
                  {{function_->span, "the function begins here", true}});
        return;
      } else {
        read_statement();
      }
    }
  }

  /// Returns true if this RET ends the function. One inside an IF does so only if no more statements follow.
  bool read_ret() {
    function_->ret_span = in_.token().span;
    in_.advance();
    if (open_ifs_.empty()) return true;
    bool last = in_.is(WordClass::kFunc) || in_.token().kind == TokenKind::kEnd;
    in_.error(
        function_->ret_span,
        last ? "RET inside IF: an ENDIF is missing before it" : "RET inside IF: a function has one RET, at its end",
        {{function_->body[open_ifs_.back().index].span, "the IF begins here", true}});
    return last;
  }

  void read_statement() {
    Token begin = in_.token();
    Word word = in_.word();
    Instruction instruction;
    instruction.statement = word.statement;
    bool good = false;
    if (in_.token().kind != TokenKind::kWord) {
      in_.error(in_.token().span, fmt::format("an instruction was expected, not {}", in_.found()));
      in_.advance();
    } else if (word.word_class == WordClass::kOp) {
      in_.advance();
      instruction.op = word.op;
      if (std::optional<Suffix> suffix = in_.read_suffix(begin.span, info(word.op))) {
        instruction.suffix = *suffix;
        good = true;
      }
    } else if (word.word_class == WordClass::kStatement) {
      in_.advance();
      good = read_operands(begin, instruction);
    } else if (word.word_class == WordClass::kLabel) {
      in_.error(in_.token().span, fmt::format("unknown instruction {}{}", quoted(in_.text()),
                                              base::suggestion(in_.text(), instruction_words())));
      in_.advance();
    } else {
      in_.error(in_.token().span, fmt::format("an instruction was expected, not {}", in_.found()));
      in_.advance();
    }
    if (!good) return in_.skip_operands();
    instruction.span = in_.span_from(begin.span.begin);
    instruction.site = in_.read_site(program_);
    function_->body.push_back(instruction);
  }

  bool read_operands(const Token& begin, Instruction& instruction) {
    switch (instruction.statement) {
      case Statement::kConst:
        return read_constant(begin, instruction);
      case Statement::kCopy:
      case Statement::kPop:
      case Statement::kCpop:
        return read_count_and_depth(begin, instruction);
      case Statement::kCall:
        return read_callee(begin);
      case Statement::kIf:
        open_ifs_.push_back({function_->body.size(), function_->body.size()});
        return true;
      case Statement::kElse:
        return read_else(begin);
      case Statement::kEndif:
        return read_endif(begin);
      case Statement::kFused:
        return read_kernel_number(begin, instruction);
      case Statement::kPair:
      case Statement::kUnpair:
        return true;
      case Statement::kOp:
        break;
    }
    VC_CHECK(instruction.statement != Statement::kOp);
    return false;
  }

  bool read_constant(const Token& begin, Instruction& instruction) {
    std::optional<Constant> constant = ConstantReader(in_).read(begin.span);
    if (!constant) return false;
    instruction.target = static_cast<std::uint32_t>(program_.constants.size());
    program_.constants.push_back(std::move(*constant));
    return true;
  }

  bool read_kernel_number(const Token& begin, Instruction& instruction) {
    const base::Span at = in_.token().span;
    std::optional<std::int64_t> number = in_.read_count(begin.span, "FUSED needs the number of a kernel");
    if (!number) return false;
    auto kernel = kernels_.find(*number);
    if (!kernel) {
      in_.error(at, fmt::format("the program has no KERNEL {}", *number));
      return false;
    }
    instruction.target = *kernel;
    return true;
  }

  bool read_count_and_depth(const Token& begin, Instruction& instruction) {
    std::string_view name = source_.text(begin.span);
    std::optional<std::int64_t> count =
        in_.read_count(begin.span, fmt::format("{} needs two integers, count and depth", name));
    if (!count) return false;
    std::optional<std::int64_t> depth =
        in_.read_count(begin.span, fmt::format("{} needs two integers, count and depth", name));
    if (!depth) return false;
    instruction.count = *count;
    instruction.depth = *depth;
    return true;
  }

  bool read_callee(const Token& begin) {
    if (in_.is(WordClass::kLabel) || in_.is(WordClass::kMain)) {
      calls_in_function_.push_back({function_->body.size(), in_.token().span});
      in_.advance();
      return true;
    }
    if (in_.token().kind == TokenKind::kWord &&
        source_.position(in_.token().span.begin).line == source_.position(begin.span.begin).line) {
      in_.error(in_.token().span, fmt::format("{} is a reserved word and names no function", in_.text()));
      in_.advance();
    } else {
      in_.error(begin.span, fmt::format("CALL needs the name of a function, not {}", in_.found()));
    }
    return false;
  }

  bool read_else(const Token& begin) {
    if (open_ifs_.empty()) {
      in_.error(begin.span, "ELSE without IF");
      return false;
    }
    OpenIf& open = open_ifs_.back();
    if (open.has_else) {
      in_.error(begin.span, "this IF has an ELSE already", {{function_->body[open.last].span, "the first ELSE", true}});
      return false;
    }
    open.has_else = true;
    link(open);
    return true;
  }

  bool read_endif(const Token& begin) {
    if (open_ifs_.empty()) {
      in_.error(begin.span, "ENDIF without IF");
      return false;
    }
    link(open_ifs_.back());
    open_ifs_.pop_back();
    return true;
  }

  /// Sets the target of the last IF or ELSE to the index that the statement being read will have.
  void link(OpenIf& open) {
    function_->body[open.last].target = static_cast<std::uint32_t>(function_->body.size());
    open.last = function_->body.size();
  }

  const base::Source& source_;
  base::Diagnostics& diagnostics_;
  TokenCursor in_;
  KernelReader kernels_;
  bool is_after_function_ = false;

  Program program_;
  std::unordered_map<std::string, Definition> definitions_;
  std::vector<std::vector<Call>> calls_;  ///< calls in each function

  Function* function_ = nullptr;  ///< the function being read
  std::vector<Call> calls_in_function_;
  std::vector<OpenIf> open_ifs_;
};

}  // namespace

std::optional<Program> parse_vcode(const base::Source& source, base::Diagnostics& diagnostics) {
  return ProgramReader(source, diagnostics).read();
}

void scan_vcode(const base::Source& source, TokenObserver observer, void* context) {
  Lexer lexer(source.text());
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    std::string_view text = source.text(token.span);
    std::string_view name = token_kind_name(token.kind);
    if (token.kind == TokenKind::kWord) name = find_word(text).word_class == WordClass::kLabel ? "label" : "keyword";
    observer(context, name, text);
  }
}

}  // namespace vcode
