# The WASM module: build/wasm/core.{mjs,wasm}, or core-fast, core-scalar.
set(core_name core)
if(NOT NORMSCOPE_CORE STREQUAL "exact")
  set(core_name core-${NORMSCOPE_CORE})
endif()

add_executable(core wasm/bindings.cpp)
set_target_properties(core PROPERTIES
  OUTPUT_NAME ${core_name}
  SUFFIX .mjs
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR}/build/wasm)
target_compile_definitions(core PRIVATE EMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)
target_compile_options(core PRIVATE -fno-exceptions -fno-rtti -Wno-gnu-zero-variadic-macro-arguments -Wno-dollar-in-identifier-extension)
target_link_libraries(core PRIVATE normscope_model normscope_analysis)
target_link_options(core PRIVATE
  -O3 -lembind -fno-exceptions -fno-rtti
  -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=web,worker,node
  -sDYNAMIC_EXECUTION=0        # works under a content-security policy without 'unsafe-eval'
  -sFILESYSTEM=0 -sWASM_BIGINT
  -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=16MB -sMAXIMUM_MEMORY=4GB
  -sABORTING_MALLOC=0          # no memory is a status, not the end of the module
  -sSTACK_SIZE=1MB)            # blocks of Eigen overflow the default of 64 KB
