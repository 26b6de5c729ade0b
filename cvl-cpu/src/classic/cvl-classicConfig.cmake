# cvl::classic, the shared library; cvl::classic-archive, the static one with what it needs beside it; cvl::classic-cuda.
get_filename_component(CVL_CLASSIC_LIBRARIES "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_path(CVL_CLASSIC_INCLUDE cvl.h NO_DEFAULT_PATH NO_CACHE REQUIRED
  PATHS "${CVL_CLASSIC_LIBRARIES}/../include" "${CVL_CLASSIC_LIBRARIES}/../../include")

if(NOT TARGET cvl::classic)
  foreach(CVL_CLASSIC_NAME IN ITEMS classic classic-cuda)
    add_library(cvl::${CVL_CLASSIC_NAME} SHARED IMPORTED)
    set_target_properties(cvl::${CVL_CLASSIC_NAME} PROPERTIES
      IMPORTED_LOCATION "${CVL_CLASSIC_LIBRARIES}/libcvl-${CVL_CLASSIC_NAME}.so"
      INTERFACE_INCLUDE_DIRECTORIES "${CVL_CLASSIC_INCLUDE}")
  endforeach()
  add_library(cvl::classic-archive STATIC IMPORTED)
  set_target_properties(cvl::classic-archive PROPERTIES
    IMPORTED_LOCATION "${CVL_CLASSIC_LIBRARIES}/libcvl-classic.a"
    INTERFACE_INCLUDE_DIRECTORIES "${CVL_CLASSIC_INCLUDE}"
    INTERFACE_LINK_LIBRARIES "tbb;stdc++;m")
endif()
