# SPDX-License-Identifier: Apache-2.0
# cmake --install: the programs with manual pages, completions for shells and documentation, the public headers
# (src/public_headers.txt) under include/berth/, the libraries, and a package for find_package(berth).
# Components: program (with the documentation it shows), manual, development, learned; wheels take some of them (pyproject.toml).
# Users write #include <berth/plan/planner.h>; the headers name each other as "plan/planner.h", so both folders are
# searched.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(targets berth_all)
foreach(name ${BERTH_MODULES})
  list(APPEND targets berth_${name})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/public_headers.txt)
file(STRINGS src/public_headers.txt public_headers REGEX "^(\\+ )?[a-z0-9_/]+\\.h$")
foreach(header ${public_headers})
  string(REGEX REPLACE "^\\+ " "" header ${header})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/berth/${folder} COMPONENT development)
endforeach()
if(BERTH_CUDA)
  list(APPEND targets berth_cuda)  # what berth_sim links
endif()
install(TARGETS ${targets} EXPORT berthTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_INCLUDEDIR}/berth)
install(TARGETS berth RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES CHANGELOG.md LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
set(BERTH_ZSH_FOLDER zsh/site-functions CACHE STRING "Where zsh looks for completions, below share (Debian: zsh/vendor-completions)")
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT manual PATTERN zsh EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/share/zsh/site-functions/_berth DESTINATION ${CMAKE_INSTALL_DATADIR}/${BERTH_ZSH_FOLDER}
        COMPONENT manual)
if(BERTH_TORCH)
  install(TARGETS berth-learned OPTIONAL RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/berth COMPONENT learned)
  install(DIRECTORY policies DESTINATION ${CMAKE_INSTALL_DATADIR}/berth COMPONENT learned)
endif()
if(BERTH_BUNDLE)
  install(CODE "set(PROGRAM $<TARGET_FILE:berth>)\nset(FOLDER \${CMAKE_INSTALL_PREFIX}/${BERTH_BUNDLE_FOLDER})" COMPONENT program)
  install(SCRIPT cmake/bundle_libraries.cmake COMPONENT program)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/berth)
install(EXPORT berthTargets NAMESPACE berth:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/berthConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/berthConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/berthConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/berthConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/berthConfigVersion.cmake
              cmake/FindLIBZIP.cmake cmake/FindSCOTCH.cmake cmake/FindMETIS.cmake cmake/FindCLP.cmake
        DESTINATION ${package_dir} COMPONENT development)
