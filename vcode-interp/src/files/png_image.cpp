#include <png.h>

#include <fmt/format.h>

#include "files/file_formats.h"

namespace interp {

namespace {

/// The pixels as bytes, row by row, with `channels` bytes each.
std::vector<png_byte> pixels_of(const FileRequest& request, const FileColumns& value, std::size_t channels) {
  const std::span<const std::int64_t> lengths = value[1].ints;
  if (lengths.empty() || lengths[0] == 0) fail_file(request, "an image has at least one row and one column");
  for (std::size_t row = 0; row < lengths.size(); ++row)
    if (lengths[row] != lengths[0])
      fail_file(request, fmt::format("an image has rows of one length, but row 0 has {} pixels and row {} has {}",
                                     lengths[0], row, lengths[row]));
  const std::size_t count = value[2].ints.size();
  std::vector<png_byte> pixels(count * channels);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t c = 0; c < channels; ++c) {
      const std::int64_t level = value[2 + c].ints[k];
      if (level < 0 || level > 255)
        fail_file(request, fmt::format("the pixel in row {}, column {} has a level of {}: levels are 0 to 255",
                                       static_cast<std::int64_t>(k) / lengths[0],
                                       static_cast<std::int64_t>(k) % lengths[0], level));
      pixels[k * channels + c] = static_cast<png_byte>(level);
    }
  return pixels;
}

}  // namespace

FileContent png_content(const FileRequest& request, const FileColumns& value) {
  const bool grey = request.type == "[[int]]";
  if (!grey && request.type != "[[(int, int, int)]]") refuse_type(request);
  const std::vector<png_byte> pixels = pixels_of(request, value, grey ? 1 : 3);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(value[1].ints.size());
  image.width = static_cast<png_uint_32>(value[1].ints[0]);
  image.format = grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
    fail_file(request, fmt::format("the image cannot be written: {}", image.message));
  bytes.resize(size);
  return {std::move(bytes)};
}

}  // namespace interp
