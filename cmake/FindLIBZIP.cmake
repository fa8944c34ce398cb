# SPDX-License-Identifier: Apache-2.0
# LIBZIP::zip: libzip. Its own package file is not used: Debian's asks for the command-line tools, which are packaged apart.
find_path(LIBZIP_INCLUDE_DIR zip.h)
find_library(LIBZIP_LIBRARY zip)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LIBZIP REQUIRED_VARS LIBZIP_LIBRARY LIBZIP_INCLUDE_DIR)
if(LIBZIP_FOUND AND NOT TARGET LIBZIP::zip)
  add_library(LIBZIP::zip UNKNOWN IMPORTED)
  set_target_properties(LIBZIP::zip PROPERTIES IMPORTED_LOCATION ${LIBZIP_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${LIBZIP_INCLUDE_DIR})
endif()
mark_as_advanced(LIBZIP_INCLUDE_DIR LIBZIP_LIBRARY)
