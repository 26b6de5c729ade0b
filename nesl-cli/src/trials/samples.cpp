#include "samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "base/check.h"
#include "cvl/dispatch.h"

namespace nesl_cli {

using nesl::ValueShape;
using runtime::Value;
using vcode::ElemType;
using Kind = ValueShape::Kind;

std::uint64_t RandomNumbers::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

namespace {

/// Each so many numbers and characters one is an unusual one.
constexpr std::int64_t kUnusual = 16;

template <class T, std::size_t n>
T any_of(const std::array<T, n>& values, RandomNumbers& random) {
  return values[static_cast<std::size_t>(random.below(n))];
}

std::int64_t random_int(std::int64_t size, ElemType type, RandomNumbers& random) {
  if (random.below(kUnusual) == 0)
    return cvl::with_int(type, [&]<class Int>() {
      using Limits = std::numeric_limits<Int>;
      return static_cast<std::int64_t>(any_of<Int, 4>({Limits::max(), Limits::min(), Int{-1}, Int{0}}, random));
    });
  return random.below(2 * size + 1) - size;
}

template <class Float>
double random_float(std::int64_t size, RandomNumbers& random) {
  using Limits = std::numeric_limits<Float>;
  const Float whole = static_cast<Float>(random.below(2 * size + 1) - size);
  switch (random.below(kUnusual)) {
    case 0:
      return any_of<Float, 9>({Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), Limits::max(),
                               Limits::lowest(), Limits::min(), Limits::denorm_min(), Limits::epsilon(), Float{-0.0}},
                              random);
    case 1:
    case 2:
    case 3:
      return whole;
    default:
      return whole + static_cast<Float>(random.below(1 << 20)) / static_cast<Float>(1 << 20);
  }
}

std::int64_t random_char(RandomNumbers& random) {
  constexpr std::int64_t kCodes = 256, kFirstPrintable = ' ', kPrintable = 95;
  switch (random.below(kUnusual)) {
    case 0:
      return random.below(kCodes);
    case 1:
      return any_of<char, 6>({'\n', ' ', '"', '\\', '0', '%'}, random);
    case 2:
    case 3:
    case 4:
      return kFirstPrintable + random.below(kPrintable);
    default:
      return 'a' + random.below(5);  // few letters, so that some are equal
  }
}

/// Makes the number of lengths and shared parts smaller on inner levels, so that nested sequences do not explode.
std::int64_t inner_size(std::int64_t size, std::int64_t length) {
  return length == 0 ? size : std::max<std::int64_t>(1, 2 * size / (length + 1));
}

}  // namespace

Sample random_sample(const ValueShape& shape, std::int64_t size, vcode::Widths widths, RandomNumbers& random) {
  Sample sample;
  switch (shape.kind) {
    case Kind::kInt:
      sample.number = random_int(size, widths.int_type, random);
      break;
    case Kind::kFloat:
      sample.real =
          widths.float_type == ElemType::kF32 ? random_float<float>(size, random) : random_float<double>(size, random);
      break;
    case Kind::kBool:
      sample.number = random.below(2);
      break;
    case Kind::kChar:
      sample.number = random_char(random);
      break;
    case Kind::kSequence: {
      const std::int64_t length = random.below(size + 1);
      const bool is_nested = shape.parts[0].kind == Kind::kSequence;
      for (std::int64_t k = 0; k < length; ++k)
        sample.parts.push_back(
            random_sample(shape.parts[0], is_nested ? inner_size(size, length) : size, widths, random));
      break;
    }
    case Kind::kPair:
    case Kind::kData:
      for (const ValueShape& part : shape.parts) sample.parts.push_back(random_sample(part, size, widths, random));
      break;
    case Kind::kFunction:
      VC_CHECK(false);
  }
  return sample;
}

namespace {

void add_simpler_numbers(std::int64_t number, std::vector<Sample>& simpler) {
  if (number == 0) return;
  simpler.push_back({.number = 0});
  if (number < 0 && number != std::numeric_limits<std::int64_t>::min()) simpler.push_back({.number = -number});
  if (number / 2 != 0) simpler.push_back({.number = number / 2});
  if (number != 1 && number != -1) simpler.push_back({.number = number - (number > 0 ? 1 : -1)});
}

void add_simpler_floats(double x, std::vector<Sample>& simpler) {
  if (x == 0 && !std::signbit(x)) return;
  simpler.push_back({.real = 0.0});
  if (std::isnan(x) || x == 0) return;
  if (x < 0) simpler.push_back({.real = -x});
  if (x != 1 && x > 0) simpler.push_back({.real = 1.0});
  if (std::isinf(x) || std::fabs(x) < 1) return;
  if (std::trunc(x) != x) simpler.push_back({.real = std::trunc(x)});
  if (std::trunc(x / 2) != 0) simpler.push_back({.real = std::trunc(x / 2)});
  if (std::trunc(x) == x && std::fabs(x) > 1 && std::fabs(x) < 1e9) simpler.push_back({.real = x - (x > 0 ? 1 : -1)});
}

void add_simpler_chars(std::int64_t code, std::vector<Sample>& simpler) {
  for (const char c : {'a', 'b', 'A', '0'})
    if (code == c)
      return;
    else
      simpler.push_back({.number = c});
}

/// Adds the sequence without each of its runs of some lengths, the longest runs first.
void add_shorter(const Sample& sample, std::vector<Sample>& simpler) {
  const std::size_t length = sample.parts.size();
  for (std::size_t run = length; run > 0; run /= 2)
    for (std::size_t begin = 0; begin + run <= length; begin += run) {
      Sample& shorter = simpler.emplace_back(sample);
      const auto first = shorter.parts.begin() + static_cast<std::ptrdiff_t>(begin);
      shorter.parts.erase(first, first + static_cast<std::ptrdiff_t>(run));
    }
}

/// Adds the sequence with element k, and all that are equal to it, replaced by simpler ones. Tests may fail for equal
/// elements only.
void add_with_equals(const Sample& sample, std::size_t k, const std::vector<Sample>& simpler_elements,
                     std::vector<Sample>& simpler) {
  constexpr std::size_t kMost = 4;
  const Sample& element = sample.parts[k];
  const auto begin = sample.parts.begin(), here = begin + static_cast<std::ptrdiff_t>(k);
  if (std::find(begin, here, element) != here) return;
  if (std::find(here + 1, sample.parts.end(), element) == sample.parts.end()) return;
  for (std::size_t i = 0; i < std::min(kMost, simpler_elements.size()); ++i) {
    std::vector<Sample>& parts = simpler.emplace_back(sample).parts;
    std::replace(parts.begin(), parts.end(), element, simpler_elements[i]);
  }
}

}  // namespace

std::vector<Sample> simpler_samples(const ValueShape& shape, const Sample& sample) {
  constexpr std::size_t kMostOfAnElement = 8;
  std::vector<Sample> simpler;
  switch (shape.kind) {
    case Kind::kInt:
      add_simpler_numbers(sample.number, simpler);
      break;
    case Kind::kFloat:
      add_simpler_floats(sample.real, simpler);
      break;
    case Kind::kBool:
      if (sample.number != 0) simpler.push_back({.number = 0});
      break;
    case Kind::kChar:
      add_simpler_chars(sample.number, simpler);
      break;
    case Kind::kSequence:
    case Kind::kPair:
    case Kind::kData: {
      const bool is_sequence = shape.kind == Kind::kSequence;
      if (is_sequence) add_shorter(sample, simpler);
      for (std::size_t k = 0; k < sample.parts.size(); ++k) {
        std::vector<Sample> parts = simpler_samples(shape.parts[is_sequence ? 0 : k], sample.parts[k]);
        if (is_sequence && parts.size() > kMostOfAnElement) parts.resize(kMostOfAnElement);
        if (is_sequence) add_with_equals(sample, k, parts, simpler);
        for (Sample& part : parts) simpler.emplace_back(sample).parts[k] = std::move(part);
      }
      break;
    }
    case Kind::kFunction:
      VC_CHECK(false);
  }
  return simpler;
}

namespace {

/// Makes the entries of many values of one type, all together.
class EntryMaker {
 public:
  explicit EntryMaker(runtime::Evaluator& evaluator) : evaluator_(evaluator) {}

  bool add(const ValueShape& shape, const std::vector<const Sample*>& samples) {
    const vcode::Widths widths = evaluator_.widths();
    switch (shape.kind) {
      case Kind::kChar:
        return add_vector<std::uint8_t>(ElemType::kU8, samples,
                                        [](const Sample& s) { return static_cast<std::uint8_t>(s.number); });
      case Kind::kInt:
        return cvl::with_int(widths.int_type, [&]<class Int>() {
          return add_vector<Int>(widths.int_type, samples, [](const Sample& s) { return static_cast<Int>(s.number); });
        });
      case Kind::kFloat:
        if (widths.float_type == ElemType::kF32)
          return add_vector<float>(ElemType::kF32, samples, [](const Sample& s) { return static_cast<float>(s.real); });
        return add_vector<double>(ElemType::kF64, samples, [](const Sample& s) { return s.real; });
      case Kind::kBool:
        return add_vector<bool>(ElemType::kB8, samples, [](const Sample& s) { return s.number != 0; });
      case Kind::kSequence:
        return add_sequences(shape, samples);
      case Kind::kPair:
      case Kind::kData:
        for (std::size_t k = 0; k < shape.parts.size(); ++k)
          if (!add(shape.parts[k], parts_of(samples, k))) return false;
        return true;
      case Kind::kFunction:
        break;
    }
    VC_CHECK(false);
    return false;
  }

  std::vector<Value> entries;

 private:
  static std::vector<const Sample*> parts_of(const std::vector<const Sample*>& samples, std::size_t k) {
    std::vector<const Sample*> parts;
    for (const Sample* sample : samples) parts.push_back(&sample->parts[k]);
    return parts;
  }

  bool add_sequences(const ValueShape& shape, const std::vector<const Sample*>& samples) {
    std::vector<const Sample*> elements;
    for (const Sample* sample : samples)
      for (const Sample& element : sample->parts) elements.push_back(&element);
    if (samples.size() == 1) {
      entries.push_back(Value::single_segment(static_cast<std::int64_t>(elements.size())));
    } else {
      const ElemType type = evaluator_.widths().int_type;
      const bool made = cvl::with_int(type, [&]<class Int>() {
        return add_vector<Int>(type, samples, [](const Sample& s) { return static_cast<Int>(s.parts.size()); });
      });
      if (!made) return false;
      entries.back() = evaluator_.make_segdes(std::move(entries.back()));
      if (entries.back().tag() == Value::Tag::kNone) return false;
    }
    return add(shape.parts[0], elements);
  }

  template <class T, class Read>
  bool add_vector(ElemType type, const std::vector<const Sample*>& samples, Read read) {
    if (samples.size() == 1) {
      entries.push_back(Value::scalar(static_cast<T>(read(*samples[0]))));
      return true;
    }
    const auto length = static_cast<std::int64_t>(samples.size());
    runtime::Heap& heap = evaluator_.heap();
    const bool on_host = evaluator_.makes_on_host(length);
    runtime::VectorObject* vector = on_host ? heap.make_vector(type, length) : heap.make_device_vector(type, length);
    if (vector == nullptr) return false;
    entries.push_back(Value::adopt(vector));
    if (length == 0) return true;
    const std::unique_ptr<T[]> elements = std::make_unique<T[]>(samples.size());
    std::transform(samples.begin(), samples.end(), elements.get(), [&](const Sample* s) { return read(*s); });
    const std::size_t bytes = samples.size() * sizeof(T);
    if (on_host)
      std::memcpy(vector->host, elements.get(), bytes);
    else
      heap.device().upload(vector->device, elements.get(), bytes);
    return true;
  }

  runtime::Evaluator& evaluator_;
};

}  // namespace

std::optional<std::vector<Value>> entries_of(const ValueShape& shape, const Sample& sample,
                                             runtime::Evaluator& evaluator) {
  EntryMaker maker(evaluator);
  if (!maker.add(shape, {&sample})) return std::nullopt;
  return std::move(maker.entries);
}

}  // namespace nesl_cli
