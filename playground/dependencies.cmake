# The libraries that a build for WebAssembly uses: the headers of those installed for the host, which have no other
# parts. Included by the top CMakeLists.txt in place of its find_package() calls, for a build with Emscripten.

set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
# Links to single folders and files: beside them are headers of the host's C library, which must not be found.
foreach(header IN ITEMS boost/version.hpp fmt/format.h CLI/CLI.hpp nlohmann/json.hpp coin/Cbc_C_Interface.h libdivide.h)
  find_path(HOST_${header} ${header} REQUIRED NO_CMAKE_FIND_ROOT_PATH PATHS /usr/include /usr/local/include)
  string(REGEX REPLACE "/.*" "" top ${header})
  file(CREATE_LINK ${HOST_${header}}/${top} ${headers}/${top} SYMBOLIC)
endforeach()
set(LIBDIVIDE_INCLUDE_DIR ${headers} CACHE PATH "Folder of libdivide.h")

foreach(library IN ITEMS Boost::headers fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json TBB::tbb Threads::Threads
    PNG::PNG PkgConfig::minizip PkgConfig::LIBEDIT)
  add_library(${library} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${library} SYSTEM INTERFACE ${headers})
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)

set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
# Exceptions by the instructions of WebAssembly; all other ways to throw take a call of JavaScript for each call.
add_compile_options(-fwasm-exceptions)
add_link_options(-fwasm-exceptions)
# Parts of the standard library that are newer than Emscripten's.
add_compile_options(-isystem ${CMAKE_CURRENT_LIST_DIR}/library)
