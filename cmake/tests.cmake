# Declares tests, and labels each with the folders whose changes can affect it.
#
#   nesl_gtest(PROGRAM [TIMEOUT seconds] [QUICK] [NEEDS thing...])
#       Each test of a GoogleTest program becomes a CTest test named FOLDER-unit.TEST; FOLDER.TEST below nesl-tests.
#   nesl_test(NAME COMMAND word... [NEEDS thing...] [TIMEOUT seconds] [ENVIRONMENT setting...] [PROPERTIES name value...]
#       [QUICK | QUICK_ONLY] [PARTS number [PART number]])
#       A test that runs a command, in which $<TARGET_FILE:...> and paths of the source tree may occur.
#
# A test is affected by the folders of its program, of all targets that the program links or depends on, of files that
# these name (sources, headers, paths in definitions), and of targets and paths in the command. NEEDS adds targets and
# folders that a script opens or runs without naming them in the command. A folder is a top-level folder; below
# nesl-tests, a folder of the next level. NEEDS any-change: every change affects the test.
#
# QUICK: part of `scripts/test --quick`, which runs all tests of a GoogleTest program in one process. QUICK_ONLY: runs
# only there (`ctest -C quick`), as does that one process. The target quick-tests builds all programs of the quick run.
#
# PARTS: each run takes one of so many parts of the tests of a GoogleTest program, in turn with NESL_TEST_SEED, or all of
# them if NESL_TEST_LONG is set. Tests that take different parts at a time have different numbers PART.
include(GoogleTest)

# Time limit of a test of a unit test program, in seconds. Sanitizers slow tests down.
set(NESL_UNIT_TIMEOUT 30)
if(NESL_SANITIZE)
  set(NESL_UNIT_TIMEOUT 300)
endif()

# Holds the labels of tests as properties: labels are known only when all folders have been read.
add_library(nesl-test-labels INTERFACE)

function(nesl_gtest program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QUICK" "TIMEOUT" "NEEDS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${NESL_UNIT_TIMEOUT})
  endif()
  nesl_labels_of(label "${program};${arg_NEEDS}")
  nesl_folder_of(folder ${CMAKE_CURRENT_SOURCE_DIR})
  if(NOT folder MATCHES "^nesl-tests/")
    string(APPEND folder -unit)
  endif()
  string(REPLACE nesl-tests/ "" prefix ${folder}.)
  gtest_discover_tests(${program} TEST_PREFIX ${prefix} TEST_LIST ${program}_list PROPERTIES TIMEOUT ${arg_TIMEOUT})
  # gtest_discover_tests accepts no list of more than one element, so labels go through a file.
  set(labels ${CMAKE_CURRENT_BINARY_DIR}/${program}_labels.cmake)
  file(GENERATE OUTPUT ${labels} CONTENT
    "if(${program}_list)\n  set_tests_properties(\${${program}_list} PROPERTIES LABELS \"${label}\")\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
  if(arg_QUICK)
    nesl_test(quick.${program} COMMAND ${program} --gtest_brief=1 NEEDS ${arg_NEEDS} TIMEOUT 300 QUICK_ONLY)
  endif()
endfunction()

function(nesl_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QUICK;QUICK_ONLY" "TIMEOUT;PARTS;PART" "COMMAND;NEEDS;ENVIRONMENT;PROPERTIES")
  nesl_labels_of(label "${arg_COMMAND};${arg_NEEDS}")
  set(where "")
  if(arg_QUICK_ONLY)
    set(where CONFIGURATIONS quick)
  endif()
  if(arg_QUICK OR arg_QUICK_ONLY)
    string(APPEND label ";quick")
    set_property(GLOBAL APPEND PROPERTY NESL_QUICK_USES ${arg_COMMAND} ${arg_NEEDS})
  endif()
  if(arg_PARTS)
    if(NOT arg_PART)
      set(arg_PART 0)
    endif()
    list(PREPEND arg_COMMAND ${PROJECT_SOURCE_DIR}/nesl-tests/support/part_of_tests ${arg_PARTS} ${arg_PART})
    # The first word is a target, which add_test() replaces by its file only where it is the program.
    list(GET arg_COMMAND 3 program)
    list(REMOVE_AT arg_COMMAND 3)
    list(INSERT arg_COMMAND 3 $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${name} ${where} COMMAND ${arg_COMMAND} COMMAND_EXPAND_LISTS)
  set_tests_properties(${name} PROPERTIES LABELS "${label}" ${arg_PROPERTIES})
  if(arg_TIMEOUT)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
  if(arg_ENVIRONMENT)
    # The parser of arguments escapes the semicolons between several settings.
    string(REPLACE "\\;" ";" environment "${arg_ENVIRONMENT}")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
  endif()
endfunction()

# Sets `result` to a generator expression for the labels of a test that uses `words`: targets, and texts that contain
# names of targets and paths. Generator expressions are evaluated after nesl_finish_tests().
function(nesl_labels_of result words)
  nesl_uses_in(uses "${words}" ${CMAKE_CURRENT_SOURCE_DIR})
  list(APPEND uses ${CMAKE_CURRENT_SOURCE_DIR})
  list(REMOVE_DUPLICATES uses)
  string(MD5 key "${uses}")
  set_property(GLOBAL PROPERTY NESL_USES_${key} "${uses}")
  set_property(GLOBAL APPEND PROPERTY NESL_USES ${key})
  set(${result} "$<TARGET_PROPERTY:nesl-test-labels,L${key}>" PARENT_SCOPE)
endfunction()

# Sets `result` to the words that may be targets and the absolute paths of the source tree in a list of words.
function(nesl_uses_in result words)
  set(uses "")
  foreach(word IN LISTS words)
    if(word MATCHES "^[A-Za-z0-9_.+-]+$")
      list(APPEND uses ${word})
    else()
      string(REGEX MATCHALL "<(TARGET_FILE|TARGET_OBJECTS|LINK_ONLY):[A-Za-z0-9_.+-]+" named "${word}")
      list(TRANSFORM named REPLACE "^.*:" "")
      string(REGEX MATCHALL "${PROJECT_SOURCE_DIR}/[A-Za-z0-9_./+-]+" paths "${word}")
      list(APPEND uses ${named} ${paths})
    endif()
  endforeach()
  set(${result} "${uses}" PARENT_SCOPE)
endfunction()

# Sets `result` to the label of the folder that contains a path; to nothing for a path outside of all folders.
function(nesl_folder_of result path)
  set(folder "")
  cmake_path(NORMAL_PATH path)
  cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${path}" is_built)
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(NOT is_built AND path MATCHES "^(nesl-tests/[^/.]+|[^/.]+)(/|$)")
    set(folder ${CMAKE_MATCH_1})
  endif()
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

# Sets `result` to the folders that targets and paths depend on.
function(nesl_folders_of result uses)
  set(folders "")
  foreach(use IN LISTS uses)
    if(TARGET ${use})
      nesl_folders_of_target(more ${use})
      list(APPEND folders ${more})
    elseif(use STREQUAL any-change)
      list(APPEND folders any-change)
    elseif(IS_ABSOLUTE "${use}")
      nesl_folder_of(folder "${use}")
      list(APPEND folders ${folder})
    elseif(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${use})
      list(APPEND folders ${use})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${result} "${folders}" PARENT_SCOPE)
endfunction()

function(nesl_folders_of_target result target)
  get_property(known GLOBAL PROPERTY NESL_FOLDERS_${target} SET)
  if(NOT known)
    # The empty value also ends the recursion where libraries depend on each other.
    set_property(GLOBAL PROPERTY NESL_FOLDERS_${target} "")
    get_target_property(imported ${target} IMPORTED)
    if(NOT imported)
      get_target_property(folder ${target} SOURCE_DIR)
      set(uses ${folder})
      foreach(property IN ITEMS SOURCES INCLUDE_DIRECTORIES COMPILE_DEFINITIONS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES
          MANUALLY_ADDED_DEPENDENCIES)
        get_target_property(words ${target} ${property})
        if(words)
          if(property STREQUAL SOURCES)
            list(TRANSFORM words PREPEND "${folder}/" REGEX "^[^/$]")
          endif()
          nesl_uses_in(more "${words}")
          list(APPEND uses ${more})
        endif()
      endforeach()
      nesl_folders_of(folders "${uses}")
      set_property(GLOBAL PROPERTY NESL_FOLDERS_${target} "${folders}")
    endif()
  endif()
  get_property(folders GLOBAL PROPERTY NESL_FOLDERS_${target})
  set(${result} "${folders}" PARENT_SCOPE)
endfunction()

# Computes all labels. Called after all folders.
function(nesl_finish_tests)
  get_property(keys GLOBAL PROPERTY NESL_USES)
  list(REMOVE_DUPLICATES keys)
  foreach(key IN LISTS keys)
    get_property(uses GLOBAL PROPERTY NESL_USES_${key})
    nesl_folders_of(folders "${uses}")
    set_property(TARGET nesl-test-labels PROPERTY L${key} "${folders}")
  endforeach()

  get_property(words GLOBAL PROPERTY NESL_QUICK_USES)
  nesl_uses_in(uses "${words}")
  list(REMOVE_DUPLICATES uses)
  add_custom_target(quick-tests)
  foreach(use IN LISTS uses)
    if(TARGET ${use})
      add_dependencies(quick-tests ${use})
    endif()
  endforeach()
endfunction()
