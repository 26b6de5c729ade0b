# Defines cvl::NAME, the shared library libcvl-NAME.so, and cvl::NAME-archive, the static library with all that it is
# linked with. NAME is classic, classic-cuda or classic-cuda-int, for each that is installed.
get_filename_component(CVL_CLASSIC_LIBRARIES "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_path(CVL_CLASSIC_INCLUDE cvl.h NO_DEFAULT_PATH NO_CACHE REQUIRED
  PATHS "${CVL_CLASSIC_LIBRARIES}/../include" "${CVL_CLASSIC_LIBRARIES}/../../include")
set(CVL_CLASSIC_NEEDS_classic tbb stdc++ m)
set(CVL_CLASSIC_NEEDS_classic-cuda fmt stdc++ dl)
set(CVL_CLASSIC_NEEDS_classic-cuda-int ${CVL_CLASSIC_NEEDS_classic-cuda})
set(CVL_CLASSIC_DEFINITIONS_classic-cuda-int CUDA=1)

foreach(CVL_CLASSIC_NAME IN ITEMS classic classic-cuda classic-cuda-int)
  set(CVL_CLASSIC_FILE "${CVL_CLASSIC_LIBRARIES}/libcvl-${CVL_CLASSIC_NAME}")
  if(EXISTS "${CVL_CLASSIC_FILE}.so" AND NOT TARGET cvl::${CVL_CLASSIC_NAME})
    add_library(cvl::${CVL_CLASSIC_NAME} SHARED IMPORTED)
    set_target_properties(cvl::${CVL_CLASSIC_NAME} PROPERTIES
      IMPORTED_LOCATION "${CVL_CLASSIC_FILE}.so"
      INTERFACE_COMPILE_DEFINITIONS "${CVL_CLASSIC_DEFINITIONS_${CVL_CLASSIC_NAME}}"
      INTERFACE_INCLUDE_DIRECTORIES "${CVL_CLASSIC_INCLUDE}")
    add_library(cvl::${CVL_CLASSIC_NAME}-archive STATIC IMPORTED)
    set_target_properties(cvl::${CVL_CLASSIC_NAME}-archive PROPERTIES
      IMPORTED_LOCATION "${CVL_CLASSIC_FILE}.a"
      INTERFACE_COMPILE_DEFINITIONS "${CVL_CLASSIC_DEFINITIONS_${CVL_CLASSIC_NAME}}"
      INTERFACE_INCLUDE_DIRECTORIES "${CVL_CLASSIC_INCLUDE}"
      INTERFACE_LINK_LIBRARIES "${CVL_CLASSIC_NEEDS_${CVL_CLASSIC_NAME}}")
  endif()
endforeach()
