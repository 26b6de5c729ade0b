# A library with the interface cvl.h, for programs that were written for it:
#
#   add_classic_library(NAME
#     COMPONENT component         that installs it
#     DESCRIPTION text            for pkg-config
#     [DEFINITIONS NAME=VALUE...] macros that clients are compiled with
#     OBJECTS object...           of the library, besides the libraries cvl, vcode and base
#     [LIBRARIES target...]       that the shared library is linked with
#     STATIC_LIBRARIES flag...)   that clients of the static library are linked with
#
# makes the targets NAME, libNAME.so, and NAME-archive, libNAME.a. Both define the names of cvl.h and no others.
include(GNUInstallDirs)

function(add_classic_library name)
  cmake_parse_arguments(PARSE_ARGV 1 CLASSIC "" "COMPONENT;DESCRIPTION" "DEFINITIONS;OBJECTS;LIBRARIES;STATIC_LIBRARIES")
  add_library(${name} SHARED ${CLASSIC_OBJECTS})
  target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/cvl/include)
  target_compile_definitions(${name} INTERFACE ${CLASSIC_DEFINITIONS})
  target_link_libraries(${name} PRIVATE cvl ${CLASSIC_LIBRARIES})
  target_link_options(${name} PRIVATE -Wl,--version-script=${CVL_CLASSIC_EXPORTS})
  set_target_properties(${name} PROPERTIES
    LINK_DEPENDS ${CVL_CLASSIC_EXPORTS} LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION 1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)  # in the folder of the programs it would be found as a backend
  add_dependencies(${name} cvl-classic-names)
  add_dependencies(${CLASSIC_COMPONENT}-package ${name})
  if(NESL_SANITIZE)
    return()  # builds with sanitizers are not installed
  endif()

  # One object whose only global names are those of cvl.h: a C program may have a function of any other name.
  set(archive ${CMAKE_BINARY_DIR}/lib/lib${name}.a)
  set(one_object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${one_object}
      ${CLASSIC_OBJECTS} $<TARGET_FILE:cvl> $<TARGET_FILE:vcode> $<TARGET_FILE:base>
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${CVL_CLASSIC_NAMES} ${one_object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/lib
    COMMAND ${CMAKE_AR} rcs ${archive} ${one_object}
    DEPENDS ${CLASSIC_OBJECTS} ${CVL_CLASSIC_NAMES} cvl vcode base
    COMMAND_EXPAND_LISTS)
  add_custom_target(${name}-archive ALL DEPENDS ${archive})
  add_dependencies(${name}-archive cvl-classic-names)
  add_dependencies(${CLASSIC_COMPONENT}-package ${name}-archive)

  file(RELATIVE_PATH PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  list(TRANSFORM CLASSIC_DEFINITIONS PREPEND -D)
  list(JOIN CLASSIC_DEFINITIONS " " CLASSIC_DEFINITIONS)
  list(JOIN CLASSIC_STATIC_LIBRARIES " " CLASSIC_STATIC_LIBRARIES)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/classic.pc.in ${name}.pc @ONLY)
  install(TARGETS ${name}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${CLASSIC_COMPONENT} NAMELINK_COMPONENT ${CLASSIC_COMPONENT})
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${CLASSIC_COMPONENT})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${CLASSIC_COMPONENT})
endfunction()
