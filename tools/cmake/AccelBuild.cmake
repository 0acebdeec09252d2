# What every target has in common: language, warnings, sanitizers, ccache, places of the outputs.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# For sanitizers: lines in reports. Optimising instrumented code costs more than running it as it is.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O0 -g1")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# MLIR's templates cost each file more than its own code does: several files at once share them, and a full build takes
# half the time. Debug builds compile every file alone, which proves that each includes what it uses.
option(ACCEL_UNITY "Compile several files of a target at once" ON)
set(CMAKE_UNITY_BUILD ${ACCEL_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)

# Precompiled headers need the two sloppiness flags; the cache is what makes a second `tools/check` take seconds.
find_program(ACCEL_CCACHE ccache)
if(ACCEL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${ACCEL_CCACHE})
endif()
find_program(ACCEL_LLD ld.lld HINTS /usr/lib/llvm-22/bin)
if(ACCEL_LLD)
  get_filename_component(lld_dir ${ACCEL_LLD} DIRECTORY)
  add_link_options(-fuse-ld=lld -B${lld_dir})
endif()

add_compile_options(-Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)
else()
  # libstdc++ 12's own sorting uses what it deprecates, and clang does not forgive it that.
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(ACCEL_SANITIZE)
  add_compile_options(-fsanitize=${ACCEL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ACCEL_SANITIZE})
  # Clang looks for a function's type in front of it, where a kernel, which a plan brings, has none.
  if(ACCEL_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-fno-sanitize=function)
  endif()
  # MLIR's libraries and all that includes them have no type information: what is shared between such files and others, a
  # shared_ptr for instance, looks like an object of no type.
  if(ACCEL_COMPILER AND ACCEL_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr)
  endif()
endif()
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
