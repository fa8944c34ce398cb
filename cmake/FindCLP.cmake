# SPDX-License-Identifier: Apache-2.0
# CLP::clp: COIN-OR's linear programming solver with CoinUtils.
find_path(CLP_INCLUDE_DIR ClpSimplex.hpp PATH_SUFFIXES coin coin-or)
find_library(CLP_LIBRARY Clp)
find_library(COINUTILS_LIBRARY CoinUtils)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CLP REQUIRED_VARS CLP_LIBRARY COINUTILS_LIBRARY CLP_INCLUDE_DIR)
if(CLP_FOUND AND NOT TARGET CLP::clp)
  add_library(CLP::clp UNKNOWN IMPORTED)
  set_target_properties(CLP::clp PROPERTIES IMPORTED_LOCATION ${CLP_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${CLP_INCLUDE_DIR}
                        INTERFACE_LINK_LIBRARIES ${COINUTILS_LIBRARY})
endif()
mark_as_advanced(CLP_INCLUDE_DIR CLP_LIBRARY COINUTILS_LIBRARY)
