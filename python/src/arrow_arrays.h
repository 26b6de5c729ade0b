#pragma once

#include <pybind11/pybind11.h>

namespace nesl_python {

/// Adds arrow_array, arrow_stream and arrow_capsules to the module: arrays of Arrow, by its C data interface
/// (https://arrow.apache.org/docs/format/CDataInterface.html), as trees of NumPy arrays and back (nesl/arrow.py,
/// nesl/arrow_export.py).
void add_arrow(pybind11::module_& module);

}  // namespace nesl_python
