# Helpers for the runtime and for GoogleTest programs. Nothing here knows LLVM.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Protobuf REQUIRED)
find_package(absl REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
# Debian's package file of oneDNN asks for OpenCL, which the CPU engine does not use: the library and header suffice.
find_path(ACCEL_DNNL_INCLUDE oneapi/dnnl/dnnl.hpp REQUIRED)
find_library(ACCEL_DNNL_LIBRARY dnnl REQUIRED)
add_library(AccelDnnl INTERFACE)
target_include_directories(AccelDnnl SYSTEM INTERFACE ${ACCEL_DNNL_INCLUDE})
target_link_libraries(AccelDnnl INTERFACE ${ACCEL_DNNL_LIBRARY})
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
if(ACCEL_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# accel_runtime_library(<Name> SRCS a.cc ... DEPS <targets> ...)
#   a static library of the runtime; e.g. accel_runtime_library(AccelRuntimeIo SRCS vfs.cc DEPS AccelRuntimeBase)
function(accel_runtime_library name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  foreach(source ${ARG_SRCS}) # BOOTSTRAP
    if(NOT IS_ABSOLUTE ${source} AND NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source}) # BOOTSTRAP
      list(REMOVE_ITEM ARG_SRCS ${source}) # BOOTSTRAP
    endif() # BOOTSTRAP
  endforeach() # BOOTSTRAP
  if(NOT ARG_SRCS) # BOOTSTRAP
    list(APPEND ARG_SRCS ${PROJECT_SOURCE_DIR}/tools/cmake/mlir-pch.cpp) # BOOTSTRAP
  endif() # BOOTSTRAP
  add_library(${name} STATIC ${ARG_SRCS})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} absl::status absl::statusor absl::strings absl::str_format absl::span Threads::Threads)
endfunction()

# accel_runtime_test(<name> SRCS a_test.cc ... DEPS <targets> ...)
#   a GoogleTest program, every case of it a ctest test
function(accel_runtime_test name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  foreach(source ${ARG_SRCS}) # BOOTSTRAP
    if(NOT IS_ABSOLUTE ${source} AND NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source}) # BOOTSTRAP
      list(REMOVE_ITEM ARG_SRCS ${source}) # BOOTSTRAP
    endif() # BOOTSTRAP
  endforeach() # BOOTSTRAP
  if(NOT ARG_SRCS) # BOOTSTRAP
    list(APPEND ARG_SRCS ${PROJECT_SOURCE_DIR}/tools/cmake/mlir-pch.cpp) # BOOTSTRAP
  endif() # BOOTSTRAP
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/bin)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()

# accel_proto(<Name> <dir>/<file>.proto)
#   C++ of a schema, generated into the build tree and included as "<dir>/<file>.pb.h"
function(accel_proto name proto)
  get_filename_component(dir ${proto} DIRECTORY)
  get_filename_component(stem ${proto} NAME_WE)
  set(out ${PROJECT_BINARY_DIR}/${dir}/${stem}.pb)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${proto})
    set(root ${PROJECT_SOURCE_DIR})
  else()
    set(root ${PROJECT_BINARY_DIR})
  endif()
  add_custom_command(OUTPUT ${out}.cc ${out}.h
    COMMAND protobuf::protoc --proto_path=${root} --cpp_out=${PROJECT_BINARY_DIR} ${root}/${proto}
    DEPENDS ${root}/${proto} VERBATIM)
  add_library(${name} STATIC ${out}.cc ${out}.h)
  target_compile_options(${name} PRIVATE -Wno-error -w)
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf)
endfunction()
