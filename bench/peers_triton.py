"""Triton's matrix product in FP32 arithmetic and in three TF32 products: tiled, autotuned, block
tiles rasterised in groups of rows so that the L2 serves neighbours (the order of the tutorial that
comes with Triton)."""

import triton
import triton.language as tl


@triton.jit
def _product_kernel(a, b, c, m, n, k, ld_a, ld_b, ld_c, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
                    PRECISION: tl.constexpr, EXACT_K: tl.constexpr):
    # Tiles are numbered down a group of GROUP rows of tiles before the next column of tiles.
    number = tl.program_id(0)
    m_tiles, n_tiles = tl.cdiv(m, BLOCK_M), tl.cdiv(n, BLOCK_N)
    of_group = GROUP * n_tiles
    first_row = number // of_group * GROUP
    rows = min(m_tiles - first_row, GROUP)
    m_tile = first_row + number % of_group % rows
    n_tile = number % of_group // rows

    line_m = m_tile * BLOCK_M + tl.arange(0, BLOCK_M)
    line_n = n_tile * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    # Lines beyond the matrix read the first ones again; they are not stored.
    from_a = a + (line_m % m).to(tl.int64)[:, None] * ld_a + step[None, :]
    from_b = b + step.to(tl.int64)[:, None] * ld_b + (line_n % n)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first_k in range(0, k, BLOCK_K):
        if EXACT_K:
            tile_a, tile_b = tl.load(from_a), tl.load(from_b)
        else:
            left = k - first_k
            tile_a = tl.load(from_a, mask=step[None, :] < left, other=0.0)
            tile_b = tl.load(from_b, mask=step[:, None] < left, other=0.0)
        acc = tl.dot(tile_a, tile_b, acc, input_precision=PRECISION)
        from_a += BLOCK_K
        from_b += BLOCK_K * ld_b
    inside = (line_m[:, None] < m) & (line_n[None, :] < n)
    tl.store(c + line_m.to(tl.int64)[:, None] * ld_c + line_n[None, :], acc, mask=inside)


def _config(block_m, block_n, block_k, warps, stages):
    return triton.Config({"BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k, "GROUP": 8},
                         num_warps=warps, num_stages=stages)


CONFIGS = {
    "ieee": [_config(128, 128, 16, 8, 2), _config(128, 128, 16, 8, 3), _config(128, 128, 32, 8, 2),
             _config(128, 64, 16, 4, 3), _config(64, 128, 16, 4, 3), _config(128, 256, 16, 8, 2),
             _config(64, 64, 16, 4, 3), _config(64, 32, 32, 4, 3), _config(32, 32, 32, 2, 4)],
    "tf32x3": [_config(128, 128, 32, 8, 3), _config(128, 128, 32, 4, 3),
               _config(128, 128, 16, 8, 4), _config(128, 256, 32, 8, 3),
               _config(128, 64, 32, 4, 4), _config(64, 128, 32, 4, 4), _config(64, 64, 32, 4, 4),
               _config(64, 32, 64, 4, 3)],
}


class TritonProduct:
    def __init__(self, precision):
        self.precision = precision
        self.kernel = triton.autotune(CONFIGS[precision], key=["m", "n", "k"])(_product_kernel)

    def __call__(self, a, b, c):
        (m, k), n = a.shape, b.shape[1]

        def grid(meta):
            return (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)

        # All block tiles' k extents divide 64.
        self.kernel[grid](a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0),
                          PRECISION=self.precision, EXACT_K=k % 64 == 0)

    def best(self):
        return str(self.kernel.best_config)


PEERS = {"triton_fp32": TritonProduct("ieee"), "triton_tf32x3": TritonProduct("tf32x3")}


def best_config(peer):
    """What the autotuner chose for the last product."""
    return PEERS[peer].best()
