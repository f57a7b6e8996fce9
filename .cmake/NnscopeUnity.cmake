# The files of a folder are compiled in groups, as one translation unit each: most of the time of a build from nothing went
# into reading the same headers again and again. What that asks of a file: names in its unnamed namespace that no other
# file of the folder has (what two files need under one name stands in a header). Files with compile options of their own
# are compiled alone, as are those whose SKIP_UNITY_BUILD_INCLUSION is set.
option(NNSCOPE_UNITY "Compile the files of each folder in groups" ON)

function(nnscope_compile_in_groups target)
  if(NNSCOPE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # GCC takes what a group includes for a header, whose types of unnamed namespaces would differ between users.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
