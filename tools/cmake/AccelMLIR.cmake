# Helpers for everything that needs MLIR: dialects, passes, compiler libraries and tools.
# Debian keeps MLIR's package files under a prefix of their own, which no CMake searches by itself.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# TableGen takes its include path from the folder, not from targets.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
find_library(ACCEL_LIBMLIR MLIR HINTS ${LLVM_LIBRARY_DIRS} REQUIRED)
find_library(ACCEL_LIBLLVM LLVM-22 HINTS ${LLVM_LIBRARY_DIRS} REQUIRED)

# One target carries how MLIR is used: shared libMLIR and libLLVM, no RTTI, and one precompiled header for all.
add_library(AccelMLIR INTERFACE)
target_include_directories(AccelMLIR SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(AccelMLIR INTERFACE ${llvm_definitions})
# TableGen's output has unused parameters.
# The compiler's own speed is MLIR's: optimising ours for longer only makes builds slow.
target_compile_options(AccelMLIR INTERFACE -fno-rtti -fno-exceptions -Wno-unused-parameter $<$<CONFIG:Release>:-O1>)
target_link_libraries(AccelMLIR INTERFACE ${ACCEL_LIBMLIR} ${ACCEL_LIBLLVM})
add_library(AccelMLIRPch STATIC ${PROJECT_SOURCE_DIR}/tools/cmake/mlir-pch.cpp)
target_link_libraries(AccelMLIRPch PUBLIC AccelMLIR)
target_precompile_headers(AccelMLIRPch PRIVATE ${PROJECT_SOURCE_DIR}/tools/cmake/mlir-pch.h)
add_custom_target(accel-doc)

# accel_compiler_library(<Name> SRCS a.cpp ... DEPS <targets> ...)
#   a static library of the compiler side
function(accel_compiler_library name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SRCS})
  target_precompile_headers(${name} REUSE_FROM AccelMLIRPch)
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} AccelMLIR)
endfunction()

# accel_tablegen(<Td> <outputs: FILE GENERATOR-FLAGS>...) in the current folder, e.g. accel_tablegen(Ops Ops.h.inc -gen-op-decls)
macro(accel_tablegen td)
  set(LLVM_TARGET_DEFINITIONS ${td}.td)
  mlir_tablegen(${ARGN} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR})
endmacro()

# accel_dialect(<Name> NAMESPACE <ns> SRCS ... [INTERFACES <Td> ...] [ENUMS|ATTRS] DEPS ...)
#   a dialect in dialects/<Name>/IR with <Name>Ops.td (which includes the dialect's, its attributes' and its types' files)
#   accel_dialect(Plan NAMESPACE plan SRCS PlanDialect.cpp PlanOps.cpp ATTRS DEPS AccelAccel)
function(accel_dialect name)
  cmake_parse_arguments(ARG "ATTRS;ENUMS;TYPES" "NAMESPACE" "SRCS;INTERFACES;DEPS" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS ${name}Ops.td)
  mlir_tablegen(${name}Ops.h.inc -gen-op-decls)
  mlir_tablegen(${name}Ops.cpp.inc -gen-op-defs)
  mlir_tablegen(${name}Dialect.h.inc -gen-dialect-decls -dialect=${ARG_NAMESPACE})
  mlir_tablegen(${name}Dialect.cpp.inc -gen-dialect-defs -dialect=${ARG_NAMESPACE})
  if(ARG_ENUMS)
    mlir_tablegen(${name}Enums.h.inc -gen-enum-decls)
    mlir_tablegen(${name}Enums.cpp.inc -gen-enum-defs)
  endif()
  if(ARG_ATTRS)
    mlir_tablegen(${name}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${ARG_NAMESPACE})
    mlir_tablegen(${name}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${ARG_NAMESPACE})
  endif()
  if(ARG_TYPES)
    mlir_tablegen(${name}Types.h.inc -gen-typedef-decls -typedefs-dialect=${ARG_NAMESPACE})
    mlir_tablegen(${name}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${ARG_NAMESPACE})
  endif()
  foreach(interface ${ARG_INTERFACES})
    set(LLVM_TARGET_DEFINITIONS ${interface}.td)
    mlir_tablegen(${interface}.h.inc -gen-op-interface-decls)
    mlir_tablegen(${interface}.cpp.inc -gen-op-interface-defs)
  endforeach()
  add_public_tablegen_target(Accel${name}IncGen)
  accel_doc(${name}Ops dialect-${ARG_NAMESPACE} -gen-dialect-doc -dialect=${ARG_NAMESPACE})
  accel_compiler_library(Accel${name} SRCS ${ARG_SRCS} DEPS ${ARG_DEPS})
  add_dependencies(Accel${name} Accel${name}IncGen)
endfunction()

# accel_passes(<Phase> SRCS ... DEPS ...)
#   the passes of one phase, declared in Passes.td of the current folder; library Accel<Phase>Passes
function(accel_passes phase)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name=${phase})
  add_public_tablegen_target(Accel${phase}PassesIncGen)
  accel_doc(Passes passes-${phase} -gen-pass-doc)
  accel_compiler_library(Accel${phase}Passes SRCS ${ARG_SRCS} DEPS ${ARG_DEPS})
  add_dependencies(Accel${phase}Passes Accel${phase}PassesIncGen)
endfunction()

# accel_doc(<Td> <page> <generator flags>...): one page of the generated reference, in build/<preset>/docs
function(accel_doc td page)
  string(MAKE_C_IDENTIFIER ${page} id)
  set(LLVM_TARGET_DEFINITIONS ${td}.td)
  tablegen(MLIR ${id}.md ${ARGN} "-I${PROJECT_SOURCE_DIR}" "-I${MLIR_INCLUDE_DIRS}")
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/docs/${page}.md
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_BINARY_DIR}/${id}.md ${PROJECT_BINARY_DIR}/docs/${page}.md
    DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${id}.md)
  add_custom_target(${id}Doc DEPENDS ${PROJECT_BINARY_DIR}/docs/${page}.md)
  add_dependencies(accel-doc ${id}Doc)
endfunction()

# accel_tool(<name> SRCS ... DEPS ...): a program with a main of a few lines that links MLIR
function(accel_tool name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
endfunction()

# accel_compiler_test(<name> SRCS ... DEPS ... [SHARDS <n>])
#   a GoogleTest program of the compiler side, whose cases are shared out among n ctest tests, NAME-1 to NAME-n; e.g.
#   accel_compiler_test(gradient_test SRCS GradientTest.cpp DEPS AccelInterpreter). A process for each case would spend most of
#   its time on starting, since LLVM is large. Each leaves its cases in results/NAME-1.xml for tools/test-summary.
function(accel_compiler_test name)
  cmake_parse_arguments(ARG "" "SHARDS" "SRCS;DEPS" ${ARGN})
  # Objects of their own, because a program's would be compiled as -fPIE, which the precompiled header is not.
  add_library(${name}_objects OBJECT ${ARG_SRCS})
  target_precompile_headers(${name}_objects REUSE_FROM AccelMLIRPch)
  # GoogleTest's headers must not expect the type information that MLIR's libraries are built without.
  target_compile_definitions(${name}_objects PRIVATE GTEST_HAS_RTTI=0)
  target_link_libraries(${name}_objects PUBLIC ${ARG_DEPS} GTest::gtest)
  add_executable(${name} $<TARGET_OBJECTS:${name}_objects>)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/bin)
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name}-${shard} COMMAND ${name} --gtest_output=xml:${PROJECT_BINARY_DIR}/results/${name}-${shard}.xml)
    set_tests_properties(${name}-${shard} PROPERTIES TIMEOUT 3600 ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
