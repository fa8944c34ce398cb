# SPDX-License-Identifier: Apache-2.0
# berth_web(TARGET): bundles web/ with esbuild and makes a part of TARGET of it (docs/decisions/0018-web-toolchain.md).
find_program(ESBUILD esbuild)
if(NOT ESBUILD)
  message(FATAL_ERROR "esbuild is not there; install Debian's package esbuild, or switch the report off: "
                      "-DBERTH_REPORT=OFF")
endif()

function(berth_web target)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(out ${PROJECT_BINARY_DIR}/web)
  file(GLOB sources CONFIGURE_DEPENDS ${web}/src/*.ts)
  add_custom_command(
    OUTPUT ${out}/page.cc
    COMMAND ${ESBUILD} ${web}/src/main.ts --bundle --minify --target=es2020 --charset=ascii --log-level=warning
            --outfile=${out}/page.js
    COMMAND ${ESBUILD} ${web}/style.css --minify --log-level=warning --outfile=${out}/page.css
    COMMAND ${CMAKE_COMMAND} -D HTML=${web}/page.html -D STYLE=${out}/page.css -D SCRIPT=${out}/page.js
            -D OUTPUT=${out}/page.cc -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
    DEPENDS ${sources} ${web}/style.css ${web}/page.html ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
    COMMENT "Bundling the web page of the report"
    VERBATIM)
  target_sources(${target} PRIVATE ${out}/page.cc)
endfunction()
