#include "ranks/rank_npy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cvl/dispatch.h"
#include "files/descriptor.h"
#include "files/file_part.h"
#include "files/npy_array.h"
#include "files/whole_file.h"

namespace interp {

using runtime::Value;

namespace {

/// Gives a text of rank `root` to all ranks.
void share(cvl::RankJob& job, std::string& text, int root) {
  std::size_t size = text.size();
  job.broadcast(&size, sizeof size, root);
  text.resize(size);
  job.broadcast(text.data(), size, root);
}

}  // namespace

bool agree_on_part(cvl::RankJob& job, const std::function<void()>& work) {
  enum State : std::int64_t { kDone, kFailed, kNotInParts };
  State state = kDone;
  std::string message;
  try {
    work();
  } catch (const FileError& error) {
    state = kFailed;
    message = error.what();
  } catch (const NotInParts&) {
    state = kNotInParts;
  }
  const std::vector<std::int64_t> all = job.gather(state);
  if (std::ranges::find(all, kNotInParts) != all.end()) return false;
  const auto failed = std::ranges::find(all, kFailed);
  if (failed == all.end()) return true;
  share(job, message, static_cast<int>(failed - all.begin()));
  throw FileError(message);
}

namespace {

/// An array whose elements are divided among ranks.
struct DividedArray {
  std::string_view element;  ///< int, float or bool
  Value elements;
  std::string shape;  ///< as for npy_header()
};

std::int64_t row_length(const Value& rows) {
  if (rows.tag() == Value::Tag::kSingle) return rows.elements();
  return rows.segments() == 0 ? 0 : rows.segdes()->regular_length;
}

/// The array that the vectors of a value are; nothing if it is short or none.
std::optional<DividedArray> array_of(const FileRequest& request, std::span<const Value> values) {
  std::string_view type = request.type;
  std::size_t dimensions = 0;
  for (; type.starts_with('[') && type.ends_with(']'); ++dimensions) type = type.substr(1, type.size() - 2);
  if (dimensions < 1 || dimensions > 2 || values.size() != dimensions + 1) return std::nullopt;
  const Value& elements = values[dimensions];
  const auto is_descriptor = [](const Value& value) { return value.is_segdes(); };
  if (!std::ranges::all_of(values.first(dimensions), is_descriptor) || !elements.is_vector()) return std::nullopt;
  const vcode::Kind kind = type == "float"  ? vcode::Kind::kFloat
                           : type == "bool" ? vcode::Kind::kBool
                                            : vcode::Kind::kInt;
  if ((type != "int" && type != "float" && type != "bool") || elements.kind() != kind) return std::nullopt;
  if (elements.is_scalar() || elements.vector()->device == nullptr) return std::nullopt;
  const std::int64_t rows = values[0].elements(), columns = dimensions == 2 ? row_length(values[1]) : 1;
  if (values[0].segments() != 1 || columns < 0 || rows * columns != elements.length()) return std::nullopt;
  if (dimensions == 2 && values[1].segments() != rows) return std::nullopt;
  if (elements.length() * (type == "bool" ? 1 : 8) < kLeastBytesOfParts) return std::nullopt;
  return DividedArray{type, elements,
                      dimensions == 2 ? fmt::format("{}, {}", rows, columns) : fmt::format("{},", rows)};
}

void write_at(const std::string& name, int fd, std::string_view bytes, std::size_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && is_final(errno)) fail_system(name, "written", errno);
    if (n <= 0) continue;
    at += static_cast<std::size_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// Writes elements as numbers of 64 bits, or bools.
void write_elements(const std::string& name, int fd, const cvl::Operand& elements, std::size_t at) {
  constexpr std::int64_t kBatch = 65536;
  cvl::with_type(elements.type, [&]<class T>() {
    using Written = std::conditional_t<std::is_same_v<T, bool>, bool,
                                       std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>>;
    const auto* const from = static_cast<const T*>(elements.data);
    const auto write = [&](std::span<const Written> batch) {
      write_at(name, fd, bytes_of(batch), at);
      at += batch.size_bytes();
    };
    if constexpr (std::is_same_v<T, Written>) return write({from, static_cast<std::size_t>(elements.length)});
    std::vector<Written> batch;
    for (std::int64_t begin = 0; begin < elements.length; begin += kBatch) {
      batch.assign(from + begin, from + std::min(begin + kBatch, elements.length));
      if constexpr (!std::is_same_v<Written, bool>) write(batch);
    }
  });
}

void close_written(const std::string& name, Descriptor& file) {
  if (::close(file.release()) != 0) fail_system(name, "written", errno);
}

}  // namespace

bool write_npy_in_parts(cvl::RankJob& job, const FileRequest& request, std::span<const Value> values) {
  const std::optional<DividedArray> array = array_of(request, values);
  if (!array) return false;
  const std::string& name = request.name;
  const std::string header = npy_header(array->element, array->shape);
  struct stat before {};
  bool exists = false;
  std::string temporary;
  const auto remove = [&] {
    if (job.rank() == 0 && !temporary.empty()) ::unlink(temporary.c_str());
  };
  try {
    const bool is_begun = agree_on_part(job, [&] {
      if (job.rank() != 0) return;
      if (name.find('\0') != std::string::npos) throw NotInParts();  // a mistake
      exists = ::lstat(name.c_str(), &before) == 0;
      if (exists && !S_ISREG(before.st_mode)) throw NotInParts();
      Descriptor file(create_temporary(name, temporary));
      if (file.get() < 0) {
        const int error = errno;
        temporary.clear();
        fail_system(name, "written", error);
      }
      write_at(name, file.get(), header, 0);
      close_written(name, file);
    });
    if (!is_begun) return false;
    share(job, temporary, 0);

    const Value& elements = array->elements;
    const std::pair<std::int64_t, std::int64_t> part = job.part(elements.length());
    const void* const mine = job.own_part({elements.type(), elements.length(), elements.vector()->device});
    const std::size_t size = array->element == "bool" ? 1 : sizeof(std::int64_t);
    const bool is_written = agree_on_part(job, [&] {
      Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CLOEXEC));
      if (file.get() < 0) throw NotInParts();
      write_elements(name, file.get(), {elements.type(), part.second, mine},
                     header.size() + static_cast<std::size_t>(part.first) * size);
      close_written(name, file);
    });
    if (!is_written) {
      remove();
      return false;
    }
    agree_on_part(job, [&] {
      if (job.rank() != 0) return;
      if (exists && ::chmod(temporary.c_str(), before.st_mode & 07777) != 0) fail_system(name, "written", errno);
      if (::rename(temporary.c_str(), name.c_str()) != 0) fail_system(name, "written", errno);
    });
    return true;
  } catch (const FileError&) {
    remove();
    throw;
  }
}

}  // namespace interp
