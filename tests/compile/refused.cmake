# What must be refused, each with its sentence: element types, policies and parts that cannot work.
# Every static_assert and #error of include/ has an entry here: see the last test.

# tessera_refused(<name> <compiler>... SOURCE <file> FLAGS <flag>... SENTENCE <text>)
set_property(GLOBAL PROPERTY tessera_refused_sentences "")
function(tessera_refused name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;SENTENCE" "FLAGS")
  set_property(GLOBAL APPEND_STRING PROPERTY tessera_refused_sentences "${arg_SENTENCE}\n")
  string(REGEX REPLACE "([.+()*^])" "\\\\\\1" pattern "${arg_SENTENCE}")
  tessera_compile_test(refused.${name} ${arg_UNPARSED_ARGUMENTS} SOURCE ${arg_SOURCE}
                       FLAGS ${arg_FLAGS} REFUSED "${pattern}")
endfunction()

# Without nvcc, or as an older C++.
set(gemm_alone ${CMAKE_CURRENT_BINARY_DIR}/tessera.gemm.cuh.cu)
tessera_refused(plain_cpp host SOURCE ${gemm_alone} FLAGS -x c++ SENTENCE
                "Tessera's .cuh headers hold CUDA kernels: include them from a .cu file compiled by nvcc.")
tessera_refused(cxx17 emulated nvcc SOURCE ${gemm_alone} FLAGS -std=c++17 SENTENCE
                "Tessera needs C++20: pass -std=c++20 to nvcc (CUDA 12.0 or newer).")

# Policies. `base` (policy.cu) is 16 x 16 threads of 1 x 1, KTile 8, no vectors, one stage.
function(tessera_refused_policy name mainloop config sentence)
  tessera_refused(${name} emulated SOURCE policy.cu SENTENCE "${sentence}"
                  FLAGS -DTEST_MAINLOOP=${mainloop} -DTEST_CONFIG=${config})
endfunction()

tessera_compile_test(accepted.base emulated SOURCE policy.cu
                     FLAGS -DTEST_MAINLOOP=single_stage -DTEST_CONFIG=base)
tessera_refused_policy(positive single_stage "with(base,ThreadTile{0,1})"
                       "a policy's Threads, ThreadTile and KTile must be positive")
tessera_refused_policy(lanes single_stage "with(base,Lanes{4,4})"
                       "a policy's Lanes must multiply to 32, the lanes of a warp")
tessera_refused_policy(whole_warps single_stage "with(base,Threads{6,16})"
                       "a policy's Threads must be whole warps: multiples of its Lanes in m and n")
tessera_refused_policy(block_size single_stage "with(base,Threads{64,32},MinBlocks{1})"
                       "a block has at most 1024 threads")
tessera_refused_policy(vec_width single_stage "with(base,VecWidth{3},ThreadTile{3,3},KTile{9})"
                       "a policy's VecWidth must be 1, 2 or 4 floats")
tessera_refused_policy(accesses_n single_stage "with(base,VecWidth{4},ThreadTile{4,2})"
                       "a policy's ThreadTile must be whole accesses along n: a multiple of VecWidth")
tessera_refused_policy(accesses_m single_stage
                       "with(base,VecWidth{4},ThreadTile{2,4},ASmem{Major::mn})"
                       "with A m-major in smem, ThreadTile must be a multiple of VecWidth along m")
tessera_refused_policy(accesses_k single_stage "with(base,VecWidth{4},ThreadTile{4,4},KTile{6})"
                       "a policy's KTile and block tile must be whole accesses: multiples of VecWidth")
tessera_refused_policy(registers single_stage "with(base,ThreadTile{16,16})"
                       "a policy's ThreadTile does not fit the 255 registers of a thread")
tessera_refused_policy(min_blocks single_stage "with(base,MinBlocks{9})"
                       "a policy's MinBlocks need more threads than an SM holds")
tessera_refused_policy(negative_stages single_stage "with(base,Stages{-1})"
                       "a policy's Stages cannot be negative")
tessera_refused_policy(smem single_stage "with(base,ThreadTile{8,8},KTile{256})"
                       "a policy's smem tiles exceed the 227 KB that a block can have")
tessera_refused_policy(no_slices single_stage "with(base,Slices{0})"
                       "a policy's Slices must be positive")
tessera_compile_test(accepted.slices emulated SOURCE policy.cu
                     FLAGS -DTEST_MAINLOOP=single_stage -DTEST_CONFIG=with\(base,Slices{4}\))
tessera_refused_policy(slices_smem single_stage
                       "with(base,Threads{32,32},ThreadTile{8,8},KTile{4},MinBlocks{1},Slices{2})"
                       "a policy with Slices needs smem for its block tile of C: at most 227 KB")
tessera_refused_policy(negative_even_tail single_stage "with(base,EvenTail{-1})"
                       "a policy's EvenTail must be 0 to 65536 blocks")
tessera_refused_policy(even_tail_without_producers single_stage "with(base,EvenTail{132})"
                       "a policy with EvenTail needs Producers")
tessera_refused_policy(direct_stages direct "base"
                       "mainloop direct stages nothing: Stages must be 0")
tessera_refused_policy(single_stages single_stage "with(base,Stages{2})"
                       "mainloop single_stage has one stage: Stages must be 1")
tessera_refused_policy(double_stages double_buffered "with(base,ASmem{Major::mn})"
                       "mainloop double_buffered has two: Stages must be 2")
tessera_refused_policy(double_a_smem double_buffered "with(base,Stages{2})"
                       "mainloop double_buffered reads A along m: ASmem must be Major::mn")
tessera_refused_policy(double_k_tile double_buffered
                       "with(base,Stages{2},ASmem{Major::mn},KTile{3})"
                       "mainloop double_buffered alternates two fragments: KTile must be even")
tessera_refused_policy(streamed_none streamed "with(base,Stages{3})"
                       "mainloop streamed reads one operand once: Streamed must be a or b")
set(streams "Streamed::a,Threads{64,1},Lanes{32,1},ThreadTile{1,4}")
tessera_refused_policy(streamed_stages streamed "with(base,${streams})"
                       "mainloop streamed needs Stages of at least 2")
tessera_refused_policy(streamed_smem streamed "with(base,${streams},Stages{3},KTile{256})"
                       "two stages of a policy that streams an operand must fit the 64 KB of sm_75")
tessera_refused_policy(streamed_k_tile streamed
                       "with(base,${streams},Stages{3},KTile{6},VecWidth{2})"
                       "mainloop streamed takes 4 k at once: KTile must be whole 4s")
tessera_refused_policy(streamed_narrow streamed
                       "with(base,${streams},Stages{3},ThreadTile{1,6})"
                       "mainloop streamed takes the narrow operand's elements 1 or 4 at once")
tessera_refused_policy(streamed_tile streamed "with(base,${streams},Stages{3},ThreadTile{2,4})"
                       "a policy with Streamed has Threads along that operand only, of one element each")
tessera_refused_policy(streamed_threads streamed "with(base,${streams},Stages{3},Threads{96,1})"
                       "a policy with Streamed has a power of two of Threads")
tessera_refused_policy(streamed_block_slices streamed
                       "with(base,${streams},Stages{3},BlockSlices{128})"
                       "BlockSlices must be a power of two and leave a slice VecWidth of the Threads")
tessera_refused_policy(block_slices single_stage "with(base,BlockSlices{2})"
                       "a policy with BlockSlices must have Streamed: only its mainloop knows them")
tessera_compile_test(accepted.streamed emulated SOURCE policy.cu FLAGS -DTEST_MAINLOOP=streamed
                     -DTEST_CONFIG=with\(base,${streams},Stages{2},BlockSlices{16}\))
tessera_refused_policy(streamed_producers streamed
                       "with(base,${streams},Stages{3},Producers{4})"
                       "a policy with Streamed has no Producers")
tessera_refused_policy(pipelined_stages pipelined "with(base,ASmem{Major::mn})"
                       "mainloop pipelined needs Stages of at least 2 and Producers")
tessera_refused_policy(pipelined_a_smem pipelined "with(base,Stages{2},Producers{1})"
                       "mainloop pipelined reads A along m: ASmem must be Major::mn")
tessera_refused_policy(pipelined_k_tile pipelined
                       "with(base,Stages{2},Producers{1},ASmem{Major::mn},KTile{4})"
                       "mainloop pipelined copies 8 k at once: KTile must be whole 8s")
tessera_refused_policy(pipelined_slices pipelined
                       "with(base,Stages{2},Producers{1},ASmem{Major::mn},EvenTail{8},Slices{2})"
                       "a policy with EvenTail cannot have Slices")
tessera_compile_test(
  accepted.pipelined_slices emulated SOURCE policy.cu
  FLAGS -DTEST_MAINLOOP=pipelined
        -DTEST_CONFIG=with\(base,Stages{2},Producers{1},ASmem{Major::mn},Slices{2}\))
tessera_compile_test(accepted.pipelined emulated SOURCE policy.cu FLAGS -DTEST_MAINLOOP=pipelined
                     -DTEST_CONFIG=with\(base,Stages{2},Producers{1},ASmem{Major::mn}\))
tessera_compile_test(
  accepted.even_tail emulated SOURCE policy.cu
  FLAGS -DTEST_MAINLOOP=pipelined
        -DTEST_CONFIG=with\(base,Stages{2},Producers{1},ASmem{Major::mn},EvenTail{65536}\))
tessera_refused_policy(shared_storage larger_storage "base"
                       "the plan's shared memory must be what the mainloop lays out")
tessera_refused_policy(streamed_storage larger_stream "with(base,${streams},Stages{3})"
                       "the plan's shared memory must be what the mainloop lays out")
# Warp-tiling parameters of a well-known kernel that cannot be met: 128 threads, thread tile 8 x 4
# for a block tile of 128 x 256.
tessera_refused_policy(warp_tiling single_stage
                       "with(base,Threads{4,32},Lanes{4,8},ThreadTile{32,8})"
                       "a policy's ThreadTile does not fit the 255 registers of a thread")

# Parts.
function(tessera_refused_part name width statement sentence)
  tessera_refused(${name} emulated SOURCE primitives.cu SENTENCE "${sentence}"
                  FLAGS -DTEST_WIDTH=${width} "-DTEST_STATEMENT=${statement}")
endfunction()

tessera_compile_test(accepted.gmem_to_reg emulated SOURCE primitives.cu FLAGS -DTEST_WIDTH=4
                     "-DTEST_STATEMENT=arch::gmem_to_reg<4>(reg,gmem)")
foreach(call IN ITEMS gmem_to_reg<3>\(reg,gmem\) mem_to_reg<3>\(reg,gmem\) reg_to_mem<3>\(gmem,reg\)
                      cluster_to_reg<3>\(reg,gmem,0\) copy_async<3>\(reg,gmem\)
                      copy_async_if<3>\(true,reg,gmem\))
  string(REGEX REPLACE "<.*" "" name ${call})
  tessera_refused_part(${name} 3 "arch::${call}" "an access is 1, 2 or 4 floats wide")
endforeach()
tessera_refused_part(tile_loader 4 "(tile::TileLoader<Major::k,tile::SmemTile<8,6,Major::k>,32,4,false>({},0,0.0f))"
                     "a line of the tile must be whole accesses")
tessera_refused_part(stream_copier 4 "(tile::StreamCopier<Major::k,6,4>({},{},{},false,0,0))"
                     "a line of the tile must be whole accesses")
tessera_refused_part(stream_copier_lanes 4 "(tile::StreamCopier<Major::k,12,4>({},{},{},false,0,0))"
                     "the lanes of a warp must divide a line of the tile, or lines the lanes, evenly")
tessera_refused_part(tile_copier_threads 4 "(tile::TileCopier<Major::k,8,8,32,4,false,true>({},0))"
                     "the producers must divide a tile of A and of B evenly")
tessera_refused_part(skinny_tile 4 "(policy::skinny_tile<Streamed::a,7>{})"
                     "skinny_tile streams A or B past 1 or 8 elements")

# Element types.
function(tessera_refused_element name flag sentence)
  tessera_refused(${name} emulated SOURCE element_type.cu SENTENCE "${sentence}" FLAGS "${flag}")
endfunction()

set(sentence "Tessera multiplies float: A and B must be views of float or const float")
tessera_refused_element(element_a -DTEST_A=double "${sentence}")
tessera_refused_element(element_b -DTEST_B=int "${sentence}")
set(sentence "Tessera multiplies float: C must be a view of float")
tessera_refused_element(element_c -DTEST_C=double "${sentence}")
tessera_refused_element(const_c "-DTEST_C=const float" "${sentence}")
tessera_compile_test(accepted.element_types emulated SOURCE element_type.cu
                     FLAGS "-DTEST_A=const float")

# No user's code can make the library's own policies wrong: a mutant does (mutation/mutants/host.py).
set_property(GLOBAL APPEND_STRING PROPERTY tessera_refused_sentences
             "the cost model knows up to TileCost::most_blocks blocks on an SM\n")

# Every refusal in include/ is among the above.
get_property(sentences GLOBAL PROPERTY tessera_refused_sentences)
file(CONFIGURE OUTPUT refused_sentences.txt CONTENT "${sentences}" @ONLY)
add_test(NAME compile.refused.every_sentence_is_tested
         COMMAND ${CMAKE_COMMAND} -DHEADERS=${PROJECT_SOURCE_DIR}/include
                 -DTESTED=${CMAKE_CURRENT_BINARY_DIR}/refused_sentences.txt
                 -P ${CMAKE_CURRENT_SOURCE_DIR}/refused_sentences.cmake)
set_tests_properties(compile.refused.every_sentence_is_tested PROPERTIES LABELS compile)
