# Read by cpack once for each kind of package: the archive is the runtime with the libraries that a bare system lacks, in a
# folder of its own name.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_COMPONENTS_ALL runtime libraries)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
  set(CPACK_PACKAGE_FILE_NAME ${CPACK_ACCEL_ARCHIVE})
endif()
