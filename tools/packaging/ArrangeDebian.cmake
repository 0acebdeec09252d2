# Run by cpack between staging and packing: what Debian wants otherwise than the default installation has it. zsh looks for
# packages' completions in a folder of its own, and man pages are compressed.
if(CPACK_GENERATOR STREQUAL "DEB")
  foreach(component ${CPACK_COMPONENTS_ALL})
    set(share ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
    file(GLOB pages ${share}/man/man1/*.1)
    execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()
