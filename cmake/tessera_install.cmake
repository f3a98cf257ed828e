# Install rules: headers, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)

install(DIRECTORY include/tessera DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT tessera)
install(TARGETS tessera EXPORT tessera COMPONENT tessera
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tessera FILE tessera-targets.cmake NAMESPACE tessera:: DESTINATION ${package_dir}
        COMPONENT tessera)

configure_package_config_file(cmake/tessera-config.cmake.in tessera-config.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# While the version is 0.x, a minor version may break its users. No object code: any pointer size.
write_basic_package_version_file(tessera-config-version.cmake COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tessera-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tessera-config-version.cmake
        DESTINATION ${package_dir} COMPONENT tessera)

# No object code, so in the folder that all architectures share.
set(pkg_config_dir ${CMAKE_INSTALL_DATADIR}/pkgconfig)
if(IS_ABSOLUTE "${pkg_config_dir}")
  set(pkg_config_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up "/${pkg_config_dir}" "/")
  string(REGEX REPLACE "/$" "" pkg_config_prefix "\${pcfiledir}/${up}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pkg_config_includedir ${CMAKE_INSTALL_INCLUDEDIR})
else()
  set(pkg_config_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/tessera.pc.in tessera.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tessera.pc DESTINATION ${pkg_config_dir}
        COMPONENT tessera)
