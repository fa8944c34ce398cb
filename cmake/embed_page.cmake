# SPDX-License-Identifier: Apache-2.0
# cmake -D HTML= -D STYLE= -D SCRIPT= -D OUTPUT= -P embed_page.cmake: writes a C++ file that holds the three.
foreach(part HTML STYLE SCRIPT)
  file(READ ${${part}} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char k${part}[] = {${bytes}'\\0'};\n")
  string(APPEND views "{k${part}, sizeof k${part} - 1}, ")
endforeach()
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: Apache-2.0
// Made by the build from web/.
#include \"report/page.h\"

namespace berth::report {
namespace {

${arrays}
}  // namespace

Page page() { return {${views}}; }

}  // namespace berth::report
")
