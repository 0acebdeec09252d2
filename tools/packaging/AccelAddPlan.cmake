# accel_add_plan(<name> MODEL <model.onnx> [OPTIONS <option>...] [OUTPUT <file>] [EXCLUDE_FROM_ALL])
#   a target that compiles a model into a plan, by default <name>.plan in the current build folder. The plan is made again
#   when the model, its external data, a file of options, an option or accelc has changed, and only then.
#   accel_add_plan(gpt2 MODEL gpt2.onnx OPTIONS --dim seq=128 --lr=3e-4 OUTPUT plans/gpt2.plan)
#
# A relative MODEL is one of the source folder, or one that a rule of the build makes in the current build folder. Other
# relative names, also those in OPTIONS, are of the current build folder. $<TARGET_PROPERTY:<name>,ACCEL_PLAN> is the plan.
include_guard()

function(accel_add_plan name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "EXCLUDE_FROM_ALL" "MODEL;OUTPUT" "OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "accel_add_plan(${name}): expected MODEL, OPTIONS, OUTPUT or EXCLUDE_FROM_ALL, got ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_MODEL)
    message(FATAL_ERROR "accel_add_plan(${name}): expected MODEL <model.onnx>, got none")
  endif()
  set(model ${CMAKE_CURRENT_SOURCE_DIR})
  cmake_path(APPEND model ${ARG_MODEL})
  if(NOT EXISTS ${model})
    set(model ${CMAKE_CURRENT_BINARY_DIR})
    cmake_path(APPEND model ${ARG_MODEL})
  endif()
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT ${name}.plan)
  endif()
  set(plan ${CMAKE_CURRENT_BINARY_DIR})
  cmake_path(APPEND plan ${ARG_OUTPUT})

  # Make does not notice that a command has changed, but that a file has; CMake writes it only when it differs.
  file(GENERATE OUTPUT ${plan}.options CONTENT "$<JOIN:${ARG_OPTIONS},\n>\n")
  cmake_path(RELATIVE_PATH plan BASE_DIRECTORY ${CMAKE_BINARY_DIR} OUTPUT_VARIABLE shown)
  add_custom_command(OUTPUT ${plan}
    COMMAND Accel::accelc ${model} ${ARG_OPTIONS} --quiet -o ${plan} -MD -MF ${plan}.d
    DEPENDS ${model} ${plan}.options $<TARGET_FILE:Accel::accelc>
    DEPFILE ${plan}.d
    COMMENT "Compiling plan ${shown}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set(all ALL)
  if(ARG_EXCLUDE_FROM_ALL)
    set(all "")
  endif()
  add_custom_target(${name} ${all} DEPENDS ${plan})
  set_target_properties(${name} PROPERTIES ACCEL_PLAN ${plan})
endfunction()
