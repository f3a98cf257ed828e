"""Mutants of gemm.cuh and host/.

Not here: the choice of policy::automatic (a bad one is slow, not wrong; host/cost_model_test.cpp
holds it) and traffic figures of the plan, which only print.
"""

from .mutant import Mutant

GEMM = "gemm.cuh"
SELECTION = "host/selection.cuh"
VIEW = "matrix_view.hpp"
PLAN = "host/plan.hpp"
SHAPE = "host/gemm_shape.hpp"
VALIDATE = "host/validate.hpp"
DISPATCH = "host/dispatch.cuh"
LAUNCH = "host/launch.cuh"
NAIVE = ("naive",)
PAIRS = ("pairs",)

MUTANTS = (
    # validate
    Mutant("validate_negative_length", VALIDATE, "v.count < 0 || v.length < 0", "v.count < 0",
           "a negative contiguous extent is accepted", policies=NAIVE),
    Mutant("validate_zero_ld", VALIDATE, "v.ld < 1 || v.ld < v.length", "v.ld < v.length",
           "ld = 0 is accepted for an empty operand", policies=NAIVE),
    Mutant("validate_ld_too_strict", VALIDATE, "v.ld < v.length)", "v.ld <= v.length)",
           "the smallest ld is refused", policies=NAIVE),
    Mutant("validate_ld_too_lax", VALIDATE, "v.ld < v.length)", "v.ld < v.length - 1)",
           "an ld one too small is accepted", policies=NAIVE),
    Mutant("validate_layout_ignored", VALIDATE, "{v.cols, v.rows, v.ld}", "{v.rows, v.cols, v.ld}",
           "column-major views are checked as row-major ones", policies=NAIVE),
    Mutant("validate_order_of_checks", VALIDATE, "{check_sizes, check_ld}",
           "{check_ld, check_sizes}", "ld is checked before the sizes", policies=NAIVE),
    Mutant("validate_ld_not_checked", VALIDATE, "{check_sizes, check_ld}",
           "{check_sizes, check_sizes}", "no ld is checked", policies=NAIVE),
    Mutant("validate_c_not_checked", VALIDATE,
           "i < 3; ++i) { if (const Status status = check(",
           "i < 2; ++i) { if (const Status status = check(", "C's sizes and ld are not checked",
           policies=NAIVE),
    Mutant("validate_inner_extents", VALIDATE, "if (b.rows != a.cols)", "if (b.rows < a.cols)",
           "a B with too many rows is accepted", policies=NAIVE),
    Mutant("validate_columns_of_c", VALIDATE, "c.rows != a.rows || c.cols != b.cols",
           "c.rows != a.rows", "C with other columns than B is accepted", policies=NAIVE),
    Mutant("validate_extent_limit", VALIDATE, "v.count > max_extent || v.length > max_extent",
           "v.count > max_extent", "an extent of 2^31 is accepted", policies=NAIVE),
    Mutant("validate_span_limit", VALIDATE, "v.count > 1 && v.ld > (max_elements",
           "v.ld < 0 && v.ld > (max_elements",
           "a view larger than the address space is accepted", policies=NAIVE),
    Mutant("validate_null_accepted", VALIDATE,
           "if (data == nullptr) return {Reason::null_pointer, operand};",
           "", "null pointers are accepted", policies=NAIVE),
    Mutant("validate_misaligned_accepted", VALIDATE, "% sizeof(float) != 0", "% 2 != 0",
           "a pointer between two floats is accepted", policies=NAIVE),
    Mutant("validate_pointers_of_unread_operands", VALIDATE,
           "writes && has_product(alpha, a.cols)", "writes",
           "null operands are refused though nobody reads them", policies=NAIVE),
    Mutant("product_of_alpha_0", VALIDATE, "return alpha != 0.0f && k != 0;", "return k != 0;",
           "alpha = 0 reads A and B", policies=NAIVE),
    Mutant("product_of_k_0", VALIDATE, "return alpha != 0.0f && k != 0;", "return alpha != 0.0f;",
           "k = 0 counts as a product", policies=NAIVE),

    # plan
    Mutant("plan_pointer_alignment_ignored", PLAN,
           "reinterpret_cast<std::uintptr_t>(view.data) % bytes == 0 && ", "bytes != 0 && ",
           "vector accesses on any pointer", policies=PAIRS),
    Mutant("plan_line_length_ignored", PLAN, "lines.length % floats == 0 &&", "true &&",
           "vector accesses on lines that are not whole ones", policies=PAIRS),
    Mutant("plan_ld_ignored", PLAN, "(lines.count == 1 || lines.ld % floats == 0)", "true",
           "vector accesses on any ld", policies=PAIRS),
    Mutant("plan_ld_of_a_single_line", PLAN, "lines.count == 1 || ", "",
           "an ld that nobody uses narrows the accesses", policies=PAIRS),
    Mutant("plan_alignment_of_b_ignored", PLAN,
           "return is_vectorizable(a, floats) && is_vectorizable(b, floats);",
           "return is_vectorizable(a, floats);",
           "vector accesses on any B", policies=PAIRS),
    Mutant("plan_alignment_of_c_ignored", PLAN, "is_vectorizable(c, floats) &&", "true &&",
           "vector accesses on any C", policies=PAIRS),
    Mutant("plan_m_residue_unguarded", PLAN, "c.rows % config.block_m() != 0 || ", "",
           "ragged m runs exact", policies=NAIVE),
    Mutant("plan_n_residue_unguarded", PLAN, "c.cols % config.block_n() != 0 ||", "",
           "ragged n runs exact", policies=NAIVE),
    Mutant("plan_k_residue_unguarded", PLAN, "(product && a.cols % config.block_k() != 0)", "false",
           "ragged k runs exact"),
    Mutant("plan_scalar_is_exact", PLAN, "plan.guarded || !vectorized", "plan.guarded",
           "the plan says exact where the guarded variant runs", policies=PAIRS),
    Mutant("plan_tiles_rounded_down", SHAPE, "x / y + (x % y != 0)", "x / y",
           "the last tile is left out", policies=NAIVE),
    Mutant("plan_tiles_one_too_many", SHAPE, "x / y + (x % y != 0)", "x / y + 1",
           "a tile beyond the last", policies=NAIVE),
    Mutant("plan_grid_limit", PLAN, "plan.m_tiles > max_extent / plan.n_tiles", "false",
           "more tiles than a grid holds", policies=NAIVE),
    Mutant("plan_k_tiles_without_a_product", PLAN,
           "product ? ceil_div(a.cols, config.block_k()) : 0", "ceil_div(a.cols, config.block_k())",
           "alpha = 0 reads A and B", policies=NAIVE),
    Mutant("plan_empty_c_launches", PLAN, "c.rows == 0 || c.cols == 0 || ", "c.rows == 0 || ",
           "n = 0 divides by zero", policies=NAIVE),
    Mutant("plan_beta_0_scales_nothing", PLAN, "return beta != 1.0f;",
           "return beta != 1.0f && beta != 0.0f;", "beta = 0 without a product leaves C",
           policies=NAIVE),
    Mutant("plan_beta_1_launches", PLAN, "return beta != 1.0f;", "return beta == beta;",
           "C = C is launched", policies=NAIVE),

    # policy
    Mutant("policy_unknown_to_the_cost_model", "policy.cuh", "MinBlocks{4}, Slices{512}",
           "MinBlocks{16}, Slices{512}", "more blocks on an SM than the cost model has times for",
           net="static", policies=NAIVE),

    # gemm
    Mutant("gemm_operands_not_exchanged", SELECTION,
           "planned(transposed(b), transposed(a), transposed(c), true)",
           "planned(transposed(a), transposed(b), transposed(c), true)",
           "a column-major C is A^T * B^T", policies=NAIVE),
    Mutant("gemm_exchange_not_told", SELECTION, "transposed(c), true)", "transposed(c), false)",
           "the plan does not say that operands are exchanged", policies=NAIVE),
    Mutant("gemm_minus_zero_lost", SELECTION, "beta == 0.0f ? 0.0f : -0.0f", "0.0f",
           "beta * -0 without a product becomes +0", policies=NAIVE),
    Mutant("gemm_minus_zero_for_beta_0", SELECTION, "beta == 0.0f ? 0.0f : -0.0f", "-0.0f",
           "C = 0 without a product becomes -0", policies=NAIVE),
    Mutant("gemm_alpha_without_a_product", SELECTION, "if (plan.k_tiles == 0) alpha =",
           "if (plan.k_tiles < 0) alpha =", "alpha = Inf with k = 0 gives NaN", policies=NAIVE),
    Mutant("gemm_launches_nothing_to_do", GEMM, "if (!plan.launches) return plan.status;", "",
           "an empty grid is launched", policies=NAIVE),
    Mutant("gemm_lds_exchanged", SELECTION, "a.ld,\n          b.ld,", "b.ld,\n          a.ld,",
           "A's ld for B and B's for A", policies=NAIVE),
    Mutant("gemm_not_validated", GEMM,
           "if (const Status status = detail::validate(alpha, a, b, c); !status.ok()) "
           "return status;",
           "", "the call is not checked", policies=NAIVE),
    Mutant("gemm_tile_counts_exchanged", SELECTION,
           "static_cast<int>(plan.m_tiles),\n          static_cast<int>(plan.n_tiles),",
           "static_cast<int>(plan.n_tiles),\n          static_cast<int>(plan.m_tiles),",
           "tile counts along m and n exchanged", policies=NAIVE),
    Mutant("view_transposed_keeps_extents", VIEW, "{view.data, view.cols, view.rows, view.ld}",
           "{view.data, view.rows, view.cols, view.ld}", "only the layout is transposed",
           policies=NAIVE),

    # dispatch and launch
    Mutant("dispatch_always_full_width", DISPATCH, "= plan.vec_width_a == 1 &&",
           "= plan.vec_width_a == 0 &&", "narrow operands get vector accesses", policies=PAIRS),
    Mutant("dispatch_always_exact", DISPATCH, "if (!plan.guarded) return", "if (true) return",
           "ragged problems run without guards", policies=NAIVE),
    Mutant("launch_on_the_default_stream", LAUNCH, "config.stream = stream;", "",
           "the caller's stream is ignored", policies=NAIVE),
    Mutant("launch_error_swallowed", LAUNCH,
           "return to_status(cudaLaunchKernelEx(&config, kernel, arguments));",
           "static_cast<void>(cudaLaunchKernelEx(&config, kernel, arguments));\n  return {};",
           "a refused launch is reported as success", policies=NAIVE),
    Mutant("launch_smem_not_requested", LAUNCH,
           "if (error == cudaSuccess && smem > default_smem_limit) {",
           "if (shape.smem_bytes < 0) {", "more than 48 KB of smem without asking",
           policies=("large_smem",)),
    Mutant("launch_smem_too_small", LAUNCH, "static_cast<std::size_t>(smem)",
           "static_cast<std::size_t>(shape.smem_bytes - 20)",
           "the launch asks for one float too few (the last 16 bytes are padding)",
           net="address", policies=PAIRS),
    Mutant("launch_one_warp_too_few", LAUNCH, "static_cast<unsigned>(shape.block)",
           "static_cast<unsigned>(shape.block - 32)", "the last warp is not launched",
           policies=NAIVE),
)
