#include "vcode-interp/profile.h"

#include <algorithm>

namespace interp {

ProfileRow& ProfileRow::operator+=(const ProfileRow& other) {
  count += other.count;
  elements += other.elements;
  bytes += other.bytes;
  seconds += other.seconds;
  return *this;
}

Profile::Profile(const Profile& run, int thread, std::string title)
    : keep_events_(run.keep_events_),
      thread_(thread),
      titles_{{thread, std::move(title)}},
      start_(run.start_),
      text_(run.text_),
      rows_(run.rows_.size()),
      function_rows_(run.function_rows_.size()) {}

void Profile::begin_run(std::size_t instructions, std::size_t functions, const base::Source* text) {
  text_ = text;
  rows_.assign(instructions, {});
  function_rows_.assign(functions, nullptr);
}

Profile::Line& Profile::line(const std::string& file, std::uint32_t number) {
  const auto [at, is_new] = lines_.try_emplace({file, number});
  if (is_new) {
    at->second.file = file;
    at->second.number = number;
  }
  return at->second;
}

void Profile::record(Rows& rows, Line& line, const Step& step) {
  const ProfileRow row{1, step.elements, step.bytes, step.own};
  rows.instruction->second += row;
  // Calls of functions are counted, not their instructions.
  ProfileRow of_part = row;
  of_part.count = 0;
  rows.function->second += of_part;
  of_part.count = rows.is_operation ? 1 : 0;
  line.all += of_part;
  if (rows.kernel != nullptr) rows.kernel->row += row;
  if (rows.is_operation)
    keep({Event::Kind::kOperation, thread_, &rows.instruction->first, &line, step.begin, step.duration, step.elements,
          step.bytes});
}

void Profile::record_span(Event::Kind kind, const std::string& function, const Line* line, double begin,
                          double duration) {
  keep({kind, thread_, &this->function(function).first, line, begin, duration});
}

/// Keeps an event. If there are too many, those that are shorter than the median are dropped, and from then on all
/// events as short: a viewer that shows the whole run has no pixels for them.
void Profile::keep(const Event& event) {
  if (!keep_events_) return;
  if (event.duration < shortest_kept_) {
    ++dropped_;
    return;
  }
  if (events_.size() == kMostEvents) {
    const auto middle = events_.begin() + kMostEvents / 2;
    std::nth_element(events_.begin(), middle, events_.end(),
                     [](const Event& a, const Event& b) { return a.duration > b.duration; });
    shortest_kept_ = middle->duration;
    dropped_ += static_cast<std::uint64_t>(events_.end() - middle);
    events_.erase(middle, events_.end());
  }
  events_.push_back(event);
}

void Profile::add(const Profile& part) {
  note_memory(part.most_memory_);
  titles_.insert(part.titles_.begin(), part.titles_.end());
  for (const auto& [name, row] : part.instructions_) instructions_[name] += row;
  for (const auto& [name, row] : part.functions_) functions_[name] += row;
  for (const auto& [place, from] : part.lines_) {
    Line& to = line(from.file, from.number);
    to.all += from.all;
    for (const auto& [name, kernel] : from.kernels) {
      Kernel& sum = to.kernels[name];
      sum.row += kernel.row;
      sum.lines = kernel.lines;
    }
  }
  for (const auto& [instruction, native_code] : part.kernels_) kernels_.try_emplace(instruction, native_code);
  for (Event event : part.events_) {
    event.name = event.kind == Event::Kind::kOperation ? &instruction(*event.name).first : &function(*event.name).first;
    if (event.line != nullptr) event.line = &line(event.line->file, event.line->number);
    keep(event);
  }
  dropped_ += part.dropped_;
}

}  // namespace interp
