"""Mutants of the products of C's rim.

Not here, because they change no result: which rim is chosen, and whether a rim is scaled by itself
where there is no product (gemm/automatic_test.cu holds both).
"""

from .mutant import Mutant

SELECTION = "host/selection.cuh"
SMALL = ("small_rim",)

MUTANTS = (
    Mutant("rim_rows_of_a_are_the_first", SELECTION, "part_of(a, m, 0, rim.rows, k)",
           "part_of(a, 0, 0, rim.rows, k)", "the last rows of C are the first rows' product",
           policies=SMALL),
    Mutant("rim_rows_of_c_are_the_first", SELECTION, "part_of(c, m, 0, rim.rows, c.cols)",
           "part_of(c, 0, 0, rim.rows, c.cols)", "the rim's rows are written over the first ones",
           policies=SMALL),
    Mutant("rim_corner_left_out", SELECTION, "part_of(c, m, 0, rim.rows, c.cols)",
           "part_of(c, m, 0, rim.rows, n)", "nobody multiplies the corner", policies=SMALL),
    Mutant("rim_columns_of_b_are_the_first", SELECTION, "part_of(b, 0, n, k, rim.cols)",
           "part_of(b, 0, 0, k, rim.cols)", "the last columns of C are the first columns' product",
           policies=SMALL),
    Mutant("rim_columns_of_c_are_the_first", SELECTION, "part_of(c, 0, n, m, rim.cols)",
           "part_of(c, 0, 0, m, rim.cols)", "the rim's columns are written over the first ones",
           policies=SMALL),
    Mutant("rim_part_ignores_layout", SELECTION, "view.data + row + col * view.ld",
           "view.data + row * view.ld + col", "column-major parts begin elsewhere",
           policies=SMALL),
    Mutant("rim_multiplied_twice", SELECTION, "part_of(out, 0, 0, m, n)", "out",
           "the rest of C is all of C", policies=SMALL),
    Mutant("rim_not_cut_as_planned", SELECTION, "{rim.slices, Clusters, rim.block_slices}",
           "{1, Clusters, 1}", "the plan says slices that are not made", policies=SMALL),
    Mutant("rim_not_launched", SELECTION, "if (!status.ok()) return;", "return;",
           "the rim keeps what C was", policies=SMALL),
)
