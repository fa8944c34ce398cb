# SPDX-License-Identifier: Apache-2.0
# What packages take (scripts/make-packages, docs/install.md): BERTH_PACKAGED, BERTH_BUNDLE, and what CPack is told.
include(GNUInstallDirs)

# Where programs look when they are not installed: for those of packages nowhere. (Checks that fail still name the source's whole path, so
# packages are the same to the byte where they are built in the same folder: scripts/in-release has it as /berth. To map it by a flag
# would part the compiler cache from that of all other builds.)
set(berth_sources ${PROJECT_SOURCE_DIR})
if(BERTH_PACKAGED)
  set(berth_sources /nonexistent)
endif()

# berth_older_systems(TARGET): what BERTH_OLDER_SYSTEMS says, for a program or a module.
function(berth_older_systems target)
  if(BERTH_OLDER_SYSTEMS)
    set(source ${PROJECT_SOURCE_DIR}/cmake/older_libstdcxx.cc)
    target_sources(${target} PRIVATE ${source})
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -fno-lto)
    target_link_options(${target} PRIVATE -Wl,--wrap=_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE)
  endif()
endfunction()

# The libraries of the tarball. Theirs are found by the program's path too: that takes the old kind of tag.
if(BERTH_BUNDLE)
  set(BERTH_BUNDLE_FOLDER ${CMAKE_INSTALL_LIBDIR}/berth)
  file(RELATIVE_PATH bundle ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/berth)
  set(CMAKE_INSTALL_RPATH "$ORIGIN/${bundle}")
  add_link_options(-Wl,--disable-new-dtags)
endif()

set(CPACK_PACKAGE_NAME berth)
set(CPACK_PACKAGE_VENDOR "The Berth authors")
set(CPACK_PACKAGE_CONTACT "The Berth authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "decides which device runs each operation of a neural network")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Berth finds a device for every operation of a neural network, an order, and what runs fused, so that a step
 is fast and fits in memory. It predicts step time, memory and timeline, says how far from a lower bound they are, and why.")
set(CPACK_STRIP_FILES ON)
set(CPACK_MONOLITHIC_INSTALL ON)
set(CPACK_VERBATIM_VARIABLES ON)
# To the byte the same at another time (SOURCE_DATE_EPOCH) and by another user.
set(CPACK_THREADS 1)

# The programs' libraries are found by dpkg-shlibdeps; what find_package(berth) needs are the -dev packages that this build used.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(dev libfmt-dev libsimdjson-dev)
foreach(pair BERTH_GZIP:zlib1g-dev BERTH_OPENVINO:libpugixml-dev BERTH_ZIP:libzip-dev BERTH_SCOTCH:libscotch-dev
             BERTH_METIS:libmetis-dev BERTH_CLP:coinor-libclp-dev)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 switch)
  list(GET pair 1 package)
  if(${switch})
    list(APPEND dev ${package})
  endif()
endforeach()
list(JOIN dev ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake")
