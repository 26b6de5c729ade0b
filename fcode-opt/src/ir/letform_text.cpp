#include <iterator>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "fcode-opt/letform.h"
#include "vcode/printer.h"
#include "walk.h"

namespace vcode::letform {
namespace {

/// Number of elements after which constants are truncated.
constexpr std::size_t kShownElements = 12;

class TextWriter {
 public:
  explicit TextWriter(const Program& program) : program_(program) { constants_.constants = program.constants; }

  std::string run() {
    for (std::size_t f = 0; f < program_.functions.size(); ++f) {
      if (f > 0) out_ += '\n';
      write_function(program_.functions[f], f == program_.entry);
    }
    return std::move(out_);
  }

 private:
  void write_function(const Function& function, bool is_entry) {
    function_ = &function;
    out_ += fmt::format("{} {} (", is_entry ? "entry" : "function", function.name);
    write_declarations(function.parameters);
    if (function.linkage == Linkage::kExternal) {
      out_ += ") -> (";
      write_declarations(function.body.results);
      out_ += ")  -- stays stack code\n";
      return;
    }
    out_ += function.linkage == Linkage::kRoot ? ")  -- called from stack code" : ")";
    write_piece_operands(function);
    out_ += '\n';
    indent_ = 2;
    write_block(function.body, "ret");
  }

  void write_piece_operands(const Function& function) {
    std::string_view separator = "  -- pieces have ";
    for (std::size_t k = 0; k < function.piece_operands.size(); ++k) {
      const PieceOperand& cut = function.piece_operands[k];
      if (cut.how == PieceOperand::How::kShared) continue;
      out_ += fmt::format("{}{}", separator, name(function.parameters[k]));
      if (cut.how == PieceOperand::How::kWhole) out_ += " whole";
      if (cut.of != kIndexSpace) out_ += " by " + name(function.parameters[cut.of]);
      separator = ", ";
    }
  }

  void write_block(const Block& block, std::string_view last_word) {
    for (const Binding& binding : block.bindings) write_binding(binding);
    begin_line();
    out_ += last_word;
    write_values(block.results);
    out_ += '\n';
  }

  void write_binding(const Binding& binding) {
    begin_line();
    write_declarations(binding.results);
    out_ += binding.results.empty() ? "" : " = ";
    out_ += head(binding);
    write_values(binding.operands);
    if (!binding.state.empty()) out_ += "  as ";
    write_declarations(binding.state);
    write_site(binding);
    out_ += '\n';
    for (std::size_t b = 0; b < binding.blocks.size(); ++b) {
      if (binding.blocks.size() == 2) {
        begin_line();
        out_ += b == 0 ? "then\n" : "else\n";
      }
      indent_ += 2;
      write_block(binding.blocks[b], "yield");
      indent_ -= 2;
    }
  }

  std::string head(const Binding& binding) const {
    switch (binding.form) {
      case Binding::Form::kOp: {
        std::string text(info(binding.op).text);
        if (binding.suffix != Suffix::kNone) (text += ' ') += suffix_name(binding.suffix);
        return text;
      }
      case Binding::Form::kConst: {
        Instruction constant;
        constant.statement = Statement::kConst;
        constant.target = binding.target;
        return print_instruction(constants_, constant, kShownElements);
      }
      case Binding::Form::kCall:
        return "CALL " + program_.functions[binding.target].name;
      case Binding::Form::kIf:
        return "IF";
      case Binding::Form::kFused:
        return fmt::format("{} over {} of", binding.state.empty() ? "FUSED" : "REPEATED",
                           name(binding.operands[binding.target]));
      case Binding::Form::kLiftedIf:
        return "LIFTED IF";
      case Binding::Form::kSteps:
        return "STEPS";
    }
    return {};
  }

  /// Leaves out sites with location_only, since nearly every operation of a compiled program has one.
  void write_site(const Binding& binding) {
    if (reads_clock(binding) && !binding.nest.empty()) write_values(binding.nest, "  waits for");
    if (binding.location_only || reads_clock(binding)) return;
    if (binding.site != kNoSite) {
      const Site& site = program_.sites[binding.site];
      out_ += fmt::format("  -- {}:{}:{} {}", site.file, site.line, site.column, site.function);
      if (!site.message.empty()) out_ += fmt::format(" \"{}\"", site.message);
      if (!site.values.empty()) out_ += fmt::format(" \"{}\"", site.values);
      if (!site.said.empty()) out_ += fmt::format(" says \"{}\"", base::printable(site.said));
      for (std::uint32_t call = binding.inlined; call != kNoCall; call = program_.inlined[call].around) {
        const Site& location = program_.sites[program_.inlined[call].site];
        out_ += fmt::format(" < {}:{}:{} {}", location.file, location.line, location.column, location.function);
      }
    }
    if (!binding.nest.empty()) {
      write_values(binding.nest, "  in");
    }
    if (binding.outermost) out_ += " .";
  }

  void begin_line() { out_.append(indent_, ' '); }
  std::string name(Var v) const {
    const std::string& given = function_->values[v].name;
    return given.empty() ? fmt::format("v{}", v) : fmt::format("{}.{}", given, v);
  }
  void write_values(const std::vector<Var>& values, std::string_view before = "") {
    out_ += before;
    for (Var v : values) (out_ += ' ') += v == kNoVar ? "-" : name(v);
  }
  void write_declarations(const std::vector<Var>& values) {
    std::string_view separator = "";
    for (Var v : values) {
      const ValueInfo& value = function_->values[v];
      out_ += fmt::format("{}{}: {}{}", separator, name(v), kind_name(value.kind), value.scalar ? " scalar" : "");
      separator = ", ";
    }
  }

  const Program& program_;
  vcode::Program constants_;  ///< has only constants, for the printer of instructions
  const Function* function_ = nullptr;
  std::size_t indent_ = 0;
  std::string out_;
};

}  // namespace

std::string to_text(const Program& program) { return TextWriter(program).run(); }

}  // namespace vcode::letform
