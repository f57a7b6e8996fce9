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

# nnscope_embed_python(core/python/stdlib PREFIX "")
# puts the modules of a folder that are written in Python into its library: their texts as "<folder>/sources.h" in the
# namespace nns::python::<last folder>_sources, and "<folder>/sources.def" with one line a module:
# NNS_SOURCE(name under which it is imported, whether it is a package, text). PREFIX stands in front of the names.
function(nnscope_embed_python folder)
  cmake_parse_arguments(ARG "" "PREFIX" "" ${ARGN})
  cmake_path(GET folder FILENAME last)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "*.py")
  list(SORT sources)
  set(table "")
  set(embedded "")
  foreach(source IN LISTS sources)
    string(REGEX REPLACE "\\.py$" "" module "${source}")
    set(is_package false)
    if(module MATCHES "/__init__$")
      string(REGEX REPLACE "/__init__$" "" module "${module}")
      set(is_package true)
    endif()
    string(REPLACE "/" "." module "${module}")
    # Two files of one name in two packages would collide in the table of texts: each is embedded under its whole name.
    string(REGEX REPLACE "[/_]+" "_" flat "py_${source}")
    string(REPLACE "_.py" ".py" flat "${flat}")
    configure_file("${source}" "${CMAKE_CURRENT_BINARY_DIR}/${flat}" COPYONLY)
    list(APPEND embedded "${CMAKE_CURRENT_BINARY_DIR}/${flat}")
    string(REGEX REPLACE "\\.py$" "" stem "${flat}")
    string(REGEX REPLACE "[^A-Za-z0-9]+" ";" words "${stem}")
    set(identifier "k")
    foreach(word IN LISTS words)
      if(word STREQUAL "")
        continue()
      endif()
      string(SUBSTRING "${word}" 0 1 first)
      string(TOUPPER "${first}" first)
      string(SUBSTRING "${word}" 1 -1 rest)
      string(APPEND identifier "${first}${rest}")
    endforeach()
    string(APPEND table "NNS_SOURCE(\"${ARG_PREFIX}${module}\", ${is_package}, ${identifier}Py)\n")
  endforeach()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/${folder}/sources.def" CONTENT "${table}" @ONLY)
  nnscope_embed(${folder} sources NAMESPACE nns::python::${last}_sources FILES ${embedded})
endfunction()
