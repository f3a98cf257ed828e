"""Mutants of the tail that is cut along K: its pieces, how accumulators are handed on, its plan and
workspace.

Not here, because they change no result: which tiles are cut into how many rounds
(host/even_tail_test.cpp holds the gain), the order of tiles in a round, the barrier after a warp's
wait (each lane waits by itself). Nor that more than the turns is cleared: fresh memory of the
emulator is no progress, while a GPU's may be that of the call before (gemm/tail_test.cu).
"""

from .mutant import Mutant

TAIL = "kernel/tail.cuh"
KERNEL = "kernel/gemm_kernel.cuh"
EPILOGUE = "epilogue/linear_combination.cuh"
PROGRESS = "arch/progress.cuh"
EVEN_TAIL = "host/even_tail.hpp"
PLAN = "host/plan.hpp"
DISPATCH = "host/dispatch.cuh"
SMALL = ("small_pipelined",)

MUTANTS = (
    # piece_of and slice_of
    Mutant("tail_first_piece_too_long", TAIL, "k_tiles - tail.rounds * tail.k_tiles;",
           "k_tiles - tail.rounds * tail.k_tiles + 1;", "pieces reach a k-tile beyond the last",
           policies=SMALL),
    Mutant("tail_rounds_overlap", TAIL, "first = cut + round * tail.k_tiles;",
           "first = cut + round * (tail.k_tiles - 1);", "a k-tile is multiplied twice",
           policies=SMALL),
    Mutant("tail_every_round_is_the_first", TAIL, "first = cut + round * tail.k_tiles;",
           "first = cut;", "later pieces are the first short one again", policies=SMALL),
    Mutant("tail_pieces_of_the_first_tiles", TAIL, "return {whole + turn, 0, cut};",
           "return {turn, 0, cut};", "a tile's first piece is of another tile", policies=SMALL),
    Mutant("tail_tiles_by_the_number_of_rounds", TAIL,
           "{whole + turn - round * tail.tiles, first,",
           "{whole + turn % tail.rounds, first,", "a tile's short pieces are of another tile",
           policies=SMALL),
    Mutant("tail_rounds_by_the_number_of_rounds", TAIL, "round = turn / tail.tiles",
           "round = turn / tail.rounds", "tiles and rounds exchanged", policies=SMALL),
    Mutant("tail_whole_tile_cut", TAIL, "return {turn, 0, k_tiles};", "return {turn, 0, cut};",
           "the end of a whole tile is multiplied by nobody", policies=SMALL),
    Mutant("tail_ragged_k_tile_last", TAIL, "k - index_t{k_tiles - k_tile} * block_k",
           "index_t{k_tile} * block_k", "the first k-tile is taken for a whole one",
           policies=SMALL),
    Mutant("tail_first_piece_without_the_residue", TAIL, "k_tile == 0 ? 0 :", "false ? 0 :",
           "a first piece begins before k", net="address", policies=SMALL),

    # Handing on
    Mutant("tail_turns_by_block_numbers", TAIL, "turn = atomicAdd(memory.turns, 1);",
           "turn = static_cast<int>(blockIdx.x);",
           "a piece may wait for a block that has not started", policies=SMALL),
    Mutant("tail_turn_read_before_it_is_there", TAIL,
           "turn = atomicAdd(memory.turns, 1);\n  __syncthreads();",
           "turn = atomicAdd(memory.turns, 1);", "other warps have the turn of another block",
           net="thread", policies=SMALL),
    Mutant("tail_not_waited_for", TAIL, "arch::wait_until(tile.k_tiles_done(), k_tiles);", "",
           "accumulators are read before they are there", net="thread", policies=SMALL),
    Mutant("tail_first_warp_waited_for", TAIL, "arch::wait_until(tile.k_tiles_done(), k_tiles);",
           "arch::wait_until(tile.k_tiles_done() - threadIdx.x / 32, k_tiles);",
           "a warp takes what another one has not yet left", net="thread", policies=SMALL),
    Mutant("tail_not_resumed", KERNEL, "if (piece.first > 0) resume", "if (piece.first < 0) resume",
           "every piece begins at 0", policies=SMALL),
    Mutant("tail_first_piece_resumes", KERNEL, "if (piece.first > 0) resume",
           "if (piece.last < args.k_tiles || piece.first > 0) resume",
           "a first piece goes on from nothing", policies=SMALL),
    Mutant("tail_resumes_rows_of_block_m", TAIL, "map.row(i) * V::block_n + map.col(j)",
           "map.row(i) * V::block_m + map.col(j)", "accumulators are read as rows of another length",
           policies=SMALL),
    Mutant("tail_tiles_share_their_accumulators", TAIL, "memory.accumulators + number * size",
           "memory.accumulators + 0 * size", "all tail tiles hand on in one place",
           policies=SMALL),
    Mutant("tail_tiles_share_their_progress", TAIL, "number * (V::threads / 32) +", "0 +", "a tile's progress is told as another one's",
           policies=SMALL),
    Mutant("tail_numbered_from_the_first_tile", KERNEL,
           "piece.tile - (args.m_tiles * args.n_tiles - args.tail.tiles)", "piece.tile",
           "accumulators beyond the workspace", policies=SMALL),
    Mutant("tail_accumulators_into_c", KERNEL, "hands_on ? tail_tile.accumulators() : c", "c",
           "what is handed on is written to C", policies=SMALL),
    Mutant("tail_end_handed_on", KERNEL, "piece.last < args.k_tiles", "piece.last <= args.k_tiles",
           "the last piece never writes C", policies=SMALL),
    Mutant("tail_alpha_of_what_is_handed_on", EPILOGUE, "alpha = elsewhere ? 1.0f : alpha;", "",
           "alpha once for each piece", policies=SMALL),
    Mutant("tail_alpha_left_out", EPILOGUE, "alpha = elsewhere ? 1.0f : alpha;",
           "alpha = 1.0f;", "alpha is forgotten", policies=SMALL),
    Mutant("tail_beta_of_what_is_handed_on", EPILOGUE, "beta = elsewhere ? 0.0f : beta;", "",
           "the workspace is read as C", policies=SMALL),
    Mutant("tail_not_published", KERNEL, "if (hands_on) arch::publish(", "if (!hands_on) arch::publish(",
           "the next piece waits for ever", policies=SMALL),
    Mutant("tail_publishes_where_it_began", KERNEL, "tail_tile.k_tiles_done(), piece.last)",
           "tail_tile.k_tiles_done(), piece.first)", "the next piece waits for ever",
           policies=SMALL),
    Mutant("tail_published_before_it_is_there", KERNEL,
           "f.template operator()<V::VecWidthC, Guarded>(acc, map, "
           "hands_on ? tail_tile.accumulators() : c);\n"
           "    if (hands_on) arch::publish(tail_tile.k_tiles_done(), piece.last);",
           "if (hands_on) arch::publish(tail_tile.k_tiles_done(), piece.last);\n"
           "    f.template operator()<V::VecWidthC, Guarded>(acc, map, "
           "hands_on ? tail_tile.accumulators() : c);",
           "progress is told before the accumulators are left", net="thread", policies=SMALL),
    Mutant("progress_told_by_one_lane_alone", PROGRESS,
           "__syncwarp();\n  if (threadIdx.x % 32 == 0) {", "if (threadIdx.x % 32 == 0) {",
           "one lane tells of what the others have yet to write", net="thread", policies=SMALL),
    Mutant("progress_told_by_no_lane", PROGRESS, "threadIdx.x % 32 == 0", "threadIdx.x % 32 == 32",
           "nobody tells the progress", policies=SMALL),

    # Plan and workspace
    Mutant("even_tail_of_one_wave", EVEN_TAIL, "if (tiles <= blocks) return {};",
           "if (tiles < blocks) return {};", "tiles are cut that all run at once",
           policies=SMALL),
    Mutant("even_tail_rounds_too_long", EVEN_TAIL, "static_cast<int>(short_k_tiles / rounds)",
           "static_cast<int>(short_k_tiles)", "short pieces are longer than the tile",
           policies=SMALL),
    Mutant("tail_bytes_without_progress", EVEN_TAIL, "(index_t{block_m} * block_n + warps)",
           "(index_t{block_m} * block_n)", "the progress is beyond the workspace",
           policies=SMALL),
    Mutant("plan_grid_without_short_pieces", PLAN, "tiles * plan.slices + short_pieces",
           "tiles * plan.slices + 0 * short_pieces", "nobody takes the last turns", policies=SMALL),
    Mutant("plan_tail_beyond_the_grid", PLAN, "<= max_extent - tiles ? tail", "<= max_extent ? tail",
           "more blocks than a grid holds", policies=SMALL),
    Mutant("dispatch_progress_not_cleared", DISPATCH, "= zero(progress, bytes, stream);", "= {};",
           "turns begin with what is in memory", policies=SMALL),
    Mutant("dispatch_turns_in_the_first_progress", DISPATCH, "{memory, progress, progress + 1}",
           "{memory, progress, progress}", "a warp's progress is the next turn", policies=SMALL),
    Mutant("dispatch_progress_in_the_accumulators", DISPATCH, "(memory + floats)",
           "(memory + floats - 1)", "the last accumulator is the turns", policies=SMALL),
    Mutant("dispatch_without_a_tail", DISPATCH, "if (plan.tail.tiles > 0) {",
           "if (plan.tail.tiles < 0) {", "no workspace for a tail", policies=SMALL),
)
