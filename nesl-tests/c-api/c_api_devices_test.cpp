// Sessions whose vectors are in memory of a device, for which the CUDA library on its host executor stands in: a stream
// or an event is a function, which does the work that is waited for.

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "c_api_testing.h"

namespace {

using c_api::expect_no_error;
using c_api::message_of;
using c_api::Session;

nesl_options on_device() {
  nesl_options options = NESL_OPTIONS_INIT;
  options.backend = "cuda-host";
  options.int_bits = 64;
  return options;
}

/// Elements in memory of the device: addresses of the host with another top bit.
struct Elements {
  static const void* on_device(const void* address) {
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(address) ^ std::uintptr_t{1} << 63);
  }
  Elements() { std::iota(numbers.begin(), numbers.end(), 0.0); }
  const void* address(std::size_t first = 0) const { return on_device(numbers.data() + first); }

  alignas(64) std::array<double, 1000> numbers;
  int released = 0;
  static void release(void* self) { ++static_cast<Elements*>(self)->released; }
};

const double* read(nesl_value* value, std::size_t expected) {
  const void* data = nullptr;
  std::size_t length = 0;
  expect_no_error(nesl_data_on_device(value, NESL_FLOAT64, &data, &length));
  EXPECT_EQ(length, expected);
  return static_cast<const double*>(Elements::on_device(data));
}

TEST(CApiDevices, DevicesOfSessions) {
  int type = 0, number = -1;
  const Session session("", on_device());
  expect_no_error(nesl_device(session.get(), &type, &number));
  EXPECT_EQ(type, 2);
  EXPECT_EQ(number, 0);
  const Session host;
  expect_no_error(nesl_device(host.get(), &type, &number));
  EXPECT_EQ(type, 1);
  EXPECT_EQ(number, 0);
}

TEST(CApiDevices, DevicesAreChosenByTheirNumbers) {
  int type = 0, number = -1;
  nesl_options options = on_device();
  options.devices = "2,1";
  const Session session("", options);
  expect_no_error(nesl_device(session.get(), &type, &number));
  EXPECT_EQ(number, 2);
  nesl_session* none = nullptr;
  options.devices = "1,1";
  EXPECT_EQ(message_of(nesl_open(&options, &none)), "devices: device 1 is there twice in '1,1'");
  options.devices = "1,7";
  EXPECT_EQ(message_of(nesl_open(&options, &none), NESL_ERROR_RESOURCE),
            "devices: there is no device 7: devices are numbered from 0 to 3");
}

TEST(CApiDevices, ElementsAreUsedWhereTheyAre) {
  Elements elements;
  {
    Session session("function same(x) = x; function twice(x) = {2.0 * y : y in x};", on_device());
    nesl_value* borrowed = session.make(nesl_borrow_on_device, session.get(), NESL_FLOAT64, elements.address(),
                                        std::size_t{1000}, Elements::release, static_cast<void*>(&elements));
    nesl_value* same = session.call(session.lookup("same", "[float]"), {borrowed});
    EXPECT_EQ(read(same, 1000), elements.numbers.data());
    EXPECT_EQ(read(session.call(session.lookup("twice", "[float]"), {same}), 1000)[999], 1998.0);
    EXPECT_EQ(elements.released, 0);
  }
  EXPECT_EQ(elements.released, 1);
}

TEST(CApiDevices, OtherAlignmentsAndShortArraysAreCopied) {
  Elements elements;
  Session session("", on_device());
  int copies = 0;
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{1, 900}, {0, 98}, {0, 1}, {0, 0}}) {
    nesl_value* value = session.make(nesl_borrow_on_device, session.get(), NESL_FLOAT64, elements.address(first), count,
                                     Elements::release, static_cast<void*>(&elements));
    EXPECT_EQ(elements.released, ++copies) << count;
    const double* found = read(value, count);
    EXPECT_NE(found, elements.numbers.data() + first);
    EXPECT_TRUE(std::equal(found, found + count, elements.numbers.data() + first)) << count;
  }
}

Elements* g_computed = nullptr;
void compute() { g_computed->numbers.fill(5.0); }

TEST(CApiDevices, StreamsAndEventsAreWaitedFor) {
  Elements elements;
  g_computed = &elements;
  const Session session("", on_device());
  expect_no_error(nesl_await_stream(session.get(), 1));
  EXPECT_EQ(elements.numbers[7], 7.0);
  expect_no_error(nesl_await_stream(session.get(), reinterpret_cast<std::uintptr_t>(&compute)));
  EXPECT_EQ(elements.numbers[7], 5.0);
  elements.numbers[7] = 0.0;
  expect_no_error(nesl_await_event(session.get(), reinterpret_cast<std::uintptr_t>(&compute)));
  double copied = 0.0;
  expect_no_error(nesl_copy_to_host(session.get(), &copied, elements.address(7), sizeof copied));
  EXPECT_EQ(copied, 5.0);
}

TEST(CApiDevices, Mistakes) {
  Elements elements;
  Session session("x = [1, 2];", on_device());
  nesl_value* value = nullptr;
  const auto borrow = [&](nesl_session* in, nesl_element element, const void* data, std::size_t length) {
    return message_of(nesl_borrow_on_device(in, element, data, length, Elements::release, &elements, &value));
  };
  EXPECT_EQ(borrow(session.get(), NESL_FLOAT64, elements.numbers.data(), 1000),
            "the address is not in memory of the device of the session");
  EXPECT_EQ(borrow(session.get(), NESL_FLOAT32, elements.address(), 1000),
            "elements in memory of a device must have the width of the session's");
  EXPECT_NE(borrow(session.get(), NESL_FLOAT64, elements.address(), SIZE_MAX / 8).find("memory has no addresses"),
            std::string::npos);
  const Session host;
  const std::string on_host = "the vectors of the session are in memory of the host: open it with the backend \"cuda\"";
  EXPECT_EQ(borrow(host.get(), NESL_FLOAT64, elements.address(), 1000), on_host);
  EXPECT_EQ(message_of(nesl_await_stream(host.get(), 1)), on_host);
  EXPECT_EQ(elements.released, 0);
  EXPECT_EQ(message_of(nesl_copy_to_host(session.get(), &elements, elements.numbers.data(), 8)),
            "the address is not in memory of the device of the session");
  const void* data = nullptr;
  std::size_t length = 0;
  nesl_value* x = session.call(session.lookup("x", ""), {});
  EXPECT_EQ(message_of(nesl_data_on_device(x, NESL_INT32, &data, &length)),
            "elements in memory of a device have the width of the session's");
  EXPECT_EQ(message_of(nesl_data_on_device(x, NESL_FLOAT64, &data, &length)),
            "a value of type [int] has no elements of the kind NESL_FLOAT64");
  expect_no_error(nesl_data_on_device(x, NESL_INT64, &data, &length));
  EXPECT_EQ(message_of(nesl_data_on_device(x, NESL_FLOAT64, &data, &length)),
            "a value of type [int] has no elements of the kind NESL_FLOAT64");
}

}  // namespace
