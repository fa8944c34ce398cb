# SPDX-License-Identifier: Apache-2.0
# berth_embed(TARGET FOLDER HEADER FUNCTION): makes a part of TARGET of all files of FOLDER, seen from the root: HEADER declares
# std::span<const EmbeddedFile> FUNCTION(), sorted by name.
function(berth_embed target folder header function)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*)
  set(output ${PROJECT_BINARY_DIR}/embedded/${function}.cc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${PROJECT_SOURCE_DIR}/${folder} -D NAME=${folder} -D HEADER=${header} -D FUNCTION=${function}
            -D OUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    COMMENT "Embedding ${folder}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
