# Runs NESL run OPTIONS PROGRAM, with floats of 15 digits, which do not show in which order they were added up, and compares
# its standard output with the file EXPECTED. If ONLY_IF is given, only where an environment variable has this name.
if(ONLY_IF AND NOT DEFINED ENV{${ONLY_IF}})
  message("It is only run with ${ONLY_IF}.")
  return()
endif()
separate_arguments(OPTIONS UNIX_COMMAND "${OPTIONS}")
execute_process(COMMAND ${NESL} run --print=classic ${OPTIONS} ${PROGRAM} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
file(READ ${EXPECTED} expected)
# A kernel that should have been compiled, and was not, is a failure.
if(NOT status EQUAL 0 OR NOT output STREQUAL expected OR errors MATCHES "runs operation by operation")
  message(FATAL_ERROR "exit status ${status}\n${errors}expected:\n${expected}\nfound:\n${output}")
endif()
