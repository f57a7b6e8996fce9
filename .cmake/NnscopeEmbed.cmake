# nnscope_embed(ui/widgets shaders NAMESPACE nns::shaders FILES <path>...)
# puts files into the library of a folder: generates <build>/generated/ui/widgets/shaders.h, included as
# "ui/widgets/shaders.h", which declares one std::string_view a file in that namespace, named after the file:
# heat_map.glsl becomes kHeatMapGlsl. Bytes are read when they change, at build time; a zero follows them.
# FILES are paths from the top of the repository, or absolute (built ones, too).
function(nnscope_embed folder stem)
  cmake_parse_arguments(ARG "" "NAMESPACE" "FILES" ${ARGN})
  string(REPLACE "/" "_" target "nnscope_${folder}")
  set(generated "${PROJECT_BINARY_DIR}/generated/${folder}")
  set(files "")
  foreach(file IN LISTS ARG_FILES)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    list(APPEND files "${file}")
  endforeach()
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake")
  add_custom_command(
    OUTPUT "${generated}/${stem}.h" "${generated}/${stem}.cpp"
    COMMAND ${CMAKE_COMMAND} "-DNAMESPACE=${ARG_NAMESPACE}" "-DHEADER=${folder}/${stem}.h" "-DOUTPUT=${generated}/${stem}"
            "-DFILES=${files}" -P "${script}"
    DEPENDS ${files} "${script}"
    COMMENT "Embedding ${folder}/${stem}" VERBATIM)
  add_custom_target(${target}_${stem}_embedded DEPENDS "${generated}/${stem}.h" "${generated}/${stem}.cpp")
  target_sources(${target} PRIVATE "${generated}/${stem}.cpp" "${generated}/${stem}.h")
  add_dependencies(${target} ${target}_${stem}_embedded)
endfunction()
