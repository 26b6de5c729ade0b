#include "flatten_context.h"

#include <algorithm>

#include <fmt/format.h>

namespace nesl {

const ValuePtr* Ready::find(const Expr& expr) const {
  if (values.empty()) return nullptr;
  const auto at = values.find(&expr);
  return at == values.end() ? nullptr : &at->second;
}

void Ready::set(const Expr& expr, ValuePtr value) {
  if (values.insert_or_assign(&expr, std::move(value)).second) order.push_back(&expr);
}

void Ready::shrink(std::size_t size) {
  for (; order.size() > size; order.pop_back()) values.erase(order.back());
}

FlattenContext::FlattenContext(TypeStore& types, base::Diagnostics& diagnostics, bool fuses)
    : types_(types), diagnostics_(diagnostics), fuses_(fuses) {}

void FlattenContext::begin_program(bool applies) {
  program_ = {};
  places_.clear();
  program_.functions.emplace_back();
  applies_ = applies;
}

ValuePtr FlattenContext::in_frame(Frame& frame, const std::function<ValuePtr()>& work) {
  Frame* const outer = change_frame(&frame);
  ValuePtr value = work();
  change_frame(outer);
  return value;
}

Type* FlattenContext::concrete(Type* type) {
  if (!frame_->substitution || frame_->substitution->variables.empty()) return resolve(type);
  return resolve(types_.substitute(type, frame_->substitution->variables, frame_->substitution->types));
}

std::vector<Type*> FlattenContext::concrete(const std::vector<Type*>& types) {
  std::vector<Type*> result;
  for (Type* type : types) result.push_back(concrete(type));
  return result;
}

Position FlattenContext::move_to(const Expr& expr) {
  const Position outer = position_;
  if (!frame_->prelude) position_ = {frame_->source, expr.span, frame_->definition};
  return outer;
}

std::uint32_t FlattenContext::site(std::string message, std::string values) {
  vcode::Site s;
  s.message = std::move(message);
  s.values = std::move(values);
  if (position_.source != nullptr) {
    auto at = position_.source->position(position_.span.begin);
    s.file = position_.source->name();
    s.line = at.line;
    s.column = at.column;
    s.function = position_.function == nullptr ? "" : position_.function->name;
    if (names_places_) {
      const Place place{position_.source, position_.span};
      auto known = std::find(places_.rbegin(), places_.rend(), place);
      s.line = static_cast<std::uint32_t>(places_.rend() - known);
      s.column = 1;
      if (known == places_.rend()) {
        places_.push_back(place);
        s.line = static_cast<std::uint32_t>(places_.size());
      }
    }
  }
  if (program_.sites.empty() || program_.sites.back() != s) program_.sites.push_back(std::move(s));
  return static_cast<std::uint32_t>(program_.sites.size() - 1);
}

std::uint32_t FlattenContext::here() {
  if (position_.source == nullptr) return vcode::kNoSite;
  const std::uint32_t end = names_places_ ? position_.span.end : 0;
  const auto [found, is_new] =
      locations_.try_emplace({position_.source, position_.span.begin, end, position_.function});
  if (is_new) found->second = site("");
  return found->second;
}

Emitter::Here FlattenContext::here_and_around() {
  const bool is_known = position_.source != nullptr && frame_ != nullptr;
  return {here(), is_known ? frame_->inlined : vcode::kNoCall};
}

std::uint32_t FlattenContext::inlined_here(const Definition& definition) {
  // A call whose arguments come from a caller in another language has no location in a source text.
  const bool is_callers = applies_ && position_.function == nullptr;
  if (definition.prelude || position_.source == nullptr || is_callers) return frame_->inlined;
  program_.inlined.push_back({here(), frame_->inlined});
  return static_cast<std::uint32_t>(program_.inlined.size() - 1);
}

void FlattenContext::remark(const std::string& text) {
  if (position_.source == nullptr) return;
  const auto at = position_.source->position(position_.span.begin);
  std::string line = fmt::format("{}:{}:{}: {}", position_.source->name(), at.line, at.column, text);
  if (std::find(remarks_.begin(), remarks_.end(), line) == remarks_.end()) remarks_.push_back(std::move(line));
}

void FlattenContext::fail(Span span, std::string message) {
  diagnostics_.error(span, std::move(message)).code = "type";
  throw CompileError{};
}

void FlattenContext::fail_at_different_functions() {
  fail_here("two different functions meet here; which one is meant must be known at compile time");
}

void FlattenContext::require_same_code(const FlatValue& a, const FlatValue& b) {
  if (!same_code(a, b)) fail_at_different_functions();
}

}  // namespace nesl
