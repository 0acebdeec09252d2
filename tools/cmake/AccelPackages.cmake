# What `cpack` makes of the installed components: two Debian packages, and an archive of the runtime that runs from
# whichever folder it is unpacked into. tools/package calls it.
set(ACCEL_MAINTAINER "Accel maintainers <maintainers@accel.invalid>" CACHE STRING "Maintainer of the Debian packages: NAME <MAIL>")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME accel)
set(CPACK_PACKAGE_VENDOR Accel)
set(CPACK_PACKAGE_CONTACT ${ACCEL_MAINTAINER})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL runtime)
if(ACCEL_COMPILER)
  list(APPEND CPACK_COMPONENTS_ALL compiler)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/tools/packaging/PackageKind.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/packaging/ArrangeDebian.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME accel-runtime)
set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME accel-compiler)
set(CPACK_DEBIAN_COMPILER_PACKAGE_RECOMMENDS accel-runtime)
set(CPACK_DEBIAN_COMPILER_PACKAGE_SUGGESTS cmake)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
"accel-run trains with a plan, a whole training step that accelc has compiled
ahead of time, on any number of ranks. accel-inspect shows plans and traces,
accel-data makes training data. Neither LLVM nor Python is needed.")
set(CPACK_COMPONENT_COMPILER_DESCRIPTION
"accelc compiles the training step of an ONNX model - forward, loss, backward,
accumulation, optimizer - into one file, which accel-run of the package
accel-runtime executes. A CMake package makes plans part of a build.")

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ACCEL_ARCHIVE accel-runtime-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
include(CPack)
