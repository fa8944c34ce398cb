# SPDX-License-Identifier: Apache-2.0
# At installation (BERTH_BUNDLE): copies the shared libraries of PROGRAM into FOLDER, by the names that the loader asks for. All but what every
# Linux has: the C library and the compiler's.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${PROGRAM} RESOLVED_DEPENDENCIES_VAR found
     PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|pthread|rt|gcc_s|stdc[+][+])[.]so")
foreach(path ${found})
  get_filename_component(name ${path} NAME)
  file(REAL_PATH ${path} real)
  file(INSTALL ${real} DESTINATION ${FOLDER} TYPE SHARED_LIBRARY RENAME ${name})
endforeach()
