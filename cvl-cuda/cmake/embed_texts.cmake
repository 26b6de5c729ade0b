# Writes the texts in front of generated kernels as a C++ source. Run with -DOUTPUT=file, and for each text -DNAME=file.
include(${CMAKE_CURRENT_LIST_DIR}/../../vcode/cmake/append_literal.cmake)
set(source "#include \"generated/prelude_text.h\"\n\nnamespace cvl::cuda {\n")
foreach(name IN ITEMS ARITHMETIC ATOMICS FAULTS PRELUDE SUMS STANDARD)
  file(READ ${${name}} content)
  # The files stand one behind the other, each behind those that it includes.
  string(REGEX REPLACE "#(pragma once|include \"[^\n]*)\n\n?" "" content "${content}")
  string(TOLOWER ${name} function)
  string(APPEND source "\nstd::string_view ${function}_text() {\n  return\n")
  append_literal(source content)
  string(APPEND source "  ;\n}\n")
endforeach()
string(APPEND source "\n}  // namespace cvl::cuda\n")
file(WRITE ${OUTPUT} "${source}")
