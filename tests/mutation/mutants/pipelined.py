"""Mutants of mainloop/pipelined.cuh and tile/tile_copier.cuh.

Not here, because they change no result: the order in which producers bring A and B, and the wait at
their end (the emulator, like the hardware, finishes the copies of a thread that has returned).
"""

from .mutant import Mutant

PIPELINED = "mainloop/pipelined.cuh"
COPIER = "tile/tile_copier.cuh"
MAP = "thread/thread_map.cuh"
PLAN = "host/plan.hpp"
SMALL = ("small_pipelined",)

MUTANTS = (
    # Barriers
    Mutant("pipelined_no_wait_for_the_first_tile", PIPELINED, "smem.full[0].wait(0);", "",
           "the first k-tile is read before it is there", policies=SMALL),
    Mutant("pipelined_no_wait_for_full", PIPELINED,
           "if (--left > 0) smem.full[cursor.stage].wait(cursor.parity);", "--left;",
           "a k-tile is read before it is there", policies=SMALL),
    Mutant("pipelined_no_wait_for_empty", PIPELINED,
           "smem.empty[cursor.stage].wait(cursor.parity ^ 1);", "",
           "a stage is filled while others still read it", policies=SMALL),
    Mutant("pipelined_no_syncwarp_before_empty", PIPELINED,
           "__syncwarp();  // all lanes have read the stage", "",
           "one lane gives a stage away that the others still read", net="thread",
           policies=SMALL),
    Mutant("pipelined_empty_before_the_last_fragments", PIPELINED,
           "if (k + 1 == block_k) {\n          __syncwarp();  // all lanes have read the stage\n"
           "          if (threadIdx.x % 32 == 0) smem.empty[cursor.stage].arrive();",
           "if (k + 2 == block_k) {\n"
           "          if (threadIdx.x % 32 == 0) smem.empty[cursor.stage].arrive();\n        }\n"
           "        if (k + 1 == block_k) {",
           "a stage is given away before its last k-step is read", net="thread",
           policies=SMALL),
    Mutant("pipelined_no_arrival_at_empty", PIPELINED,
           "if (threadIdx.x % 32 == 0) smem.empty[cursor.stage].arrive();", "",
           "the producers wait for ever", policies=SMALL),
    Mutant("pipelined_every_lane_arrives_at_empty", PIPELINED,
           "if (threadIdx.x % 32 == 0) smem.empty", "smem.empty",
           "32 arrivals of a warp where one is counted", policies=SMALL),
    Mutant("pipelined_empty_counts_threads", PIPELINED, "init(consumers / 32)",
           "init(consumers)", "one arrival of a warp where 32 are counted", policies=SMALL),
    Mutant("pipelined_full_counts_one_too_few", PIPELINED, "init(producers)",
           "init(producers - 1)", "a k-tile counts as there before its last copies are",
           policies=SMALL),
    Mutant("pipelined_full_by_the_other_parity", PIPELINED, ".wait(cursor.parity);",
           ".wait(cursor.parity ^ 1);", "the phase before is waited for", policies=SMALL),
    Mutant("pipelined_empty_by_the_other_parity", PIPELINED, ".wait(cursor.parity ^ 1);",
           ".wait(cursor.parity);", "a phase is waited for that nobody ends", policies=SMALL),
    Mutant("pipelined_parity_never_flips", PIPELINED, "stage = 0, parity ^= 1", "stage = 0",
           "the second round over the stages waits for the first one's phases",
           policies=SMALL),
    Mutant("pipelined_arrives_before_the_copies", PIPELINED, "arrive_after_copies()",
           "arrive()", "a k-tile counts as there while its copies travel", policies=SMALL),
    Mutant("pipelined_first_tile_not_waited_for", PIPELINED,
           "arch::wait_for_copies();\n    smem.full[0].arrive();", "smem.full[0].arrive();",
           "the first k-tile counts as there while its copies travel", policies=SMALL),
    Mutant("pipelined_copies_beside_registers_not_waited_for", PIPELINED,
           "arch::wait_for_copies();\n        smem.full[cursor.stage]", "smem.full[cursor.stage]",
           "of two operands, one through registers, the other one's copies still travel",
           policies=SMALL),
    Mutant("pipelined_barriers_made_without_a_barrier", PIPELINED, "__syncthreads();", "",
           "a barrier is used before it is made", policies=SMALL),

    # k-tiles
    Mutant("pipelined_first_tile_whole", PIPELINED, "copy_first(stage[0], k_extent,",
           "copy_first(stage[0], block_k,", "the residue of k is taken for a whole k-tile",
           policies=SMALL),
    Mutant("pipelined_residue_one_too_short", PIPELINED, "(k_tiles - 1) * block_k;",
           "(k_tiles - 1) * block_k - 1;", "the first k-tile lacks an element, of another tile",
           policies=SMALL),
    Mutant("pipelined_steps_a_whole_first_tile", PIPELINED, "copier.next(k_extent);",
           "copier.next();", "elements after the residue are left out", policies=SMALL),
    Mutant("pipelined_every_tile_is_the_second", PIPELINED, "copier.next();", "",
           "k-tiles do not advance", policies=SMALL),
    Mutant("pipelined_one_tile_too_few", PIPELINED, "while (left > 0)", "while (left > 1)",
           "the last k-tile is not multiplied", policies=SMALL),
    Mutant("pipelined_prefetch_of_the_same_k_step", PIPELINED, "load_fragments(k + 1);",
           "load_fragments(k);", "the fragments in flight are those already there",
           policies=SMALL),
    Mutant("pipelined_multiplies_the_next_fragment", PIPELINED, "frag_b[k % 2][0]",
           "frag_b[(k + 1) % 2][0]", "A of one k-step meets B of the next", policies=SMALL),
    Mutant("pipelined_stays_in_its_stage", PIPELINED,
           "cursor.next();\n          if (--left", "if (--left",
           "consumers never leave the first stage", policies=SMALL),

    # TileCopier
    Mutant("copier_clamp_off_by_one", COPIER, "last_(tile.mn_left - width_mn)",
           "last_(tile.mn_left)", "a line or an access beyond the operand is read",
           net="address", policies=SMALL),
    Mutant("copier_no_clamp", COPIER, "return Guarded && mn > last_ ? last_ : mn;",
           "return last_ < 0 ? 0 : mn;", "lines beyond the operand are read", net="address",
           policies=SMALL),
    Mutant("copier_steps_beyond_the_last_line", COPIER,
           "if (!Guarded || mn_ + i + mn_step <= last_) source += step;", "source += step;",
           "lines beyond a k-major operand are read", net="address", policies=SMALL),
    Mutant("copier_last_line_repeats_the_one_before", COPIER, "mn_ + i + mn_step <= last_",
           "mn_ + i + mn_step < last_", "the last line inside is not read", policies=SMALL),
    Mutant("copier_no_padding", COPIER, "if (k < k_extent) {", "if (k < KExtent) {",
           "beyond the residue stand the elements of the next k-tile", policies=SMALL),
    Mutant("copier_padding_off_by_one", COPIER, "if (k < k_extent) {", "if (k <= k_extent) {",
           "one element beyond the residue is copied", policies=SMALL),
    Mutant("copier_padding_of_the_first_float", COPIER, "reg[i] = padding",
           "reg[i] = i == 0 ? padding : 1.0f", "the rest of an access is not padded",
           policies=SMALL),
    Mutant("copier_padding_is_plus_zero", COPIER, "reg[i] = padding", "reg[i] = 0.0f",
           "the padding's product +0 turns an accumulator of -0 to +0", policies=SMALL),
    Mutant("copier_first_place_missing", COPIER, "inside(mn_) * ld_ + k_ :", "inside(mn_) * ld_ :",
           "every thread of a line reads its beginning", policies=SMALL),
    Mutant("copier_first_line_in_32_bits", COPIER, "inside(mn_) * ld_ + k_",
           "inside(mn_) * static_cast<int>(ld_) + k_", "a far line's offset wraps",
           policies=SMALL),
    Mutant("copier_step_along_the_other_mode", COPIER, "(along == Major::k ? mn_step : k_step)",
           "(along == Major::k ? k_step : mn_step)", "lines apart by the other mode's step",
           policies=SMALL),
    Mutant("copier_next_offset_in_32_bits", COPIER, "k_extent * ld_",
           "k_extent * static_cast<int>(ld_)", "a far k-tile's offset wraps", policies=SMALL),
    Mutant("copier_accesses_not_apart", COPIER, "inside(mn_ + i) - inside(mn_)", "0",
           "every access of a line reads the first one's place", policies=SMALL),
    Mutant("copier_store_of_the_line_before", COPIER, "Smem::index(mn, k)",
           "Smem::index(mn, k ^ 1)",
           "neighbouring lines exchanged at the copy", policies=SMALL),

    # What the mainloop asks of others
    Mutant("map_m_first_as_n_first", MAP, "(m_first ? lane / lanes_m : lane % lanes_n)",
           "(m_first ? lane % lanes_m : lane % lanes_n)", "columns of C owned by nobody",
           policies=SMALL),
    Mutant("plan_exact_variant_of_producers", PLAN, "|| !config.has_exact_variant()", "",
           "the plan says exact where only guarded is compiled", policies=SMALL),
    Mutant("plan_block_without_producers", PLAN, "plan.block = config.block_threads()",
           "plan.block = config.thread_count()", "no producer is launched", policies=SMALL),
)
