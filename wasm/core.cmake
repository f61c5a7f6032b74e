# The WASM modules build/wasm/core….{mjs,wasm}. `plan` and `ops` are the same in all of them. Whatever sees the vector type
# is compiled for each: SIMD changes how a vector is passed, so a scalar caller and a SIMD callee would not fit.
#   core         exact: baseline SIMD, the same bits everywhere
#   core-fast    relaxed SIMD multiply-add
#   core-scalar  for engines without SIMD, the same bits as exact
function(add_core name)
  file(GLOB sources CONFIGURE_DEPENDS cpp/cpu/*.cpp cpp/model/*.cpp cpp/analysis/*.cpp)
  add_executable(${name} wasm/bindings.cpp ${sources})
  set_target_properties(${name} PROPERTIES SUFFIX .mjs RUNTIME_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR}/build/wasm)
  target_compile_definitions(${name} PRIVATE EMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)
  target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti ${ARGN})
  # embind's macros use them
  set_source_files_properties(wasm/bindings.cpp PROPERTIES COMPILE_OPTIONS
    "-Wno-gnu-zero-variadic-macro-arguments;-Wno-dollar-in-identifier-extension")
  target_link_libraries(${name} PRIVATE normscope_model normscope_analysis)
  target_link_options(${name} PRIVATE
    -O3 -lembind -fno-exceptions -fno-rtti
    -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=web,worker  # core.ts instantiates the module itself, in Node too
  
    -sDYNAMIC_EXECUTION=0        # works under a content-security policy without 'unsafe-eval'
    -sFILESYSTEM=0 -sWASM_BIGINT
    -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=16MB -sMAXIMUM_MEMORY=4GB
    -sABORTING_MALLOC=0          # no memory is a status, not the end of the module
    -sSTACK_SIZE=1MB)            # blocks of Eigen overflow the default of 64 KB
endfunction()

add_core(core -msimd128)
add_core(core-fast -msimd128 -mrelaxed-simd -DNORMSCOPE_FAST_MATH)
add_core(core-scalar)
