# What `cmake --install` puts in place, in two components: `runtime` needs no LLVM, `compiler` does. A third one, `libraries`,
# is installed only when it is asked for: it makes an installed runtime independent of the system's packages.
include(GNUInstallDirs)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(accel_packaging ${PROJECT_SOURCE_DIR}/tools/packaging)
set(accel_pages ${PROJECT_BINARY_DIR}/pages)
set(accel_bundled_libraries lib/accel)
add_custom_target(accel-pages)

# accel_install_program(<name> COMPONENT runtime|compiler [COMMANDS <command>...])
#   a program with its man page and its completions; COMMANDS are those whose options the program parses by themselves
#   accel_install_program(accel-inspect COMPONENT runtime COMMANDS trace)
function(accel_install_program name)
  cmake_parse_arguments(ARG "" "COMPONENT" "COMMANDS" ${ARGN})
  list(TRANSFORM ARG_COMMANDS PREPEND --command=)
  set(scripts program_pages.py option_table.py man_page.py completions.py)
  list(TRANSFORM scripts PREPEND ${accel_packaging}/)
  set(pages man/${name}.1 bash/${name} zsh/_${name} fish/${name}.fish)
  list(TRANSFORM pages PREPEND ${accel_pages}/)
  add_custom_command(OUTPUT ${pages}
    COMMAND Python3::Interpreter -B ${accel_packaging}/program_pages.py --output ${accel_pages} ${ARG_COMMANDS}
      $<TARGET_FILE:${name}>
    DEPENDS ${name} ${scripts} VERBATIM)
  add_custom_target(${name}-pages ALL DEPENDS ${pages})
  add_dependencies(accel-pages ${name}-pages)

  install(TARGETS ${name} COMPONENT ${ARG_COMPONENT})
  set(data ${CMAKE_INSTALL_DATADIR})
  install(FILES ${accel_pages}/man/${name}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${ARG_COMPONENT})
  install(FILES ${accel_pages}/bash/${name} DESTINATION ${data}/bash-completion/completions COMPONENT ${ARG_COMPONENT})
  install(FILES ${accel_pages}/zsh/_${name} DESTINATION ${data}/zsh/site-functions COMPONENT ${ARG_COMPONENT})
  install(FILES ${accel_pages}/fish/${name}.fish DESTINATION ${data}/fish/vendor_completions.d COMPONENT ${ARG_COMPONENT})
  # Libraries of libraries are found this way, too, which needs the older kind of entry, DT_RPATH.
  if(ARG_COMPONENT STREQUAL "runtime")
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../${accel_bundled_libraries}" BUILD_WITH_INSTALL_RPATH ON)
    target_link_options(${name} PRIVATE -Wl,--disable-new-dtags)
  else()
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "${LLVM_LIBRARY_DIRS}" BUILD_WITH_INSTALL_RPATH ON)
  endif()
endfunction()

# accel_install_licence(<component>): ours, and those of the libraries whose headers are compiled into the programs
function(accel_install_licence component)
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/accel-${component})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${folder} RENAME copyright COMPONENT ${component})
  foreach(library libcli11-dev nlohmann-json3-dev)
    install(FILES /usr/share/doc/${library}/copyright DESTINATION ${folder}/third-party RENAME ${library}
      COMPONENT ${component} OPTIONAL)
  endforeach()
endfunction()

# accel_install_libraries(<program>...): the shared libraries of these programs of the runtime
function(accel_install_libraries)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE programs)
  install(CODE "set(programs \"${programs}\")
set(folder ${accel_bundled_libraries})
set(notices ${CMAKE_INSTALL_DATADIR}/doc/accel-runtime/third-party)" COMPONENT libraries EXCLUDE_FROM_ALL)
  install(SCRIPT ${accel_packaging}/BundleLibraries.cmake COMPONENT libraries EXCLUDE_FROM_ALL)
endfunction()

# accel_install_package(): what find_package(Accel) finds
function(accel_install_package)
  include(CMakePackageConfigHelpers)
  set(folder ${CMAKE_INSTALL_DATADIR}/cmake/Accel)
  set(here ${CMAKE_CURRENT_BINARY_DIR}/AccelConfig)
  configure_package_config_file(${accel_packaging}/AccelConfig.cmake.in ${here}.cmake
    INSTALL_DESTINATION ${folder} PATH_VARS CMAKE_INSTALL_BINDIR)
  write_basic_package_version_file(${here}Version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${here}.cmake ${here}Version.cmake ${accel_packaging}/AccelAddPlan.cmake DESTINATION ${folder} COMPONENT compiler)
endfunction()
