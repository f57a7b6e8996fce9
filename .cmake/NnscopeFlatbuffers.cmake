# nnscope_flatbuffers(core/live protocol.fbs [OPTIONS --gen-object-api ...])
# generates <build>/generated/core/live/protocol_generated.h, included as "core/live/protocol_generated.h", from a schema
# in that folder, for the library nnscope_core_live and all that link it. The generated folder is a system include path.
function(nnscope_flatbuffers folder schema)
  cmake_parse_arguments(ARG "" "" "OPTIONS" ${ARGN})
  string(REPLACE "/" "_" target "nnscope_${folder}")
  cmake_path(GET schema STEM stem)
  set(generated "${PROJECT_BINARY_DIR}/generated/${folder}")
  set(header "${generated}/${stem}_generated.h")
  add_custom_command(
    OUTPUT "${header}"
    COMMAND ${NNSCOPE_FLATC} --cpp --cpp-std c++17 --scoped-enums ${ARG_OPTIONS} -o "${generated}" "${PROJECT_SOURCE_DIR}/${folder}/${schema}"
    DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/${schema}"
    COMMENT "Generating ${folder}/${stem}_generated.h" VERBATIM)
  add_custom_target(${target}_${stem}_schema DEPENDS "${header}")
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    target_sources(${target} PRIVATE "${header}")
  endif()
  add_dependencies(${target} ${target}_${stem}_schema)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_link_libraries(${target} INTERFACE nnscope::flatbuffers)
  else()
    target_link_libraries(${target} PUBLIC nnscope::flatbuffers)
  endif()
endfunction()
