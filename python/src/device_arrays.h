#pragma once

#include "library_objects.h"

namespace nesl_python {

/// Adds the memory of devices: to the module dlpack_read and dlpack_make, which convert capsules of DLPack
/// (https://dmlc.github.io/dlpack/latest/python_spec.html), and to its classes the calls of nesl.h for devices.
void add_devices(py::module_& module, py::class_<Session, std::shared_ptr<Session>>& session, py::class_<Value>& value);

}  // namespace nesl_python
