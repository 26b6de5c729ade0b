// The machine's entries in a profile: rows of its instructions, steps, and spans of its calls.

#include <algorithm>

#include "machine/machine.h"
#include "machine/source_location.h"
#include "vcode/printer.h"

namespace interp {

bool Machine::run_profiled() {
  begin_profile();
  try {
    const bool ended = run_loop();
    end_profile();
    return ended;
  } catch (...) {
    // The profile includes the instructions before a failure or an interrupt.
    end_profile();
    throw;
  }
}

void Machine::begin_profile() {
  Profile& profile = *options_.profile;
  Profile::NamedRow& function = row_of_function(where().function);
  ++function.second.count;
  const Profile::Line* const of_call = piece_.caller != nullptr ? piece_.caller->observed_line() : nullptr;
  // The caller of a piece may record to the profile of another thread.
  Profile::Line* const line = of_call != nullptr ? &profile.line(of_call->file, of_call->number) : nullptr;
  open_calls_ = {{profile.now(), &function.first, line}};
}

void Machine::end_profile() {
  Profile& profile = *options_.profile;
  if (observed_.code != nullptr) record_observed();
  for (; !open_calls_.empty(); open_calls_.pop_back()) {
    const OpenCall& open = open_calls_.back();
    const bool is_of_piece = open_calls_.size() == 1 && is_piece();
    profile.record_span(is_of_piece ? Profile::Event::Kind::kPiece : Profile::Event::Kind::kFunction, *open.function,
                        open.line, open.begin, profile.now() - open.begin);
  }
  note_kernels();
  if (own_workers_ != nullptr) own_workers_->collect_profiles();
  if (own_device_workers_ != nullptr) own_device_workers_->collect_profiles();
  if (own_rank_pieces_ != nullptr) own_rank_pieces_->collect_profiles();
}

std::string Machine::instruction_label(const Code& code) const {
  const LinkedProgram::Origin origin = linked_.origins[static_cast<std::size_t>(&code - linked_.code.data())];
  const vcode::Function& function = program_.functions[origin.function];
  if (origin.instruction == function.body.size()) return "RET";
  // One row for CONST INT, one for COPY, one for each kernel and so on: rows by operand would be too many.
  const std::string text = vcode::print_instruction(program_, function.body[origin.instruction], 0);
  const auto kind = function.body[origin.instruction].statement;
  const std::size_t words =
      kind == vcode::Statement::kOp || kind == vcode::Statement::kConst || kind == vcode::Statement::kFused ? 2 : 1;
  std::size_t end = text.find(' ');
  if (words == 2 && end != std::string::npos) end = text.find(' ', end + 1);
  return text.substr(0, end);
}

Profile::NamedRow& Machine::row_of_function(std::size_t function) {
  Profile::NamedRow*& row = options_.profile->function_row(function);
  if (row == nullptr)
    row = &options_.profile->function(source_function(program_, static_cast<std::uint32_t>(function)));
  return *row;
}

Profile::Rows& Machine::rows_of(const Code& code) {
  Profile& profile = *options_.profile;
  const auto index = static_cast<std::size_t>(&code - linked_.code.data());
  Profile::Rows& rows = profile.rows(index);
  if (rows.instruction != nullptr) return rows;
  const LinkedProgram::Origin origin = linked_.origins[index];
  const vcode::Function& function = program_.functions[origin.function];
  rows.instruction = &profile.instruction(instruction_label(code));
  rows.function = &row_of_function(origin.function);
  rows.is_operation = code.opcode <= static_cast<std::uint16_t>(Control::kSystem) || is(code, Control::kFused);
  if (const base::Source* text = profile.text()) {
    const base::Span span =
        origin.instruction < function.body.size() ? function.body[origin.instruction].span : function.ret_span;
    rows.line = &profile.line(text->name(), text->position(span.begin).line);
  } else if (const vcode::Site* site = line_of(program_, origin)) {
    rows.function = &profile.function(shown_name(site->function));
    rows.line = &profile.line(site->file, site->line);
  }
  return rows;
}

/// The line to which the current instruction counts; null if it is unknown.
Profile::Line* Machine::observed_line() const {
  return observed_.rows->line != nullptr ? observed_.rows->line : open_calls_.back().line;
}

void Machine::record_observed() {
  Profile& profile = *options_.profile;
  const Code& code = *observed_.code;
  const double duration = profile.now() - observed_.begin;
  Profile::Rows& rows = *observed_.rows;
  Profile::Line& line = observed_line() != nullptr ? *observed_line() : profile.line("", 0);
  if (is(code, Control::kFused) && (rows.kernel == nullptr || rows.line == nullptr)) {
    rows.kernel = &line.kernels[rows.instruction->first];
    rows.kernel->lines = kernel_lines(program_, linked_.kernels[code.a].kernel());
  }
  profile.record(rows, line,
                 {observed_.begin, duration, duration - observed_.pieces, observed_.elements, observed_.bytes});
}

/// Begins or ends a span if the current instruction, which has run, is a call or a return.
void Machine::record_call() {
  Profile& profile = *options_.profile;
  const Code& code = *observed_.code;
  if (is(code, Control::kCall) || is(code, Control::kTailCall) || is(code, Control::kPieces)) {
    const auto callee = std::upper_bound(linked_.function_starts.begin(), linked_.function_starts.end(), code.a) -
                        linked_.function_starts.begin() - 1;
    Profile::NamedRow& function = row_of_function(static_cast<std::size_t>(callee));
    // A call in pieces has ended at this point, and its pieces have counted themselves.
    if (observed_.made_in_pieces) {
      profile.record_span(Profile::Event::Kind::kFunction, function.first, observed_line(), observed_.begin,
                          profile.now() - observed_.begin);
      return;
    }
    ++function.second.count;
    Profile::Line* const line = observed_line();
    // A loop of tail calls is one span.
    if (open_calls_.size() == own_calls())
      open_calls_.push_back({profile.now(), &function.first, line});
    else
      open_calls_.back() = {open_calls_.back().begin, &function.first, line};
  } else if (is(code, Control::kReturn) && open_calls_.size() > 1) {
    const OpenCall& open = open_calls_.back();
    profile.record_span(Profile::Event::Kind::kFunction, *open.function, open.line, open.begin,
                        profile.now() - open.begin);
    open_calls_.pop_back();
  }
}

/// Adds the kernels that ran to the profile.
void Machine::note_kernels() {
  for (const Code& code : linked_.code) {
    if (!is(code, Control::kFused)) continue;
    const runtime::PreparedKernel& kernel = linked_.kernels[code.a];
    const std::string label = instruction_label(code);
    if (kernel.plan() == nullptr || !options_.profile->instructions().contains(label)) continue;
    if (std::string native = kernel.plan()->native_code(); !native.empty())
      options_.profile->note_kernel(label, std::move(native));
  }
}

}  // namespace interp
