// NumPy's archives of arrays (savez): a zip archive with a file NAME.npy for each array.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "files/file_formats.h"
#include "files/npy_array.h"
#include "files/whole_file.h"
#include "files/zip_archive.h"

namespace interp {

namespace {

/// The types of the arrays: the components of a tuple, or the type itself.
std::vector<std::string_view> array_types(const FileRequest& request) {
  std::vector<std::string_view> types;
  for (std::string_view rest = request.type; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(", "), rest.size());
    types.push_back(rest.substr(0, comma));
    npy_columns(request, types.back());  // refuses what is no array
    rest.remove_prefix(std::min(comma + 2, rest.size()));
  }
  if (types.size() != request.names.size())
    fail_file(request,
              fmt::format("the number of names is {}, that of the arrays {}", request.names.size(), types.size()));
  return types;
}

/// The request for one array; its name makes messages name the array.
FileRequest request_for(const FileRequest& request, const std::string& array) {
  FileRequest one = request;
  one.name = fmt::format("{}: array {}", request.name, array);
  return one;
}

FileContent archive(const FileRequest& request, const FileColumns& value, bool deflated) {
  const std::vector<std::string_view> types = array_types(request);
  ZipWriter zip;
  std::span<const FileColumn> columns = value;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::string& name = request.names[k];
    if (std::find(request.names.begin(), request.names.begin() + static_cast<std::ptrdiff_t>(k), name) !=
        request.names.begin() + static_cast<std::ptrdiff_t>(k))
      fail_file(request, fmt::format("two arrays have the name {}", name));
    zip.add(name + ".npy", npy_file(request_for(request, name), types[k], columns), deflated);
    columns = columns.subspan(npy_columns(request, types[k]));
  }
  return {zip.finish()};
}

}  // namespace

FileValue read_npz(const FileRequest& request) {
  const std::vector<std::string_view> types = array_types(request);
  const FileBytes bytes = read_whole_file(request);
  ZipReader zip(request, view_of(bytes));
  FileValue value;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::string& name = request.names[k];
    const std::optional<FileBytes> array = zip.content_of(name + ".npy");
    if (!array) fail_file(request, fmt::format("there is no array {} in the archive", name));
    append_npy(request_for(request, name), types[k], view_of(*array), value);
  }
  return value;
}

FileContent npz_content(const FileRequest& request, const FileColumns& value) { return archive(request, value, false); }

FileContent compressed_npz_content(const FileRequest& request, const FileColumns& value) {
  return archive(request, value, true);
}

}  // namespace interp
