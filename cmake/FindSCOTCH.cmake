# SPDX-License-Identifier: Apache-2.0
# SCOTCH::scotch: the sequential Scotch library. Its error library (scotcherr) is left out: src/plan/partition/scotch.cc
# brings error routines of its own, so that nothing reaches the terminal.
find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch)
find_library(SCOTCH_LIBRARY scotch)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SCOTCH REQUIRED_VARS SCOTCH_LIBRARY SCOTCH_INCLUDE_DIR)
if(SCOTCH_FOUND AND NOT TARGET SCOTCH::scotch)
  add_library(SCOTCH::scotch UNKNOWN IMPORTED)
  set_target_properties(SCOTCH::scotch PROPERTIES IMPORTED_LOCATION ${SCOTCH_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${SCOTCH_INCLUDE_DIR})
endif()
mark_as_advanced(SCOTCH_INCLUDE_DIR SCOTCH_LIBRARY)
