# SPDX-License-Identifier: Apache-2.0
# cmake -D FOLDER= -D NAME= -D HEADER= -D FUNCTION= -D OUTPUT= -P embed_files.cmake: writes a C++ file that holds all files of
# FOLDER, which it calls NAME.
file(GLOB files ${FOLDER}/*)
list(SORT files)
set(count 0)
foreach(path ${files})
  get_filename_component(file ${path} NAME)
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char k${FUNCTION}${count}[] = {${bytes}'\\0'};\n")
  string(APPEND rows "      EmbeddedFile{\"${file}\", {k${FUNCTION}${count}, sizeof k${FUNCTION}${count} - 1}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: Apache-2.0
// Made by the build from ${NAME}.
#include <array>

#include \"${HEADER}\"

namespace berth {
namespace {

${arrays}
}  // namespace

std::span<const EmbeddedFile> ${FUNCTION}() {
  static constexpr std::array kFiles{
${rows}  };
  return kFiles;
}

}  // namespace berth
")
