# The WASM modules build/wasm/core….{mjs,wasm}. `plan` and `ops` are the same in all of them. Whatever sees the vector type
# is compiled for each: SIMD changes how a vector is passed, so a scalar caller and a SIMD callee would not fit.
#   core           exact: baseline SIMD, the same bits everywhere
#   core-fast      relaxed SIMD multiply-add
#   core-scalar    for engines without SIMD, the same bits as exact
#   core-analysis  the double instance and cpp/analysis with Eigen; without SIMD, so that one file serves every engine
function(add_core name bindings)
  cmake_parse_arguments(ARG "" "" "SOURCES;OPTIONS" ${ARGN})
  add_executable(${name} ${bindings} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES SUFFIX .mjs RUNTIME_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR}/build/wasm)
  target_compile_definitions(${name} PRIVATE EMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)
  target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti ${ARG_OPTIONS})
  # embind's macros use them
  set_source_files_properties(${bindings} PROPERTIES COMPILE_OPTIONS
    "-Wno-gnu-zero-variadic-macro-arguments;-Wno-dollar-in-identifier-extension")
  target_link_libraries(${name} PRIVATE normscope_model)
  target_link_options(${name} PRIVATE
    -O3 -lembind -fno-exceptions -fno-rtti
    -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=web,worker  # core.ts instantiates the module itself, in Node too
  
    -sDYNAMIC_EXECUTION=0        # works under a content-security policy without 'unsafe-eval'
    -sFILESYSTEM=0 -sWASM_BIGINT
    -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=16MB -sMAXIMUM_MEMORY=4GB
    -sABORTING_MALLOC=0          # no memory is a status, not the end of the module
    -sSTACK_SIZE=1MB)            # blocks of Eigen overflow the default of 64 KB
endfunction()

file(GLOB core_sources CONFIGURE_DEPENDS cpp/cpu/*.cpp cpp/model/*.cpp)
file(GLOB analysis_sources CONFIGURE_DEPENDS cpp/analysis/*.cpp)

add_core(core wasm/bindings.cpp SOURCES ${core_sources} OPTIONS -msimd128)
add_core(core-fast wasm/bindings.cpp SOURCES ${core_sources} OPTIONS -msimd128 -mrelaxed-simd -DNORMSCOPE_FAST_MATH)
add_core(core-scalar wasm/bindings.cpp SOURCES ${core_sources})
add_core(core-analysis wasm/analysis/bindings.cpp SOURCES ${core_sources} ${analysis_sources} OPTIONS -DNORMSCOPE_DOUBLE)
target_link_libraries(core-analysis PRIVATE normscope_analysis)
set_source_files_properties(${analysis_sources} PROPERTIES COMPILE_OPTIONS -Os)  # Eigen unrolls a lot otherwise
