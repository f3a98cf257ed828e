# Install rules: headers and the CMake package.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)

install(DIRECTORY include/tessera DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT tessera)
install(TARGETS tessera EXPORT tessera COMPONENT tessera)
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
