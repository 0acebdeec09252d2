# Installs the shared libraries that `programs` need into `folder`, which they search before the system's, and the notice of
# each library's Debian package into `notices`. The C library stays out: it must fit the system's loader.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs}
  RESOLVED_DEPENDENCIES_VAR libraries
  POST_EXCLUDE_REGEXES "/(ld-linux-x86-64|libc|libm|libdl|librt|libpthread)[.]so[.][0-9]+$")
set(root $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
foreach(library ${libraries})
  get_filename_component(name ${library} NAME)
  file(REAL_PATH ${library} file)
  configure_file(${file} ${root}/${folder}/${name} COPYONLY)
  # What lies in /usr/lib may be listed as in /lib.
  string(REGEX REPLACE "^/usr/" "/" pattern ${file})
  execute_process(COMMAND dpkg-query --search "*${pattern}" OUTPUT_VARIABLE owner COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE ":.*" "" package "${owner}")
  configure_file(/usr/share/doc/${package}/copyright ${root}/${notices}/${package} COPYONLY)
endforeach()
