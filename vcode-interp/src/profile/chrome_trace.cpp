#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "profile/shown_rows.h"

namespace interp {

namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The arguments of events at each line, made once.
class Quotes {
 public:
  const std::string& name(const std::string* name) {
    std::string& text = names_[name];
    if (text.empty()) text = quoted(*name);
    return text;
  }
  const std::string& line(const Profile::Line* line) {
    std::string& text = lines_[line];
    if (text.empty()) text = quoted(fmt::format("{}:{}", line->file, line->number));
    return text;
  }

 private:
  std::unordered_map<const std::string*, std::string> names_;
  std::unordered_map<const Profile::Line*, std::string> lines_;
};

constexpr const char* kCategories[] = {"operation", "function", "piece"};

std::string arguments_of(const Profile::Event& event, Quotes& quotes) {
  std::string text;
  if (event.line != nullptr && !event.line->file.empty())
    text = fmt::format("\"{}\":{}", event.kind == Profile::Event::Kind::kOperation ? "line" : "called from",
                       quotes.line(event.line));
  if (event.kind == Profile::Event::Kind::kOperation)
    text += fmt::format("{}\"elements\":{},\"bytes\":{}", text.empty() ? "" : ",", event.elements, event.bytes);
  return text;
}

}  // namespace

std::string chrome_trace(const Profile& profile) {
  std::vector<const Profile::Event*> events;
  for (const Profile::Event& event : profile.events()) events.push_back(&event);
  // Viewers nest the slices of a thread in this order.
  std::sort(events.begin(), events.end(), [](const Profile::Event* a, const Profile::Event* b) {
    if (a->thread != b->thread) return a->thread < b->thread;
    return a->begin != b->begin ? a->begin < b->begin : a->duration > b->duration;
  });
  std::string out = "{\"displayTimeUnit\":\"ns\",";
  if (profile.events_not_kept() > 0)
    out += fmt::format("\"otherData\":{{\"events not kept, the shortest\":{}}},", profile.events_not_kept());
  out += "\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"NESL\"}}";
  Quotes quotes;
  int thread = -1;
  for (const Profile::Event* event : events) {
    if (event->thread != thread) {
      thread = event->thread;
      out +=
          fmt::format(",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{},\"args\":{{\"name\":\"{}\"}}}}",
                      thread, profile.title(thread));
    }
    out += fmt::format(",\n{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f}",
                       quotes.name(event->name), kCategories[static_cast<int>(event->kind)], thread, event->begin * 1e6,
                       event->duration * 1e6);
    if (const std::string arguments = arguments_of(*event, quotes); !arguments.empty())
      out += ",\"args\":{" + arguments + "}";
    out += "}";
  }
  return out + "\n]}\n";
}

}  // namespace interp
