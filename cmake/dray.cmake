# Functions that build the rooms (folders) of dray.

add_library(dray_options INTERFACE)
target_compile_features(dray_options INTERFACE cxx_std_20)
target_include_directories(dray_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
# -fstack-clash-protection: a frame larger than a fiber's guard must not jump over it.
target_compile_options(dray_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers
                       -fstack-clash-protection -fno-plt)
target_compile_definitions(dray_options INTERFACE DRAY_VERSION="${PROJECT_VERSION}" _FILE_OFFSET_BITS=64)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives of these kinds from inside libstdc++ when optimising.
  target_compile_options(dray_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-dangling-pointer
                         -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(DRAY_WERROR)
  target_compile_options(dray_options INTERFACE -Werror)
endif()
if(DRAY_SANITIZE)
  target_compile_options(dray_options INTERFACE -fsanitize=${DRAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(dray_options INTERFACE -fsanitize=${DRAY_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND DRAY_SANITIZE MATCHES "thread")
    target_compile_options(dray_options INTERFACE -Wno-tsan)
  endif()
endif()

# dray_room(NAME [PUBLIC rooms or libraries...] [PRIVATE ...]): the static library dray_NAME from src/NAME/*.cpp.
function(dray_room name)
  cmake_parse_arguments(room "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(dray_${name} STATIC ${sources})
    set(public PUBLIC)
    set(private PRIVATE)
  else()
    add_library(dray_${name} INTERFACE)
    set(public INTERFACE)
    set(private INTERFACE)
  endif()
  set_property(GLOBAL APPEND PROPERTY dray_rooms ${name})
  list(TRANSFORM room_PUBLIC REPLACE "^([a-z0-9]+)$" "dray_\\1")
  target_link_libraries(dray_${name} ${public} dray_options ${room_PUBLIC} ${private} ${room_PRIVATE})
endfunction()

# The program NAME from src/ROOM/main.cpp.
function(dray_program name room)
  add_executable(${name} ${CMAKE_SOURCE_DIR}/src/${room}/main.cpp)
  target_link_libraries(${name} PRIVATE dray_${room})
endfunction()

# libdray.a: the rooms that the public API needs, in one archive; headers; what CMake and pkg-config want to know.
function(dray_install)
  set(objects)
  foreach(room base fiber hash file net http aws s3 transfer api)
    list(APPEND objects $<TARGET_OBJECTS:dray_${room}>)
  endforeach()
  add_library(dray_archive STATIC ${objects})
  set_target_properties(dray_archive PROPERTIES OUTPUT_NAME dray LINKER_LANGUAGE CXX)
  install(TARGETS dray_archive ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS dray RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/dray DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  # Told by where dray.pc lies, so that `cmake --install --prefix` may put it anywhere.
  file(RELATIVE_PATH dray_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  configure_file(${CMAKE_SOURCE_DIR}/cmake/dray.pc.in dray.pc @ONLY)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/drayConfig.cmake.in drayConfig.cmake @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dray.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/drayConfig.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dray)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
endfunction()
