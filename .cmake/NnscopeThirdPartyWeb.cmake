# Third-party targets of the WebAssembly build. Headers of the machine's packages come through a folder of links,
# because /usr/include itself would bring the machine's libc along.
set(NNSCOPE_HOST_INCLUDE "/usr/include" CACHE PATH "Where the machine's fmt, flatbuffers, hwy, boost and eigen3 headers lie")
set(NNSCOPE_FLATC "flatc" CACHE STRING "The machine's FlatBuffers compiler")
set(host_headers "${PROJECT_BINARY_DIR}/host-headers")
file(MAKE_DIRECTORY "${host_headers}")
foreach(package fmt flatbuffers hwy boost nlohmann eigen3)
  if(NOT IS_DIRECTORY "${NNSCOPE_HOST_INCLUDE}/${package}")
    message(FATAL_ERROR "${NNSCOPE_HOST_INCLUDE}/${package} is not there: set NNSCOPE_HOST_INCLUDE to the folder that has it.")
  endif()
  file(CREATE_LINK "${NNSCOPE_HOST_INCLUDE}/${package}" "${host_headers}/${package}" SYMBOLIC)
endforeach()

add_library(nnscope_fmt INTERFACE)
add_library(fmt::fmt ALIAS nnscope_fmt)
target_include_directories(nnscope_fmt SYSTEM INTERFACE "${host_headers}")
# Without locales, long double and 128-bit integers, which nobody formats here, and which weigh 70 KB.
target_compile_definitions(nnscope_fmt INTERFACE FMT_HEADER_ONLY=1 "FMT_STATIC_THOUSANDS_SEPARATOR=','" FMT_USE_LONG_DOUBLE=0
                           FMT_USE_INT128=0)

nnscope_third_party_headers(flatbuffers INCLUDES "${host_headers}")
nnscope_third_party_headers(eigen INCLUDES "${host_headers}/eigen3")
# Sizes of 64 bits as everywhere in core; Eigen takes those of a pointer, which are 32 here.
target_compile_definitions(nnscope_eigen INTERFACE "EIGEN_DEFAULT_DENSE_INDEX_TYPE=long long")
nnscope_third_party_headers(highway INCLUDES "${host_headers}")
nnscope_third_party_headers(boost INCLUDES "${host_headers}")
nnscope_third_party_headers(json INCLUDES "${host_headers}")

nnscope_source(simdjson
  SUITE bookworm VERSION 3.0.1-1 ARCHIVE simdjson_3.0.1.orig.tar.gz
  SHA256 156b1bc5eb0561b2bd166b46d191fd3d95a3e709cc63761477d3b7aec2b6e9ed
  GIT https://github.com/simdjson/simdjson.git COMMIT 0d2455029d845e801809dd54b01ae47173d7d8e8
  MARKER singleheader/simdjson.cpp)
nnscope_third_party_library(simdjson
  SOURCES ${simdjson_SOURCE_DIR}/singleheader/simdjson.cpp
  INCLUDES ${simdjson_SOURCE_DIR}/singleheader)

nnscope_source(zlib
  SUITE bookworm VERSION 1:1.2.13.dfsg-1 ARCHIVE zlib_1.2.13.dfsg.orig.tar.bz2
  SHA256 71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1
  GIT https://github.com/madler/zlib.git COMMIT 04f42ceca40f73e2978b50e93806c2a18c1281fc
  MARKER inflate.c)
set(zlib_files adler32 compress crc32 deflate infback inffast inflate inftrees trees uncompr zutil)
list(TRANSFORM zlib_files PREPEND "${zlib_SOURCE_DIR}/")
list(TRANSFORM zlib_files APPEND ".c")
nnscope_third_party_library(zlib SOURCES ${zlib_files} INCLUDES ${zlib_SOURCE_DIR})

nnscope_source(pcre2
  SUITE bookworm VERSION 10.42-1 ARCHIVE pcre2_10.42.orig.tar.gz
  SHA256 c33b418e3b936ee3153de2c61cc638e7e4fe3156022a5c77d0711bcbb9d64f1f
  GIT https://github.com/PCRE2Project/pcre2.git COMMIT 52c08847921a324c804cabf2814549f50bce1265
  MARKER src/pcre2_match.c)
set(pcre2_files auto_possess compile config context convert error extuni find_bracket match match_data newline
                ord2utf pattern_info script_run string_utils study substitute substring tables ucd valid_utf xclass)
list(TRANSFORM pcre2_files PREPEND "${pcre2_SOURCE_DIR}/src/pcre2_")
list(TRANSFORM pcre2_files APPEND ".c")
# What its own build makes: the header, and the tables of the C locale.
set(pcre2_made "${PROJECT_BINARY_DIR}/generated/pcre2")
configure_file("${pcre2_SOURCE_DIR}/src/pcre2.h.generic" "${pcre2_made}/pcre2.h" COPYONLY)
configure_file("${pcre2_SOURCE_DIR}/src/pcre2_chartables.c.dist" "${pcre2_made}/pcre2_chartables.c" COPYONLY)
nnscope_third_party_library(pcre2
  SOURCES ${pcre2_files} "${pcre2_made}/pcre2_chartables.c"
  INCLUDES ${pcre2_made}
  DEFINITIONS PCRE2_STATIC)
target_include_directories(nnscope_pcre2 PRIVATE "${pcre2_SOURCE_DIR}/src")
target_compile_options(nnscope_pcre2 PRIVATE -Os)
target_compile_definitions(nnscope_pcre2 PRIVATE
  PCRE2_CODE_UNIT_WIDTH=8 SUPPORT_UNICODE=1 LINK_SIZE=2 HEAP_LIMIT=20000000 MATCH_LIMIT=10000000 MATCH_LIMIT_DEPTH=10000000
  MAX_NAME_SIZE=32 MAX_NAME_COUNT=10000 NEWLINE_DEFAULT=2 PARENS_NEST_LIMIT=250 HAVE_MEMMOVE=1)

nnscope_third_party_headers(gl)
nnscope_third_party_headers(glfw)
