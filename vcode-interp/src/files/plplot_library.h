#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

namespace interp {

/// Functions of PLplot (https://plplot.org) in the order of their use, with the signatures of libplplot.so.17 for
/// double precision. The header of PLplot is not used (decision 027).
struct PlplotLibrary {
  void (*set_exit_handler)(
      int (*handler)(const char* message));  ///< plsexit: function that PLplot calls before it ends the process
  void (*list_devices)(const char*** descriptions, const char*** names, int* count);  ///< plgFileDevs
  void (*set_device)(const char* name);
  void (*set_file)(std::FILE* file);  ///< end() closes the file
  void (*set_page)(double dpi_x, double dpi_y, std::int32_t width, std::int32_t height, std::int32_t x, std::int32_t y);
  void (*set_background)(std::int32_t red, std::int32_t green, std::int32_t blue);
  void (*set_color)(std::int32_t number, std::int32_t red, std::int32_t green, std::int32_t blue);
  void (*begin)();
  void (*use_color)(std::int32_t number);
  void (*set_width)(double width);
  void (*draw_axes)(double x_low, double x_high, double y_low, double y_high, std::int32_t scale, std::int32_t kind);
  void (*draw_labels)(const char* x, const char* y, const char* title);
  void (*draw_line)(std::int32_t count, const double* x, const double* y);
  void (*draw_texts)(std::int32_t count, const double* x, const double* y, const char* text);
  void (*fill)(std::int32_t count, const double* x, const double* y);
  void (*end)();

  /// Must be held while a plot is drawn: PLplot's state is global.
  mutable std::mutex in_use;
};

/// Opens PLplot at the first call. Throws FileError, without the name of a file, if that fails. The functions of PLplot
/// throw FileError too where they would end the process.
const PlplotLibrary& plplot_library();

}  // namespace interp
