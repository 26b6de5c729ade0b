#pragma once

#include <pybind11/pybind11.h>

namespace nesl_python {

/// Adds arrow_array, arrow_stream and arrow_capsules to the module. They convert Arrow's C data interface
/// (https://arrow.apache.org/docs/format/CDataInterface.html) to trees of NumPy arrays (nesl/arrow_import.py) and back
/// (nesl/arrow_export.py). arrow_device_array and arrow_device_capsules do so with its C device data interface.
void add_arrow(pybind11::module_& module);

}  // namespace nesl_python
