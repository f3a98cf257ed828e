// libFuzzer harness for validation and plan: any bytes become views and scalars. Whether a call is
// accepted must agree with the contract computed here in 128 bits; a plan must cover the matrix,
// fit the grid and never choose an access that a pointer, an ld or a line does not allow.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <tessera/host/plan.hpp>
#include <tessera/host/validate.hpp>

namespace {

using namespace tessera;
__extension__ using Wide = __int128;

constexpr index_t largest_extent = 2147483647;

// As policies have them: direct, scalar, 2 and 4 floats wide, one warp, the largest tiles, slices,
// either operand streamed, producers with a tail, with slices and without.
constexpr TileConfig configs[] = {
    {.threads = {32, 32}},
    {.threads = {32, 32}, .k_tile = {32}, .stages = {1}},
    {.threads = {1, 32}, .thread_tile = {7, 1}, .k_tile = {3}, .stages = {1}},
    {.threads = {8, 16}, .thread_tile = {8, 6}, .k_tile = {12}, .vec_width = {2}, .stages = {1}},
    {.threads = {16, 16},
     .thread_tile = {8, 8},
     .k_tile = {16},
     .vec_width = {4},
     .a_smem = {Major::mn},
     .stages = {2}},
    {.threads = {16, 32}, .thread_tile = {16, 8}, .k_tile = {4}, .vec_width = {4}, .stages = {1}},
    {.threads = {8, 8},
     .thread_tile = {6, 4},
     .k_tile = {8},
     .vec_width = {2},
     .stages = {2},
     .slices = {8}},
    {.threads = {8, 16},
     .thread_tile = {8, 4},
     .k_tile = {16},
     .vec_width = {4},
     .stages = {2},
     .slices = {32}},
    {.threads = {1, 64},
     .thread_tile = {8, 1},
     .k_tile = {32},
     .vec_width = {4},
     .stages = {3},
     .slices = {1024},
     .streamed = Streamed::b,
     .block_slices = {16}},
    {.threads = {64, 1},
     .thread_tile = {1, 1},
     .k_tile = {16},
     .vec_width = {4},
     .stages = {3},
     .slices = {1024},
     .streamed = Streamed::a,
     .block_slices = {8}},
    {.threads = {8, 32},
     .thread_tile = {16, 8},
     .k_tile = {16},
     .vec_width = {4},
     .a_smem = {Major::mn},
     .stages = {3},
     .producers = {4}},
    {.threads = {8, 32},
     .thread_tile = {16, 8},
     .k_tile = {16},
     .vec_width = {4},
     .a_smem = {Major::mn},
     .stages = {3},
     .producers = {4},
     .even_tail = {132}},
    {.threads = {16, 16},
     .thread_tile = {16, 8},
     .k_tile = {16},
     .vec_width = {4},
     .a_smem = {Major::mn},
     .stages = {3},
     .producers = {4},
     .slices = {512}},
    {.threads = {8, 8},
     .thread_tile = {1, 1},
     .k_tile = {8},
     .a_smem = {Major::mn},
     .stages = {2},
     .producers = {1},
     .even_tail = {3}},
};

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  // Zeros after the end.
  template <class T>
  T take() {
    T value{};
    const std::size_t size = sizeof(T) < left_ ? sizeof(T) : left_;
    if (size > 0) std::memcpy(&value, data_, size);
    data_ += size;
    left_ -= size;
    return value;
  }
  // A 64-bit number of any size, either sign; one near the largest extent; near 0.
  index_t take_index() {
    const auto kind = take<std::uint8_t>();
    if (kind >= 0xe0) return largest_extent + take<std::int8_t>() % 4;
    if (kind >= 0xc0) return take<std::int8_t>();
    return take<index_t>() >> (kind % 64);
  }
  // Mostly zeros of both signs and 1, which decide what a call does.
  float take_scalar() {
    constexpr float values[] = {0.0f, -0.0f, 1.0f};
    const auto kind = take<std::uint8_t>();
    return kind < 0x80 ? take<float>() : values[kind % 3];
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

// A view whose layout is a value.
struct Operand3 {
  bool row;
  index_t rows, cols, ld;
  std::uintptr_t address;

  index_t lines() const { return row ? rows : cols; }
  index_t length() const { return row ? cols : rows; }
};

struct Input {
  const TileConfig* config;
  detail::SlicePlan cut;
  float alpha, beta;
  Operand3 a, b, c;
};

// The ld at which `o` spans as many bytes as a view may, or the next one.
void set_ld_at_limit(Operand3& o, bool beyond) {
  const Wide elements = (Wide{1} << 61) - 1;
  if (o.lines() > 1)
    o.ld = static_cast<index_t>((elements - o.length()) / (o.lines() - 1)) + beyond;
}

// m and n with the largest number of tiles that fits a grid, or one row of tiles more.
void set_tiles_at_limit(const TileConfig& config, index_t n_tiles, bool beyond, index_t& m,
                        index_t& n) {
  n = n_tiles * config.block_n();
  m = (largest_extent / n_tiles + beyond) * config.block_m();
}

// Bytes become calls that are valid more often than not, and often at the limit of being so.
Input read(Bytes bytes) {
  Input in;
  in.config = &configs[bytes.take<std::uint8_t>() % (sizeof configs / sizeof configs[0])];
  const auto slices = bytes.take<std::uint8_t>();
  in.cut = {slices % 64 - 8, (slices & 0x80) != 0, slices % 13 - 1};
  const auto layouts = bytes.take<std::uint8_t>();
  const auto flags = bytes.take<std::uint8_t>();
  in.alpha = bytes.take_scalar();
  in.beta = bytes.take_scalar();
  index_t m = bytes.take_index(), n = bytes.take_index(), k = bytes.take_index();
  if ((flags & 0x0f) == 0x0f) {
    const auto n_tiles = index_t{bytes.take<std::uint16_t>()} + 1;
    set_tiles_at_limit(*in.config, n_tiles, (flags & 0x10) != 0, m, n);
  }
  in.a = {(layouts & 1) != 0, m, k, 0, 0};
  in.b = {(layouts & 2) != 0, k, n, 0, 0};
  in.c = {(layouts & 4) != 0, m, n, 0, 0};
  if ((flags & 0x60) == 0x60) {
    for (Operand3* o : {&in.a, &in.b, &in.c}) {
      o->rows = bytes.take_index();
      o->cols = bytes.take_index();
    }
  }
  for (Operand3* o : {&in.a, &in.b, &in.c}) {
    const auto kind = bytes.take<std::uint8_t>();
    o->address = bytes.take<std::uintptr_t>();
    if ((kind & 0x03) != 0) o->address &= ~std::uintptr_t{15};
    o->ld = bytes.take_index();
    if ((kind & 0x0c) != 0 && o->ld < o->length()) o->ld = o->length() + (o->length() == 0);
    if ((kind & 0x30) != 0) o->ld &= ~index_t{3};
    if ((kind & 0xc0) == 0xc0) set_ld_at_limit(*o, (kind & 1) != 0);
  }
  return in;
}

void require(bool holds, const char* what, const Input& in) {
  if (holds) return;
  std::fprintf(stderr,
               "violated: %s\nalpha %a, beta %a, slices %d%s, block tile %dx%dx%d, vec_width %d\n",
               what, static_cast<double>(in.alpha), static_cast<double>(in.beta), in.cut.wanted,
               in.cut.clusters ? " in clusters" : "", in.config->block_m(), in.config->block_n(),
               in.config->block_k(), in.config->vec_width.floats);
  const char* name = "ABC";
  for (const Operand3* o : {&in.a, &in.b, &in.c}) {
    std::fprintf(stderr, "%c: %s %lldx%lld, ld %lld, at %#llx\n", *name++, o->row ? "row" : "col",
                 o->rows, o->cols, o->ld, static_cast<unsigned long long>(o->address));
  }
  std::abort();
}

// ---- what the contract says, in 128 bits

bool has_product(const Input& in) { return in.alpha != 0.0f && in.a.cols != 0; }

bool has_valid_lines(const Operand3& o) {
  if (o.rows < 0 || o.cols < 0 || o.ld < 1 || o.ld < o.length()) return false;
  if (o.rows > largest_extent || o.cols > largest_extent) return false;
  // A view of several lines spans less than 2^63 bytes.
  return o.lines() <= 1 || ((Wide{o.lines()} - 1) * o.ld + o.length()) * 4 < Wide{1} << 63;
}

bool is_valid_pointer(const Operand3& o) { return o.address != 0 && o.address % 4 == 0; }

bool is_valid(const Input& in) {
  for (const Operand3* o : {&in.a, &in.b, &in.c}) {
    if (!has_valid_lines(*o)) return false;
  }
  if (in.a.cols != in.b.rows || in.a.rows != in.c.rows || in.b.cols != in.c.cols) return false;
  if (in.c.rows == 0 || in.c.cols == 0) return true;
  return is_valid_pointer(in.c) &&
         (!has_product(in) || (is_valid_pointer(in.a) && is_valid_pointer(in.b)));
}

// ---- what the plan says

bool covers(index_t tiles, int tile, index_t extent) {
  return tiles > 0 && Wide{tiles} * tile >= extent && (Wide{tiles} - 1) * tile < extent;
}

// Every access of `width` floats in the lines of `o` is aligned and inside or outside as a whole.
bool allows(const Operand3& o, int width) {
  const auto bytes = static_cast<std::uintptr_t>(width) * 4;
  return o.address % bytes == 0 && o.length() % width == 0 && (o.lines() <= 1 || o.ld % width == 0);
}

// `in` as it is computed: C is row-major.
void check_plan(const LaunchPlan& p, const Input& in) {
  const auto must = [&](bool holds, const char* what) { require(holds, what, in); };
  const TileConfig& config = *in.config;
  const index_t m = in.c.rows, n = in.c.cols, k = in.a.cols;
  const bool product = has_product(in);
  must(p.shape.m == m && p.shape.n == n && p.shape.k == k, "the plan's shape is the problem's");
  if (!p.status.ok()) {
    must(!p.launches, "a refused plan launches nothing");
    must(p.status == Status(Reason::size_limit, Operand::c), "only the number of tiles is refused");
    const Wide tiles = ((Wide{m} + config.block_m() - 1) / config.block_m()) *
                       ((Wide{n} + config.block_n() - 1) / config.block_n());
    must(tiles > largest_extent, "a number of tiles that fits is not refused");
    return;
  }
  const bool changes_c = m != 0 && n != 0 && (product || in.beta != 1.0f);
  must(p.launches == changes_c, "a launch exactly where C changes");
  if (!p.launches) return;

  const int of_m = config.streamed == Streamed::a ? p.block_slices : 1;
  const int of_n = config.streamed == Streamed::b ? p.block_slices : 1;
  must(covers(p.m_tiles, config.block_m() / of_m, m), "the tiles cover m, each of them needed");
  must(covers(p.n_tiles, config.block_n() / of_n, n), "the tiles cover n, each of them needed");
  must(product ? covers(p.k_tiles, config.block_k(), k) : p.k_tiles == 0, "the k-tiles cover k");
  if (product) {
    const Wide short_pieces = Wide{p.tail.tiles} * p.tail.rounds;
    must(p.grid == p.m_tiles * p.n_tiles * p.slices + short_pieces && p.grid > 0 &&
             p.grid <= largest_extent,
         "the grid fits");
    must(p.block == config.thread_count() + 32 * config.producers.warps,
         "the block is the policy's");
    const int tiles_bytes = tessera::smem_bytes(config), of_c = reduction_bytes(config);
    must(p.smem_bytes == (p.cluster && of_c > tiles_bytes ? of_c : tiles_bytes),
         "the shared memory is the policy's");
  } else {
    must(p.grid == 0 && p.block == 0 && p.smem_bytes == 0, "nothing is multiplied");
  }
  must(p.slices >= 1 && p.slices <= config.slices.max, "as many slices as the policy allows");
  must(p.slices == 1 || (p.slices <= in.cut.wanted && p.slices * p.block_slices <= p.k_tiles),
       "no more slices than are wanted or have a k-tile");
  must(p.block_slices == 1 ||
           (p.block_slices <= in.cut.block_wanted && p.block_slices <= config.block_slices.max &&
            (p.block_slices & (p.block_slices - 1)) == 0 && p.block_slices <= p.k_tiles),
       "slices of a block: a power of two, no more than wanted and allowed, each with a k-tile");
  must(p.cluster == (in.cut.clusters && config.adds_in_clusters() && p.slices > 1 && p.slices <= 8),
       "clusters where they can");
  const Tail& tail = p.tail;
  if (tail.tiles != 0) {
    const int blocks = config.even_tail.blocks;
    const Wide tiles = Wide{p.m_tiles} * p.n_tiles;
    must(product && p.slices == 1 && blocks > 0 && tiles > blocks,
         "a tail beyond a wave of a policy that has one");
    must(tail.tiles > 0 && tail.tiles <= 2 * blocks && tail.tiles <= tiles,
         "a tail of two waves at most");
    must(tail.rounds >= 1 && tail.k_tiles >= 1 && Wide{tail.rounds} * tail.k_tiles < p.k_tiles,
         "every piece of a tail has a k-tile");
  }
  const bool workspace = p.slices > 1 && !p.cluster;
  const Wide of_tail_tile = config.block_m() * config.block_n() + config.thread_count() / 32;
  const Wide bytes = workspace        ? Wide{p.slices} * m * n * 4
                     : tail.tiles > 0 ? (tail.tiles * of_tail_tile + 1) * 4
                                      : 0;
  must(p.workspace_bytes == bytes,
       "the workspace holds all sums or what is handed on, and an index_t its size");
  const bool sums = workspace || !product;
  const Wide accesses = Wide{m} * (n / p.vec_width_c);
  const Wide blocks = (accesses + 255) / 256;
  const bool many = workspace && p.slices > 12 && Wide{m} * n <= Wide{400} * p.slices;
  must(p.reduction_grid == (!sums            ? 0
                            : many           ? (Wide{m} * n + 31) / 32
                            : blocks < 65536 ? blocks
                                             : Wide{65536}),
       "a grid for the sums, and where there is no product");

  const int width = p.vec_width_c;
  const int full = config.vec_width.floats;
  if (config.streamed != Streamed::none) {
    const bool of_a = config.streamed == Streamed::a;
    const bool wide = product && allows(of_a ? in.a : in.b, full);
    must(p.vec_width_a == (of_a && wide ? full : 1) && p.vec_width_b == (!of_a && wide ? full : 1),
         "the streamed operand decides its own width, the other one is scalar");
    must(width == 1 && p.guarded, "C is scalar, and there is no exact variant");
    return;
  }
  must(width == 1 || width == full, "scalar or the policy's width");
  const int operands = p.vec_width_a;
  must(p.vec_width_b == operands, "one width for A and B");
  must(operands == width || (operands == full && product && config.has_narrow_c_variant()),
       "one width for all, or C alone is scalar");
  must(allows(in.c, width), "C allows its width");
  const bool operands_allow = !product || (allows(in.a, full) && allows(in.b, full));
  must(operands == 1 || operands_allow, "A and B allow their width");
  must(operands == full || !operands_allow || !product || !config.has_narrow_c_variant(),
       "A and B are not narrowed by C where there is a variant for it");
  const bool whole = m % config.block_m() == 0 && n % config.block_n() == 0 &&
                     (!product || k % config.block_k() == 0);
  must(p.guarded || (whole && width == full), "ragged tiles carry guards");
  must(p.guarded || config.producers.warps == 0, "with producers there is no exact variant");
  must((width == full) == (allows(in.c, full) && operands_allow),
       "the policy's width where every operand allows it");
}

template <class F>
auto with_view(const Operand3& o, const F& f) {
  auto* data = reinterpret_cast<float*>(o.address);  // never dereferenced
  if (o.row) return f(row_major(data, o.rows, o.cols, o.ld));
  return f(col_major(data, o.rows, o.cols, o.ld));
}

template <class LC>
void plan_and_check(const Input& in, MatrixView<float, LC> c) {
  with_view(in.a, [&](auto a) {
    with_view(in.b, [&](auto b) {
      const Status status = detail::validate(in.alpha, a, b, c);
      require(status.ok() == is_valid(in), "accepted exactly where the contract says", in);
      require(status.ok() == (status.operand() == Operand::none), "a refusal names an operand", in);
      require(status.message()[0] != '\0', "every status has a sentence", in);
      if (!status.ok()) return;
      // The steps of tessera::plan(): a column-major C is the transposed problem.
      if constexpr (requires(MatrixView<float, RowMajor> row) { row = c; }) {
        check_plan(detail::make_plan("fuzz", *in.config, in.alpha, a, b, in.beta, c, in.cut), in);
      } else {
        const auto flipped = [](const Operand3& o) {
          return Operand3{!o.row, o.cols, o.rows, o.ld, o.address};
        };
        const Input computed{in.config,     in.cut,        in.alpha,     in.beta,
                             flipped(in.b), flipped(in.a), flipped(in.c)};
        check_plan(detail::make_plan("fuzz", *in.config, in.alpha, transposed(b), transposed(a),
                                     in.beta, transposed(c), in.cut),
                   computed);
      }
    });
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Input in = read(Bytes(data, size));
  with_view(in.c, [&](auto c) { plan_and_check(in, c); });
  return 0;
}
