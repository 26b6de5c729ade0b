#pragma once

#include <coin/Cbc_C_Interface.h>

namespace fcode_opt {

/// The functions of CBC that fusion needs, as <coin/Cbc_C_Interface.h> declares them.
struct CbcLibrary {
  decltype(&::Cbc_newModel) new_model;
  decltype(&::Cbc_deleteModel) delete_model;
  decltype(&::Cbc_setLogLevel) set_log_level;
  decltype(&::Cbc_setParameter) set_parameter;
  decltype(&::Cbc_addCol) add_col;
  decltype(&::Cbc_addRow) add_row;
  decltype(&::Cbc_solve) solve;
  decltype(&::Cbc_isProvenOptimal) is_proven_optimal;
  decltype(&::Cbc_getColSolution) get_col_solution;
};

/// CBC, which is loaded at the first call, so that programs that do not ask for it start without it and its libraries
/// for linear algebra. Ends the program, with a message, if it cannot be loaded.
const CbcLibrary& cbc_library();

}  // namespace fcode_opt
