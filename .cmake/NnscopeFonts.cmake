# The two typefaces, cut down at build time to the characters that the explorer draws; never committed.
#
# nnscope_fonts(ui/app) puts them into the library of that folder: "ui/app/fonts.h" declares, in nns::fonts,
# kInterRegularOtf, kInterSemiBoldOtf and kJetBrainsMonoRegularTtf. Inter is the face for words; it lacks box drawing,
# block elements, ▸, ▾ and ⋯, which JetBrains Mono has: merge that behind it.
find_program(NNSCOPE_PYFTSUBSET pyftsubset REQUIRED)
find_path(NNSCOPE_INTER_DIR Inter-Regular.otf
          PATHS /usr/share/fonts/opentype/inter /usr/local/share/fonts NO_CMAKE_FIND_ROOT_PATH REQUIRED)
find_path(NNSCOPE_JETBRAINS_MONO_DIR JetBrainsMono-Regular.ttf
          PATHS /usr/share/fonts/truetype/jetbrains-mono /usr/local/share/fonts NO_CMAKE_FIND_ROOT_PATH REQUIRED)
mark_as_advanced(NNSCOPE_PYFTSUBSET NNSCOPE_INTER_DIR NNSCOPE_JETBRAINS_MONO_DIR)

set(NNSCOPE_FONT_RANGES
    U+0020-007E U+00A0-017F      # Latin, Latin-1, Latin Extended-A
    U+0391-03A9 U+03B1-03C9      # Greek without accents
    U+2010-2027 U+2030-203A U+2044 U+2070-208E   # dashes, quotation marks, ellipsis, superscripts and subscripts
    U+20AC U+2113 U+211D U+2122 U+2126
    U+2190-2199 U+21A9 U+21AA U+21B3 U+21BA U+21BB U+21D0-21D4 U+21E7   # arrows
    U+2200-220B U+220F-2212 U+2215 U+2217-221E U+2227-222B U+2248 U+2260-2265 U+2295-2299 U+22C5 U+22EE U+22EF
    U+2318 U+2325 U+2326 U+232B U+23CE   # keys
    U+2500 U+2502 U+250C U+2510 U+2514 U+2518 U+251C U+2524 U+252C U+2534 U+253C U+2581-2588   # trees, small bars
    U+25A0 U+25A1 U+25AA U+25B2 U+25B6 U+25B8 U+25BA U+25BC U+25BE U+25C0 U+25C6 U+25C7 U+25CB U+25CF U+25EF
    U+26A0 U+2713 U+2715 U+2717 U+2318)

# Headings hold words and figures; for other letters the regular face stands in.
set(NNSCOPE_HEADING_RANGES U+0020-007E U+00B7 U+00D7 U+2013 U+2014 U+2018-201D U+2022 U+2026 U+2190-2193 U+2212)

# Code and numbers, and what Inter has not: for all else Inter stands in, which is merged behind the face for code.
set(NNSCOPE_CODE_RANGES
    U+0020-007E U+00A0-00FF U+0149 U+2010-2027 U+2190-2193 U+2212 U+221E U+2248 U+2260-2265
    U+21D1 U+21D3 U+2200 U+2201 U+2203 U+2208 U+2209 U+220B U+2210 U+2215 U+2218 U+2219 U+2227-222A
    U+2295-2297 U+2299 U+22EE U+22EF U+2715
    U+2500 U+2502 U+250C U+2510 U+2514 U+2518 U+251C U+2524 U+252C U+2534 U+253C U+2581-2588 U+25B8 U+25BE)

function(nnscope_fonts folder)
  set(subset_dir "${PROJECT_BINARY_DIR}/generated/fonts")
  file(MAKE_DIRECTORY "${subset_dir}")
  set(subsets "")
  foreach(font "${NNSCOPE_INTER_DIR}/Inter-Regular.otf" "${NNSCOPE_INTER_DIR}/Inter-SemiBold.otf"
               "${NNSCOPE_JETBRAINS_MONO_DIR}/JetBrainsMono-Regular.ttf")
    cmake_path(GET font FILENAME name)
    list(JOIN NNSCOPE_FONT_RANGES "," ranges)
    if(name STREQUAL "Inter-SemiBold.otf")
      list(JOIN NNSCOPE_HEADING_RANGES "," ranges)
    elseif(name STREQUAL "JetBrainsMono-Regular.ttf")
      list(JOIN NNSCOPE_CODE_RANGES "," ranges)
    endif()
    add_custom_command(
      OUTPUT "${subset_dir}/${name}"
      COMMAND ${NNSCOPE_PYFTSUBSET} "${font}" "--unicodes=${ranges}" "--output-file=${subset_dir}/${name}"
              --layout-features= --drop-tables+=GPOS,GSUB,GDEF,gasp --no-hinting --desubroutinize --name-IDs= --notdef-outline
              --no-glyph-names
      DEPENDS "${font}" COMMENT "Subsetting ${name}" VERBATIM)
    list(APPEND subsets "${subset_dir}/${name}")
  endforeach()
  nnscope_embed(${folder} fonts NAMESPACE nns::fonts FILES ${subsets})
endfunction()
