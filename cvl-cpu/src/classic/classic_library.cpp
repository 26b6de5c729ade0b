#include "classic/classic_library.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/memory_limit.h"

namespace cvl::cpu::classic {

Library* the_library = nullptr;

namespace {

/// The number of threads that CVL_THREADS asks for; 0 if it is not set.
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

std::string text_of(const Fault& fault) {
  const std::string value = std::to_string(fault.value), element = " in element " + std::to_string(fault.position);
  switch (fault.kind) {
    case FaultKind::kDivideByZero:
      return "division by zero" + element;
    case FaultKind::kDivideOverflow:
      return "the least integer divided by -1" + element;
    case FaultKind::kRandomBound:
      return "the bound of a random number is 0" + element;
    case FaultKind::kIndexRange:
      return "index " + value + element + " is outside its segment, which has length " + std::to_string(fault.bound);
    case FaultKind::kNegativeLength:
      return "length " + value + " of segment " + std::to_string(fault.position) + " is negative";
    case FaultKind::kOutOfMemory:
      return "no room for " + value + " bytes of working memory";
    default:
      VC_CHECK(!"a fault that some classic function lets through");
      return "wrong operand" + element;
  }
}

}  // namespace

void start() {
  if (the_library != nullptr) return;
  const char* simd = std::getenv("CVL_SIMD");
  std::string error;
  const Kernels* kernels = choose_kernels(simd == nullptr ? "" : simd, error);
  if (kernels == nullptr) stop("CVL_SIMD", error);
  static Library library(*kernels, wanted_threads(), default_memory_limit());
  if (!library.arena.usable()) stop("alo_foz", "the system has no addresses for working memory");
  the_library = &library;
}

void stop(const char* function, const std::string& message) {
  std::fprintf(stderr, "cvl: %s: %s\n", function, message.c_str());
  std::exit(1);
}

void stop_for_fault(const char* function) { stop(function, text_of(library().faults.take())); }

}  // namespace cvl::cpu::classic
