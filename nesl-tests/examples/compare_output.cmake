# Runs NESL run OPTIONS PROGRAM, with floats of 15 digits, which hide the order of additions, and compares its standard
# output with the file EXPECTED. With ONLY_IF, runs only if the environment variable of this name is set.
if(ONLY_IF AND NOT DEFINED ENV{${ONLY_IF}})
  message("It is only run with ${ONLY_IF}.")
  return()
endif()
separate_arguments(OPTIONS UNIX_COMMAND "${OPTIONS}")
execute_process(COMMAND ${NESL} run --print=classic ${OPTIONS} ${PROGRAM} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
file(READ ${EXPECTED} expected)
# A kernel that was not compiled as requested is a failure.
if(NOT status EQUAL 0 OR NOT output STREQUAL expected OR errors MATCHES "runs operation by operation")
  message(FATAL_ERROR "exit status ${status}\n${errors}expected:\n${expected}\nfound:\n${output}")
endif()
