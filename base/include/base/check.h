#pragma once

/// VC_CHECK(condition): an assertion about this project's own code, such as a precondition of a function. On in every
/// build but Release (which defines NDEBUG), where the condition is not even evaluated. Conditions that a program, its
/// data or the machine can violate are errors with a message instead.
#if defined(NDEBUG)
#define VC_CHECK(...) static_cast<void>(sizeof(!(__VA_ARGS__)))
#else
#define VC_CHECK(...) ((__VA_ARGS__) ? static_cast<void>(0) : base::check_failed(__FILE__, __LINE__, #__VA_ARGS__))
#endif

namespace base {

/// Prints the location and the condition to standard error and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition) noexcept;

}  // namespace base
