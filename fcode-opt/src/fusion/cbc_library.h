#pragma once

#include <coin/Cbc_C_Interface.h>

namespace fcode_opt {

/// Functions of CBC that fusion needs, as <coin/Cbc_C_Interface.h> declares them.
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

/// The library CBC, loaded at the first call, so that programs without --fusion=ilp start without CBC and its linear
/// algebra libraries. Ends the program, with a message, if CBC cannot be loaded.
const CbcLibrary& cbc_library();

}  // namespace fcode_opt
