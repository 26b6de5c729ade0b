#include "vcode-interp/profile.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace interp {

void Profile::keep(Event event) {
  if (!keep_events_) return;
  if (events_.size() < kMaxEvents)
    events_.push_back(std::move(event));
  else
    ++dropped_;
}

void Profile::record(const std::string& instruction, const std::string& function, double begin, double duration,
                     std::uint64_t elements, std::uint64_t bytes) {
  ProfileRow& row = instructions_[instruction];
  ++row.count;
  row.elements += elements;
  row.bytes += bytes;
  row.seconds += duration;
  ProfileRow& owner = functions_[function];
  owner.elements += elements;
  owner.bytes += bytes;
  owner.seconds += duration;
  keep({instruction, begin, duration, elements, bytes});
}

void Profile::record_span(const std::string& function, double begin, double duration) {
  keep({function, begin, duration, 0, 0});
}

void Profile::add(const Profile& part) {
  const auto add_rows = [](std::map<std::string, ProfileRow>& to, const std::map<std::string, ProfileRow>& from) {
    for (const auto& [name, row] : from) {
      ProfileRow& sum = to[name];
      sum.count += row.count;
      sum.elements += row.elements;
      sum.bytes += row.bytes;
      sum.seconds += row.seconds;
    }
  };
  note_memory(part.most_memory_);
  add_rows(instructions_, part.instructions_);
  add_rows(functions_, part.functions_);
  for (const auto& [instruction, native_code] : part.kernels_) kernels_.try_emplace(instruction, native_code);
}

namespace {

std::string table_of(const std::string& title, const std::map<std::string, ProfileRow>& rows) {
  std::vector<std::pair<std::string, ProfileRow>> sorted(rows.begin(), rows.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  std::string out =
      fmt::format("{:<28}{:>12}{:>16}{:>18}{:>12}{:>9}\n", title, "count", "elements", "bytes", "ms", "GB/s");
  ProfileRow total;
  auto line = [&](const std::string& name, const ProfileRow& row) {
    const double rate = row.seconds > 0 ? static_cast<double>(row.bytes) / row.seconds / 1e9 : 0;
    out += fmt::format("{:<28}{:>12}{:>16}{:>18}{:>12.3f}{:>9.2f}\n", name, row.count, row.elements, row.bytes,
                       row.seconds * 1e3, rate);
  };
  for (const auto& [name, row] : sorted) {
    line(name, row);
    total.count += row.count;
    total.elements += row.elements;
    total.bytes += row.bytes;
    total.seconds += row.seconds;
  }
  line("total", total);
  return out;
}

}  // namespace

std::string Profile::table() const {
  std::string out = table_of("instruction", instructions_) + "\n" + table_of("function (own work)", functions_);
  if (!kernels_.empty()) out += fmt::format("\n{:<28}native code\n", "kernel");
  for (const auto& [name, native] : kernels_) out += fmt::format("{:<28}{}\n", name, native);
  return out;
}

std::string Profile::chrome_trace() const {
  nlohmann::json trace;
  trace["displayTimeUnit"] = "ns";
  trace["traceEvents"] = nlohmann::json::array();
  for (const Event& event : events_) {
    nlohmann::json entry = {
        {"name", event.name},         {"ph", "X"}, {"pid", 1}, {"tid", 1}, {"ts", event.begin * 1e6},
        {"dur", event.duration * 1e6}};
    if (event.elements > 0) entry["args"] = {{"elements", event.elements}, {"bytes", event.bytes}};
    trace["traceEvents"].push_back(std::move(entry));
  }
  if (dropped_ > 0) trace["otherData"] = {{"events not kept", dropped_}};
  return trace.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace interp
