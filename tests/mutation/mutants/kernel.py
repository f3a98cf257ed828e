"""Mutants of thread/, epilogue/, arch/math.cuh and kernel/.

Not here, because they change no result: chunk_m of ThreadMap (any bijection of threads to rows
gives the same C), the order of thread_mma's elements, and `x * y` in arch::mul, which rounds alike
wherever nvcc is not told to flush subnormals (which the emulator cannot be told).
"""

from .mutant import Mutant

MAP = "thread/thread_map.cuh"
MMA = "thread/thread_mma.cuh"
EPILOGUE = "epilogue/linear_combination.cuh"
MATH = "arch/math.cuh"
KERNEL = "kernel/gemm_kernel.cuh"
VARIANT = "kernel/variant.cuh"
NAIVE = ("naive",)
BUFFERED = ("double_buffered",)
VECTORIZED = ("vectorized",)
PAIRS = ("pairs",)

MUTANTS = (
    # ThreadMap
    Mutant("map_lane_column_for_row", MAP, "lane % lanes_m : lane / lanes_n",
           "lane % lanes_m : lane % lanes_n",
           "rows of C owned by nobody", policies=PAIRS),
    Mutant("map_warps_along_n_ignored", MAP, "warp % warps_n * lanes_n", "0",
           "warps side by side own the same columns", policies=("three_warps",)),
    Mutant("map_warp_row_of_the_wrong_mode", MAP, "warp / warps_n * lanes_m",
           "warp / warps_n * lanes_n", "warps above each other too far apart", policies=PAIRS),
    Mutant("map_rows_apart_by_threads_n", MAP, "i / chunk_m * config.threads.m",
           "i / chunk_m * config.threads.n", "chunks of rows too far apart", policies=PAIRS),
    Mutant("map_row_inside_chunk_missing", MAP, "* chunk_m + i % chunk_m", "* chunk_m",
           "rows of a chunk fall on each other", policies=BUFFERED),
    Mutant("map_col_off_by_one", MAP, "* chunk_n + j % chunk_n", "* chunk_n + (j + 1) % chunk_n",
           "columns of a chunk rotated", policies=VECTORIZED),
    Mutant("map_cols_not_chunked", MAP, "(j / chunk_n * config.threads.n + n) * chunk_n",
           "(j / chunk_n + n) * chunk_n", "a thread's chunks of columns overlap its neighbours'",
           policies=VECTORIZED),

    # thread_mma
    Mutant("mma_serpentine_off_by_one", MMA, "thread_n - 1 - step", "thread_n - step",
           "odd rows one column too far", policies=("register_tile_1d",)),
    Mutant("mma_serpentine_of_b_only", MMA, "frag_b[j], acc", "frag_b[step], acc",
           "odd rows multiply B in the other direction", policies=VECTORIZED),
    Mutant("mma_one_row_of_a", MMA, "arch::fma(frag_a[i],", "arch::fma(frag_a[0],",
           "every row multiplies A's first", policies=("register_tile_2d",)),

    # LinearCombination
    Mutant("epilogue_reads_c_for_beta_0", EPILOGUE, "if (arch::is_zero(beta)) {", "if (false) {",
           "NaN in C survives beta = 0", policies=NAIVE, occurrence=1, of=2),
    Mutant("epilogue_of_sums_reads_c_for_beta_0", EPILOGUE,
           "if (arch::is_zero(beta)) {", "if (false) {",
           "NaN in C survives beta = 0 where slices are summed", policies=("cluster_slices",),
           occurrence=2, of=2),
    Mutant("epilogue_m_guard_off_by_one", EPILOGUE, "map.row(i) >= c.m_left",
           "map.row(i) > c.m_left", "one row beyond C is written", policies=NAIVE),
    Mutant("epilogue_n_guard_off_by_one", EPILOGUE, "map.col(j) >= c.n_left",
           "map.col(j) > c.n_left", "one access beyond a row of C is written", policies=NAIVE),
    Mutant("epilogue_m_guard_dropped", EPILOGUE, "if (Guarded && map.row(i) >= c.m_left) continue;",
           "", "rows beyond C are written", policies=NAIVE),
    Mutant("epilogue_n_guard_dropped", EPILOGUE, "if (Guarded && map.col(j) >= c.n_left) continue;",
           "", "columns beyond C are written", policies=VECTORIZED),
    Mutant("epilogue_row_offset_in_32_bits", EPILOGUE, "map.row(i) * c.ld",
           "map.row(i) * static_cast<int>(c.ld)", "a far row's offset wraps", policies=NAIVE),
    Mutant("epilogue_product_and_sum", EPILOGUE, "arch::fma(alpha, acc, arch::mul(beta, c))",
           "arch::mul(alpha, acc) + arch::mul(beta, c)", "alpha * acc is rounded once more",
           policies=NAIVE),
    Mutant("epilogue_other_association", EPILOGUE, "arch::fma(alpha, acc, arch::mul(beta, c))",
           "arch::fma(beta, c, arch::mul(alpha, acc))", "the other product is rounded",
           policies=NAIVE),
    Mutant("epilogue_alpha_and_beta_swapped", EPILOGUE,
           "arch::fma(alpha, acc, arch::mul(beta, c))", "arch::fma(beta, acc, arch::mul(alpha, c))",
           "alpha scales C", policies=NAIVE),
    Mutant("epilogue_alpha_forgotten", EPILOGUE, "return arch::mul(alpha, acc);", "return acc;",
           "alpha is ignored where beta is 0", policies=NAIVE),
    Mutant("epilogue_one_column_of_c", EPILOGUE, "with_c(acc[v], out[v])", "with_c(acc[v], out[0])",
           "an access of C is scaled from its first float", policies=VECTORIZED),

    # Arithmetic
    Mutant("math_fma_rounds_twice", MATH, "return __fmaf_ieee_rn(x, y, z);", "return x * y + z;",
           "the product is rounded before the sum", policies=NAIVE),
    Mutant("math_mul_adds_plus_zero", MATH, "-0.0f); }", "0.0f); }", "a product of -0 becomes +0",
           policies=NAIVE),

    # gemm_kernel
    Mutant("kernel_a_strip_by_ldb", KERNEL, "V::a_major == Major::k ? args.lda : 1",
           "V::a_major == Major::k ? args.ldb : 1", "the strip of A begins a stride of B too far",
           policies=NAIVE),
    Mutant("kernel_b_steps_by_lda", KERNEL, "args.ldb, n_left", "args.lda, n_left",
           "B is stepped by A's ld", policies=NAIVE),
    Mutant("kernel_c_rows_by_n", KERNEL, "args.c + at.m * args.ldc + at.n, args.ldc",
           "args.c + at.m * args.ldc + at.n, args.n", "the stride of C is taken from its extent",
           policies=NAIVE),
    Mutant("kernel_c_tile_by_n", KERNEL, "args.c + at.m * args.ldc + at.n",
           "args.c + at.m * args.n + at.n",
           "the block tile of C begins where a packed one would", policies=NAIVE),
    Mutant("kernel_a_strip_in_32_bits", KERNEL, "args.a + m * (V::a_major",
           "args.a + static_cast<int>(m) * static_cast<int>(V::a_major",
           "a far strip's offset wraps", policies=NAIVE),
    Mutant("kernel_accumulators_not_zeroed", KERNEL, "acc = {};", "acc;",
           "sums begin from whatever is in the registers", policies=NAIVE),
    Mutant("kernel_m_left_of_the_first_tile", KERNEL, "static_cast<int>(args.m - m)", "args.m",
           "the guard of later tiles lets everything in", policies=NAIVE),
    Mutant("kernel_n_by_block_m", KERNEL, "index_t{tile.n} * V::block_n",
           "index_t{tile.n} * V::block_m", "tiles along n as far apart as along m", policies=PAIRS),
    Mutant("variant_b_major_inverted", VARIANT, "? Major::mn : Major::k", "? Major::k : Major::mn",
           "B is read in the other layout", policies=NAIVE),
)
