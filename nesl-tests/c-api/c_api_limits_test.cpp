// Inputs that the library refuses because they are too deep or too large, on threads with small stacks.

#include <pthread.h>

#include <functional>

#include "c_api_testing.h"
#include "sanitizers.h"

namespace c_api {
namespace {

constexpr const char* kTooDeep = "types nested more than 1000 levels deep cannot be used from outside of NESL";

/// Runs `work` on a thread with a stack of 256 KiB, as in C libraries with small stacks.
void on_small_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kSanitized ? 8 << 20 : 256 << 10);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

/// Wraps a value again and again until it is refused as too deep. Returns the number of successes, and reads the last
/// value.
int wrapped_until_refused(Session& s, nesl_value* first,
                          const std::function<nesl_error*(nesl_value*, nesl_value**)>& wrap) {
  nesl_value* value = first;
  for (int levels = 0;; ++levels) {
    nesl_value* wrapped = nullptr;
    if (nesl_error* error = wrap(value, &wrapped)) {
      EXPECT_EQ(message_of(error), kTooDeep);
      EXPECT_EQ(wrapped, nullptr);
      const char* text = nullptr;
      EXPECT_NE(nesl_value_type(value), nullptr);
      expect_no_error(nesl_value_text(value, &text));
      return levels;
    }
    value = s.keep(wrapped);
    if (levels > 2000) return levels;
  }
}

TEST(CApiLimits, DepthOfTypes) {
  on_small_stack([] {
    Session s("function same(x) = x; datatype box(content : int);");
    const std::int64_t offsets[] = {0, 1};
    nesl_value* const one = s.integer(1);
    const auto nested = [&](nesl_value* v, nesl_value** made) { return nesl_nest(v, offsets, 1, made); };
    const auto first_part = [&](nesl_value* v, nesl_value** made) {
      nesl_value* parts[] = {v, one};
      return nesl_tuple(parts, 2, made);
    };
    const auto last_part = [&](nesl_value* v, nesl_value** made) {
      nesl_value* parts[] = {one, v};
      return nesl_tuple(parts, 2, made);
    };
    nesl_value* const ones = s.ints({1});
    const auto zipped = [&](nesl_value* v, nesl_value** made) {
      nesl_value* parts[] = {ones, v};
      return nesl_zip(parts, 2, made);
    };
    EXPECT_EQ(wrapped_until_refused(s, ones, nested), 998);  // [int] has two nesting levels
    EXPECT_EQ(wrapped_until_refused(s, one, first_part), 999);
    EXPECT_EQ(wrapped_until_refused(s, one, last_part), 999);
    EXPECT_EQ(wrapped_until_refused(s, ones, zipped), 998);
  });
}

TEST(CApiLimits, PartsOfTuples) {
  on_small_stack([] {
    Session s;
    nesl_value *const one = s.integer(1), *const ones = s.ints({1, 2});
    nesl_value* value = nullptr;
    for (const std::size_t count : {std::size_t{1001}, std::size_t{8000}, SIZE_MAX}) {
      const std::vector<nesl_value*> parts(std::min<std::size_t>(count, 8000), one);
      EXPECT_EQ(message_of(nesl_tuple(parts.data(), count, &value)), kTooDeep);
      EXPECT_EQ(message_of(nesl_zip(parts.data(), count, &value)), kTooDeep);
    }
    EXPECT_EQ(nesl_parts(s.tuple(std::vector<nesl_value*>(1000, one))), 1000u);
    EXPECT_EQ(nesl_parts(s.zip(std::vector<nesl_value*>(999, ones))), 999u);
    EXPECT_EQ(message_of(nesl_zip(std::vector<nesl_value*>(1000, ones).data(), 1000, &value)), kTooDeep);
  });
}

TEST(CApiLimits, ValuesOfTextsAreShallowToo) {
  on_small_stack([] {
    Session s;
    nesl_value* value = nullptr;
    const std::string deep = std::string(5000, '[') + "1" + std::string(5000, ']') + ";";
    EXPECT_EQ(message_of(nesl_evaluate(s.get(), "deep", deep.c_str(), &value)), kTooDeep);
    message_of(nesl_evaluate(s.get(), "deep", (deep + " x = 1 / 0;").c_str(), &value), NESL_ERROR_RUN);
    message_of(nesl_evaluate(s.get(), "deep", (deep + " x = ;").c_str(), &value), NESL_ERROR_TEXT);
    expect_no_error(nesl_load(s.get(), "deep", deep.c_str()));
    expect_no_error(nesl_evaluate(s.get(), "shallow", "1 + 1;", &value));
    EXPECT_EQ(shown(s.keep(value)), "2 : int");
  });
}

TEST(CApiLimits, ArraysThatNoMemoryHolds) {
  Session s;
  nesl_value* value = nullptr;
  bool released = false;
  const auto release = [](void* owner) { *static_cast<bool*>(owner) = true; };
  const double numbers[100] = {};
  for (const std::size_t length : {std::size_t{INT64_MAX}, std::size_t{INT64_MAX} / 8 + 1, SIZE_MAX}) {
    const std::string message =
        "memory has no addresses for " + std::to_string(length) + " elements of 8 bytes at that place";
    EXPECT_EQ(message_of(nesl_borrow(s.get(), NESL_FLOAT64, numbers, length, release, &released, &value)), message);
    EXPECT_EQ(message_of(nesl_array(s.get(), NESL_FLOAT64, numbers, length, &value)), message);
  }
  // Elements that would reach beyond the last address.
  const void* const last = reinterpret_cast<const void*>(UINTPTR_MAX - 15);
  EXPECT_EQ(message_of(nesl_borrow(s.get(), NESL_FLOAT64, last, 3, release, &released, &value)),
            "memory has no addresses for 3 elements of 8 bytes at that place");
  EXPECT_FALSE(released);
  const std::int64_t none = 0;
  EXPECT_EQ(message_of(nesl_nest(s.ints({}), &none, SIZE_MAX, &value)),
            "memory has no addresses for the offsets of 18446744073709551615 parts");
}

}  // namespace
}  // namespace c_api
