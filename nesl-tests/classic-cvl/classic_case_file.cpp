#include "classic_case_file.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace classic {
namespace {

using Words = std::vector<std::string>;

/// Reads the words of a line one after the other.
class WordReader {
 public:
  explicit WordReader(const std::string& text) {
    std::istringstream in(text);
    words_.assign(std::istream_iterator<std::string>(in), {});
  }
  bool at_end() const { return next_ == words_.size(); }
  const std::string& peek() const {
    if (at_end()) throw std::runtime_error("the line ends too early");
    return words_[next_];
  }
  std::string word() {
    std::string word = peek();
    ++next_;
    return word;
  }
  double number() {
    const std::string text = word();
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end != '\0') throw std::runtime_error("not a number: " + text);
    return value;
  }
  std::int64_t integer() { return static_cast<std::int64_t>(number()); }
  std::vector<double> numbers(std::size_t count) {
    std::vector<double> values;
    while (values.size() < count) values.push_back(number());
    return values;
  }
  /// Reads numbers up to a closing bracket.
  std::vector<double> list() {
    std::vector<double> values;
    while (peek() != "]") values.push_back(number());
    word();
    return values;
  }

 private:
  Words words_;
  std::size_t next_ = 0;
};

std::vector<double> generated(const std::string& generator, WordReader& in) {
  std::vector<double> values(generator == "cat" ? 0 : static_cast<std::size_t>(in.integer()));
  if (generator == "iota") {
    const double first = in.number(), step = in.number();
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = first + static_cast<double>(k) * step;
  } else if (generator == "rep") {
    std::fill(values.begin(), values.end(), in.number());
  } else if (generator == "perm") {
    const auto n = static_cast<std::int64_t>(values.size()), factor = in.integer();
    for (std::int64_t k = 0; k < n; ++k)
      values[static_cast<std::size_t>(k)] = static_cast<double>((factor * k + 7) % n);
  } else if (generator == "lcg") {
    std::int64_t x = in.integer();
    const std::int64_t low = in.integer(), high = in.integer();
    for (double& value : values) {
      x = (1103515245 * x + 12345) % (std::int64_t{1} << 31);
      value = static_cast<double>(low + (x >> 8) % (high - low));
    }
  } else if (generator == "cat") {
    while (!in.at_end()) {
      const std::string part = in.word();
      std::vector<double> more;
      if (part == "[") {
        more = in.list();
      } else {
        const auto count = static_cast<std::size_t>(in.integer());
        more.assign(count, in.number());
      }
      values.insert(values.end(), more.begin(), more.end());
    }
  } else {
    throw std::runtime_error("there is no generator " + generator);
  }
  return values;
}

/// Reads elements from their first word on, such as z[ or z@iota.
Elements read_elements(WordReader& in) {
  const std::string word = in.word();
  const std::size_t sign = word.find_first_of("[@");
  if (sign == std::string::npos) throw std::runtime_error("not the beginning of elements: " + word);
  const std::string prefix = word.substr(0, sign);
  const char type = prefix == "b" || prefix == "d" ? prefix[0] : 'z';
  return {type, word[sign] == '[' ? in.list() : generated(word.substr(sign + 1), in)};
}

void read_argument(WordReader& in, Argument& argument) {
  using enum ArgumentKind;
  const std::string first = in.peek();
  if (first == "out" || first == "hostout") {
    in.word();
    argument.kind = first == "out" ? kOut : kHostOut;
    argument.elements.type = in.word()[0];
    argument.n = in.integer();
  } else if (first == "sdout") {
    in.word();
    argument.kind = kDescriptorOut;
    argument.n = in.integer();
    argument.m = in.integer();
  } else if (first == "inout" || first == "host") {
    in.word();
    argument.kind = first == "inout" ? kInOut : kHost;
    argument.elements = read_elements(in);
  } else if (first == "same") {
    in.word();
    argument.kind = kSame;
    argument.same = in.word();
    argument.elements.type = in.word()[0];
    argument.n = in.integer();
  } else if (first == "c-int" || first == "c-double") {
    in.word();
    argument.kind = first == "c-int" ? kInt : kDouble;
    argument.elements.values = in.numbers(1);
  } else if (first == "auto") {
    in.word();
    argument.kind = kScratch;
  } else {
    argument.kind = first.starts_with("sd") ? kDescriptor : kVector;
    argument.elements = read_elements(in);
  }
}

void read_expectation(WordReader& in, Expectation& result) {
  const std::string first = in.peek();
  if (first == "below") {
    in.word();
    result.below = in.word();
  } else if (const std::size_t at = first.find("@fnv"); at != std::string::npos) {
    in.word();
    result.elements.type = first[0];
    result.n = in.integer();
    result.hash = std::stoull(in.word(), nullptr, 16);
    for (const char* what : {"first", "last"}) {
      if (in.word() != what) throw std::runtime_error("a hash is followed by the first and the last elements");
      for (const double value : in.numbers(4)) result.elements.values.push_back(value);
    }
  } else if (first.find_first_of("[@") == std::string::npos) {
    in.word();
    result.elements = {first[0], in.numbers(1)};
  } else {
    result.elements = read_elements(in);
  }
}

/// Reads a line of a case: PARAMETER = ..., or => PARAMETER = ...
void read_line(const std::string& line, Case& test_case) {
  WordReader in(line);
  std::string name = in.word();
  const bool is_result = name == "=>";
  if (is_result) name = in.word();
  if (in.word() != "=") throw std::runtime_error("expected '=' behind " + name);
  if (is_result)
    read_expectation(in, test_case.results.emplace_back(Expectation{.name = name}));
  else
    read_argument(in, test_case.arguments.emplace_back(Argument{.name = name}));
  if (!in.at_end()) throw std::runtime_error("too much at the end of the line: " + in.word());
}

Case read_head(const std::string& line, int number) {
  WordReader in(line);
  in.word();
  Case test_case;
  test_case.line = number;
  test_case.number = static_cast<int>(in.integer());
  test_case.function = in.word();
  const std::string rule = in.word();
  if (rule.starts_with("cmp=rel:"))
    test_case.tolerance = std::strtod(rule.c_str() + 8, nullptr);
  else if (rule != "cmp=exact")
    throw std::runtime_error("there is no rule " + rule);
  return test_case;
}

}  // namespace

std::uint64_t hash_of(const Elements& elements) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const double value : elements.values) {
    const std::uint64_t bits = elements.type == 'd' ? std::bit_cast<std::uint64_t>(value)
                                                    : static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    for (int byte = 0; byte < (elements.type == 'd' ? 8 : 4); ++byte)
      hash = (hash ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3u;
  }
  return hash;
}

std::vector<Case> read_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<Case> cases;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line[begin] == '#' || line[begin] == ';') continue;
    try {
      if (line.starts_with("case ")) {
        if (inside) throw std::runtime_error("the case before has no end");
        cases.push_back(read_head(line, number));
        inside = true;
      } else if (!inside) {
        throw std::runtime_error("a line outside of any case");
      } else if (line == "end") {
        inside = false;
      } else {
        read_line(line, cases.back());
      }
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return cases;
}

}  // namespace classic
