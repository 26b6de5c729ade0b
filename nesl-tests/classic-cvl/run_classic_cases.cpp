// Calls the functions of a classic C vector library with the cases of a file:
//   run_classic_cases [GoogleTest options] CASES EXCEPTIONS
// A case of EXCEPTIONS replaces the case with its number in CASES. The tests of classic_procedures_test.cpp run too.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iostream>
#include <list>
#include <map>

#include "classic_calls.h"
#include "classic_heap.h"

namespace classic {
namespace {

/// An argument of a running call.
struct Passed {
  const Argument* argument;
  CallArgument value = 0;
  Elements before = {};                   ///< elements of a vector before the call
  std::list<std::vector<int>> ints = {};  ///< an array of the client
  std::list<std::vector<double>> doubles = {};
};

/// Two initial values for elements of results: an element that is not written differs from the expected one in at least
/// one of two calls.
double filling(char type, int round) { return type == 'b' ? round : round == 0 ? 1515870810 : -1515870811; }

bool same_number(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= tolerance * std::max(std::fabs(b), 1e-300);
}

class ClassicCase : public testing::Test {
 public:
  explicit ClassicCase(const Case& test_case) : case_(test_case) {}

  void TestBody() override {
    for (const int round : {0, 1}) run(round);
  }

 private:
  void run(int round) {
    const Function* function = find_function(case_.function);
    ASSERT_NE(function, nullptr) << "cvl.h has no function " << case_.function;
    Heap heap;
    std::vector<Passed> passed;
    for (const Argument& argument : case_.arguments) passed.push_back({&argument});
    for (Passed& p : passed) pass(p, heap, round);
    unsigned allowed = 0;
    for (std::size_t k = 0; k < passed.size(); ++k)
      if (passed[k].argument->kind == ArgumentKind::kSame) allowed |= share(passed, k);
    ASSERT_EQ(allowed & ~function->inplace(), 0u) << "the function may not overwrite this operand";

    // The scratch ends with units that no call may write.
    constexpr int kGuard = 2;
    std::vector<CallArgument> arguments;
    for (const Passed& p : passed) arguments.push_back(p.value);
    const int units = function->scratch(arguments);
    const vec_p scratch = heap.take(units);
    const vec_p guard = heap.take(kGuard);
    for (std::size_t k = 0; k < passed.size(); ++k)
      if (passed[k].argument->kind == ArgumentKind::kScratch) arguments[k] = Handle{scratch};
    const Elements guarded{'z', {101, 102, 103, 104}};
    write(guard, guarded);

    const double returned = function->call(arguments);

    EXPECT_EQ(read(guard, 'z', 4).values, guarded.values) << "the call wrote behind its scratch";
    for (const Passed& p : passed) check_unchanged(p, passed);
    for (const Expectation& expected : case_.results) {
      if (expected.name == "return")
        compare(expected, {expected.elements.type, {returned}});
      else
        compare(expected, result(expected.name, passed, heap), find(passed, expected.below));
    }
  }

  void pass(Passed& p, Heap& heap, int round) {
    using enum ArgumentKind;
    const Argument& a = *p.argument;
    const auto filler = [&] {
      return Elements{a.elements.type,
                      std::vector<double>(static_cast<std::size_t>(a.n), filling(a.elements.type, round))};
    };
    switch (a.kind) {
      case kVector:
      case kInOut:
        p.before = a.elements;
        p.value = Handle{heap.vector(a.elements)};
        break;
      case kOut:
        p.value = Handle{heap.vector(filler())};
        break;
      case kDescriptor:
        p.value = Handle{heap.descriptor(a.elements.values)};
        break;
      case kDescriptorOut:
        p.value = Handle{heap.take(siz_fos(static_cast<int>(a.n), static_cast<int>(a.m)))};
        break;
      case kHost:
        pass_array(p, a.elements);
        break;
      case kHostOut:
        pass_array(p, filler());
        break;
      case kInt:
        p.value = static_cast<int>(a.elements.values[0]);
        break;
      case kDouble:
        p.value = a.elements.values[0];
        break;
      case kSame:
      case kScratch:
        p.value = Handle{};
        break;
    }
  }

  static void pass_array(Passed& p, const Elements& elements) {
    if (elements.type == 'd')
      p.value = p.doubles.emplace_back(elements.values).data();
    else
      p.value = p.ints.emplace_back(elements.values.begin(), elements.values.end()).data();
  }

  /// Gives argument k the handle of the argument that it must share. Returns the bit of that operand.
  unsigned share(std::vector<Passed>& passed, std::size_t k) const {
    for (std::size_t other = 1; other < passed.size(); ++other)  // the destination comes first
      if (passed[other].argument->name == passed[k].argument->same) {
        passed[k].value = passed[other].value;
        return 1u << (other - 1);
      }
    ADD_FAILURE() << "no argument " << passed[k].argument->same;
    return 0;
  }

  static const Passed* find(const std::vector<Passed>& passed, const std::string& name) {
    for (const Passed& p : passed)
      if (p.argument->name == name) return &p;
    return nullptr;
  }

  static void check_unchanged(const Passed& p, const std::vector<Passed>& passed) {
    if (p.argument->kind != ArgumentKind::kVector) return;
    for (const Passed& other : passed)
      if (other.argument->same == p.argument->name) return;
    const Elements after =
        read(std::get<Handle>(p.value).v, p.before.type, static_cast<std::int64_t>(p.before.values.size()));
    EXPECT_EQ(after.values.size(), p.before.values.size());
    for (std::size_t k = 0; k < after.values.size(); ++k)
      ASSERT_TRUE(same_number(after.values[k], p.before.values[k], 0)) << "the call changed " << p.argument->name;
  }

  static Elements result(const std::string& name, const std::vector<Passed>& passed, Heap& heap) {
    const Passed* p = find(passed, name);
    if (p == nullptr) throw std::runtime_error("no argument " + name);
    const Argument& a = *p->argument;
    const auto n = a.kind == ArgumentKind::kInOut ? static_cast<std::int64_t>(a.elements.values.size()) : a.n;
    if (a.kind == ArgumentKind::kDescriptorOut)
      return read_descriptor(std::get<Handle>(p->value).v, static_cast<int>(a.n), static_cast<int>(a.m), heap);
    if (a.kind == ArgumentKind::kHostOut) {
      if (!p->doubles.empty()) return {'d', p->doubles.front()};
      return {a.elements.type, {p->ints.front().begin(), p->ints.front().end()}};
    }
    return read(std::get<Handle>(p->value).v, a.elements.type, n);
  }

  void compare(const Expectation& expected, const Elements& found, const Passed* below = nullptr) const {
    if (below != nullptr) {
      ASSERT_EQ(found.values.size(), below->before.values.size());
      for (std::size_t k = 0; k < found.values.size(); ++k)
        ASSERT_TRUE(found.values[k] >= 0 && found.values[k] < below->before.values[k])
            << expected.name << "[" << k << "]";
      return;
    }
    std::vector<double> values = found.values;
    if (expected.hash) {
      ASSERT_EQ(values.size(), static_cast<std::size_t>(expected.n));
      EXPECT_EQ(hash_of(found), *expected.hash) << "the hash of " << expected.name;
      values.erase(values.begin() + 4, values.end() - 4);
    }
    ASSERT_EQ(values.size(), expected.elements.values.size()) << "elements of " << expected.name;
    for (std::size_t k = 0; k < values.size(); ++k)
      EXPECT_TRUE(same_number(values[k], expected.elements.values[k], case_.tolerance))
          << expected.name << "[" << k << "] is " << values[k] << ", not " << expected.elements.values[k];
  }

  const Case& case_;
};

}  // namespace
}  // namespace classic

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3) {
    std::cerr << "usage: run_classic_cases [GoogleTest options] CASES EXCEPTIONS\n";
    return 2;
  }
  try {
    std::map<int, classic::Case> cases;
    for (classic::Case& c : classic::read_cases(argv[1])) cases[c.number] = std::move(c);
    for (classic::Case& c : classic::read_cases(argv[2])) {
      if (!cases.contains(c.number)) throw std::runtime_error("an exception from no case: " + std::to_string(c.number));
      cases[c.number] = std::move(c);
    }
    for (const auto& [number, c] : cases)
      testing::RegisterTest("cases", (std::to_string(number) + "_" + c.function).c_str(), nullptr, nullptr, argv[1],
                            c.line, [&c = c]() -> testing::Test* { return new classic::ClassicCase(c); });
    return RUN_ALL_TESTS();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
