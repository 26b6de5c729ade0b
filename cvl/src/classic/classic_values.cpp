#include "cvl/classic_values.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cvl::classic {
namespace {

constexpr const char* kNames[] = {
#define FUNCTION_NAME(type, name, ...) #name,
#define CVL_FUNCTION(...) FUNCTION_NAME(__VA_ARGS__)
#define CVL_MOVE(...) FUNCTION_NAME(__VA_ARGS__)
#define CVL_FACILITY(...) FUNCTION_NAME(__VA_ARGS__)
#include "cvl/classic.def"
};

std::string text_of(const Fault& fault) {
  const std::string value = std::to_string(fault.value), element = " in element " + std::to_string(fault.position);
  switch (fault.kind) {
    case FaultKind::kDivideByZero:
      return "division by zero" + element;
    case FaultKind::kDivideOverflow:
      return "the least integer divided by -1" + element;
    case FaultKind::kFloatToInt:
      return "the number does not fit into an int" + element;
    case FaultKind::kRandomBound:
      return "the bound of a random number is 0" + element;
    case FaultKind::kIndexRange:
      return "index " + value + element + " is outside its segment, which has length " + std::to_string(fault.bound);
    case FaultKind::kNegativeLength:
      return "length " + value + " of segment " + std::to_string(fault.position) + " is negative";
    case FaultKind::kOutOfMemory:
      return "no room for " + value + " bytes of working memory";
    default:
      VC_CHECK(!"a fault that the classic functions cannot raise");
      return "wrong operand" + element;
  }
}

}  // namespace

const char* name_of(Function function) { return kNames[static_cast<std::uint32_t>(function)]; }

void stop(const char* function, const std::string& message) {
  std::fprintf(stderr, "cvl: %s: %s\n", function, message.c_str());
  std::exit(1);
}

void stop(const char* function, const Fault& fault) { stop(function, text_of(fault)); }

void stop_for_flags(std::int64_t true_flags, std::int64_t elements) {
  stop("pk2", std::to_string(true_flags) + " flags are true, but the result has room for " + std::to_string(elements) +
                  " elements");
}

int wanted_threads() {
  const char* text = std::getenv("CVL_THREADS");
  if (text == nullptr || *text == '\0') return 0;
  int threads = 0;
  const char* end = text + std::strlen(text);
  const auto [stopped, error] = std::from_chars(text, end, threads);
  if (stopped != end || error != std::errc() || threads < 1 || threads > 4096)
    stop("CVL_THREADS", "expected a number of threads from 1 to 4096, found '" + std::string(text) + "'");
  return threads;
}

}  // namespace cvl::classic
