#include "files/plplot_library.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "files/file_value.h"

namespace interp {

namespace {

constexpr const char* kFile = "libplplot.so.17";

class OpenedPlplot : public PlplotLibrary {
 public:
  OpenedPlplot() : PlplotLibrary{}, library_(dlopen(kFile, RTLD_NOW | RTLD_LOCAL)) {
    find(set_exit_handler, "plsexit");
    find(list_devices, "plgFileDevs");
    find(set_device, "c_plsdev");
    find(set_file, "plsfile");
    find(set_page, "c_plspage");
    find(set_background, "c_plscolbg");
    find(set_color, "c_plscol0");
    find(begin, "c_plinit");
    find(use_color, "c_plcol0");
    find(set_width, "c_plwidth");
    find(draw_axes, "c_plenv");
    find(draw_labels, "c_pllab");
    find(draw_line, "c_plline");
    find(draw_texts, "c_plstring");
    find(fill, "c_plfill");
    find(end, "c_plend1");
    set_exit_handler([](const char* message) -> int { throw FileError(fmt::format("PLplot: {}", message)); });
  }

 private:
  template <class Function>
  void find(Function*& function, const char* name) {
    if (library_ != nullptr) function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr)
      throw FileError(
          fmt::format("plots are drawn by PLplot, which cannot be opened (package libplplot17): {}", dlerror()));
  }

  void* const library_;
};

}  // namespace

const PlplotLibrary& plplot_library() {
  static const OpenedPlplot opened;
  return opened;
}

}  // namespace interp
