# CUDA is compiled where it is found and never needed: NNSCOPE_HAS_CUDA, NNSCOPE_CUDA_VERSION and NNSCOPE_HAS_NCCL
# say what was found.
option(NNSCOPE_CUDA "Compile the CUDA bodies where nvcc is found" ON)
set(NNSCOPE_HAS_CUDA false)
set(NNSCOPE_CUDA_VERSION "")
set(NNSCOPE_HAS_NCCL false)
# Sanitizers watch the CPU; CUDA's runtime and driver are not made for them.
if(NNSCOPE_CUDA AND NOT EMSCRIPTEN AND NOT NNSCOPE_SANITIZE)
  find_package(CUDAToolkit 12.8 QUIET)
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE AND TARGET CUDA::cudart_static)
    set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
    set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
    # CMake 3.25 knows neither sm_90a, which stands in the flags below, nor C++20 of nvcc.
    set(CMAKE_CUDA_ARCHITECTURES OFF)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    enable_language(CUDA)
    set(NNSCOPE_HAS_CUDA true)
    set(NNSCOPE_CUDA_VERSION "${CUDAToolkit_VERSION}")
    find_path(NNSCOPE_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} DOC "Folder of NCCL's header")
    if(NNSCOPE_NCCL_INCLUDE)
      set(NNSCOPE_HAS_NCCL true)
    endif()
    # A100 and its like; Hopper with its own instructions. Formulas are constexpr so that both compilers take them.
    set(NNSCOPE_CUDA_FLAGS --expt-relaxed-constexpr -Xfatbin=-compress-all
      -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a -Xcompiler=-Wall,-Wextra)
    if(NNSCOPE_WARNINGS_AS_ERRORS)
      list(APPEND NNSCOPE_CUDA_FLAGS -Werror=all-warnings)
    endif()
  endif()
endif()
