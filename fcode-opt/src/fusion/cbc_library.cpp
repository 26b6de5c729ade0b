#include "cbc_library.h"

#include <dlfcn.h>

#include <string>

#include "base/end_process.h"

namespace fcode_opt {
namespace {

/// Library with the version of the header that this file was compiled with.
constexpr const char* kFile = "libCbcSolver.so.3";

[[noreturn]] void end_without() { base::end_with((std::string("--fusion=ilp needs CBC: ") + dlerror()).c_str()); }

template <class Function>
void find(void* library, Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) end_without();
}

CbcLibrary load() {
  void* const library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) end_without();
  CbcLibrary cbc{};
  find(library, cbc.new_model, "Cbc_newModel");
  find(library, cbc.delete_model, "Cbc_deleteModel");
  find(library, cbc.set_log_level, "Cbc_setLogLevel");
  find(library, cbc.set_parameter, "Cbc_setParameter");
  find(library, cbc.add_col, "Cbc_addCol");
  find(library, cbc.add_row, "Cbc_addRow");
  find(library, cbc.solve, "Cbc_solve");
  find(library, cbc.is_proven_optimal, "Cbc_isProvenOptimal");
  find(library, cbc.get_col_solution, "Cbc_getColSolution");
  return cbc;
}

}  // namespace

const CbcLibrary& cbc_library() {
  static const CbcLibrary loaded = load();
  return loaded;
}

}  // namespace fcode_opt
