#include "ranks/rank_files.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cvl/dispatch.h"
#include "files/file_formats.h"
#include "files/file_text.h"
#include "io/run_error.h"
#include "ranks/rank_matrix.h"
#include "ranks/rank_npy.h"
#include "ranks/rank_zero.h"
#include "vcode-interp/rank_vectors.h"

namespace interp {

using runtime::Value;
using vcode::ElemType;
using vcode::Suffix;

RankFiles::RankFiles(runtime::Evaluator& evaluator, ValueFiles& of_rank_zero)
    : evaluator_(evaluator),
      of_rank_zero_(of_rank_zero),
      memory_(std::make_shared<FileMemory>(evaluator.heap().device())) {}

std::int64_t RankFiles::open(Open file) {
  std::int64_t number = kFirst;
  while (files_.contains(number)) --number;
  files_.emplace(number, std::move(file));
  return number;
}

// --- reading ----------------------------------------------------------------------------------------------------

namespace {

/// The lines that begin in this rank's share of the bytes of a text. Nothing if parts cannot be understood alone.
std::optional<TextPart> read_lines_of_rank(cvl::RankJob& job, const FileRequest& request, const SharedFile& file) {
  const auto share = [&](int rank) {
    return file.size() / static_cast<std::size_t>(job.ranks()) * static_cast<std::size_t>(rank);
  };
  TextPart part;
  const bool is_good = agree_on_part(job, [&] {
    part.text = file.read_lines(share(job.rank()), job.rank() + 1 == job.ranks() ? file.size() : share(job.rank() + 1));
    // A line end between quotes ends no row.
    if (request.format != "lines" && view_of(part.text).find('"') != std::string_view::npos) throw NotInParts();
  });
  if (!is_good) return std::nullopt;
  const std::vector<std::int64_t> lines =
      job.gather(static_cast<std::int64_t>(location_behind(view_of(part.text)).line) - 1);
  const std::vector<std::int64_t> contents = job.gather(part.has_content() ? 1 : 0);
  const auto rank = static_cast<std::ptrdiff_t>(job.rank());
  part.is_first = rank == 0;
  part.is_last = std::reduce(contents.begin() + rank + 1, contents.end()) == 0;
  part.lines_before = static_cast<std::size_t>(std::reduce(lines.begin(), lines.begin() + rank));
  return part;
}

}  // namespace

std::optional<std::int64_t> RankFiles::open_to_read(cvl::RankJob& job, FileRequest request) {
  request.memory = memory_.get();
  ValueFiles::take_names(request);
  PartKind kind = PartKind::kNone;
  std::optional<SharedFile> file;
  std::int64_t size = -1, modified = 0;
  try {
    kind = part_kind(request);
    if (request.name.find('\0') == std::string::npos && kind != PartKind::kNone) {
      file.emplace(request);
      size = static_cast<std::int64_t>(file->size());
      modified = file->modified();
    }
  } catch (const FileError&) {  // of which rank 0 tells
  } catch (const NotInParts&) {
  }
  if (kind == PartKind::kNone) return std::nullopt;
  const std::vector<std::int64_t> sizes = job.gather(size), times = job.gather(modified);
  const auto differ = [](const std::vector<std::int64_t>& all) {
    return std::ranges::any_of(all, [&](std::int64_t of_rank) { return of_rank != all[0]; });
  };
  if (size < kLeastBytesOfParts || differ(sizes) || differ(times)) return std::nullopt;

  if (kind == PartKind::kMatrix) {
    std::optional<FileValue> rows = read_matrix_in_parts(job, request, *file);
    file.reset();
    if (!rows) return std::nullopt;
    return open({.request = std::move(request), .read = std::move(*rows)});
  }
  FileValue value;
  std::optional<TextPart> part;
  if (kind == PartKind::kLines && !(part = read_lines_of_rank(job, request, *file))) return std::nullopt;
  const bool is_good = agree_on_part(job, [&] {
    value = part ? read_text_part(request, std::move(*part))
                 : read_elements(request, *file, [&](std::int64_t length) { return job.part(length); });
  });
  if (!is_good) return std::nullopt;
  file.reset();  // it refers to the request
  return open({.request = std::move(request), .read = std::move(value)});
}

namespace {

/// Joins the elements of all ranks, converted to a type.
template <class To, class From>
Value join(cvl::RankJob& job, runtime::Evaluator& evaluator, ElemType type, const FileElements<From>& elements) {
  const auto length = static_cast<std::int64_t>(elements.size());
  if constexpr (sizeof(To) == sizeof(From)) {
    return join_parts(job, evaluator, type, elements.data(), length);
  } else {
    const std::vector<To> converted(elements.begin(), elements.end());
    return join_parts(job, evaluator, type, converted.data(), length);
  }
}

}  // namespace

ReadOutcome RankFiles::take(cvl::RankJob& job, Suffix type, std::int64_t number) {
  Open& file = files_.at(number);
  const bool is_there = !file.to_write && !file.read.empty() && file.read.front().is_for(type);
  FileVector vector(type, *memory_);
  const bool is_first = !std::exchange(file.is_begun, true);
  if (is_there) {
    vector = std::move(file.read.front());
    file.read.pop_front();
    vector.become(type);
  }
  const vcode::Widths widths = evaluator_.widths();
  Value elements;
  if (is_there && is_first) {
    const std::vector<std::int64_t> counts = job.gather(vector.ints[0]);
    const std::int64_t all = std::reduce(counts.begin(), counts.end());
    elements = make_ints(evaluator_, {&all, 1});
  } else if (vector.kind == Suffix::kFloat) {
    elements = widths.float_type == ElemType::kF64 ? join<double>(job, evaluator_, ElemType::kF64, vector.floats)
                                                   : join<float>(job, evaluator_, ElemType::kF32, vector.floats);
  } else if (vector.kind == Suffix::kBool || vector.kind == Suffix::kByte) {
    const ElemType element = widths.of(vcode::suffix_kind(vector.kind));
    elements = join<std::uint8_t>(job, evaluator_, element, vector.bytes);
  } else {
    elements = widths.int_type == ElemType::kI64 ? join<std::int64_t>(job, evaluator_, ElemType::kI64, vector.ints)
                                                 : join<std::int32_t>(job, evaluator_, ElemType::kI32, vector.ints);
  }
  return {std::move(elements), is_there ? "" : "input error: the file has no such vector next"};
}

// --- writing ----------------------------------------------------------------------------------------------------

std::optional<std::int64_t> RankFiles::open_to_write(FileRequest request) {
  ValueFiles::take_names(request);
  if (request.format != "npy") return std::nullopt;
  return open({.request = std::move(request), .to_write = true});
}

std::string RankFiles::add(Suffix type, Value value, std::int64_t number) {
  Open& file = files_.at(number);
  if (!file.to_write) return "the file is not open for writing";
  file.written.push_back({type, std::move(value)});
  return "";
}

void RankFiles::close(cvl::RankJob& job, std::int64_t number) {
  const Open file = std::move(files_.at(number));
  files_.erase(number);
  if (!file.to_write) return;
  std::vector<Value> values;
  for (const Written& written : file.written) values.push_back(written.value);
  if (!write_npy_in_parts(job, file.request, values)) write_by_rank_zero(job, file);
}

void RankFiles::write_by_rank_zero(cvl::RankJob& job, const Open& file) {
  std::vector<Value> values;
  for (const Written& written : file.written) {
    values.push_back(written.value.is_segdes() ? evaluator_.lengths_of(written.value) : written.value);
    if (values.back().tag() == Value::Tag::kNone)
      throw RunError(evaluator_.memory_failure("output"), RunError::Blame::kSurroundings);
  }
  const std::vector<Value> said = compute_on_rank_zero(job, evaluator_, values, [&] {
    std::string message;
    try {
      const std::int64_t number = of_rank_zero_.open_to_write(file.request);
      for (std::size_t k = 0; k < values.size(); ++k)
        if (message.empty()) message = of_rank_zero_.add(file.written[k].kind, values[k], number);
      of_rank_zero_.close(number);
    } catch (const FileError& error) {
      message = error.what();
    }
    return std::vector<Value>{make_characters(evaluator_, message)};
  });
  if (said[0].length() > 0) throw FileError(characters_of(evaluator_, said[0]));
}

}  // namespace interp
