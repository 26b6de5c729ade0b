# Runs NESL run OPTION PROGRAM, with floats of 15 digits, which do not show in which order they were added up, and compares its standard output with the file EXPECTED.
execute_process(COMMAND ${NESL} run --print=classic ${OPTION} ${PROGRAM} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
file(READ ${EXPECTED} expected)
if(NOT status EQUAL 0 OR NOT output STREQUAL expected)
  message(FATAL_ERROR "exit status ${status}\n${errors}expected:\n${expected}\nfound:\n${output}")
endif()
