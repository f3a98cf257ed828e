#include "refusal.hpp"

#include <algorithm>
#include <limits>

namespace tessera::differential {

namespace {

using support::AnyView;
using support::Layout;
using support::Problem;

constexpr index_t largest_extent = 2147483647;

bool is_possible(const Problem& p, Reason reason, Operand operand) {
  const bool writes = p.m != 0 && p.n != 0;
  switch (reason) {
    case Reason::shape_mismatch:  // always with A, which is never the one to blame
      return operand != Operand::a;
    case Reason::size_limit:  // C's extents are those of A and B, so only its ld can be to blame
      return operand != Operand::c || (p.c.at.layout == Layout::row ? p.m : p.n) > 1;
    case Reason::null_pointer:
    case Reason::misaligned_pointer:
      return writes && (operand == Operand::c || p.has_product());
    default:
      return true;
  }
}

template <class T>
index_t& contiguous_extent(AnyView<T>& view) {
  return view.layout == Layout::row ? view.cols : view.rows;
}

template <class T>
void make_ld_valid(AnyView<T>& view) {
  view.ld = std::max(view.ld, contiguous_extent(view));
}

void make_ld_valid(Views& v) {
  make_ld_valid(v.a);
  make_ld_valid(v.b);
  make_ld_valid(v.c);
}

// Another number of at least 0.
index_t other_than(index_t extent, Random& random) {
  return extent > 0 && random.chance(1, 2) ? random.below(extent) : extent + random.between(1, 9);
}

template <class T>
void make_negative(AnyView<T>& view, Random& random) {
  const index_t negative = random.pick({-random.between(1, 9), std::numeric_limits<index_t>::min(),
                                        -largest_extent - random.between(1, 3)});
  (random.chance(1, 2) ? view.rows : view.cols) = negative;
}

template <class T>
void make_ld_invalid(AnyView<T>& view, Random& random) {
  const index_t minimum = std::max(index_t{1}, contiguous_extent(view));
  view.ld = random.pick({minimum - 1, random.below(minimum), -random.between(1, 1000), -minimum,
                         std::numeric_limits<index_t>::min()});
}

// Found by comparing with A's cols (blames B) or with A's rows and B's cols (blames C).
void mismatch(Views& v, Operand operand, Random& random) {
  const auto change = [&](index_t& extent) { extent = other_than(extent, random); };
  if (operand == Operand::b) {
    change(random.chance(1, 2) ? v.a.cols : v.b.rows);
  } else {
    change(*random.pick({&v.a.rows, &v.b.cols, &v.c.rows, &v.c.cols}));
  }
  make_ld_valid(v);
}

// An extent beyond the limit in both matrices that have it: the first of them is to blame.
void exceed_extent(Views& v, Operand operand, Random& random) {
  const index_t huge = largest_extent + random.pick({index_t{1}, index_t{1} << 32});
  if (operand == Operand::b) {
    v.b.cols = v.c.cols = huge;
  } else if (random.chance(1, 2)) {
    v.a.rows = v.c.rows = huge;
  } else {
    v.a.cols = v.b.rows = huge;
  }
  make_ld_valid(v);
}

template <class T>
void exceed_limit(Views& v, AnyView<T>& view, Operand operand, Random& random) {
  const index_t lines = view.layout == Layout::row ? view.rows : view.cols;
  if (operand == Operand::c || (lines > 1 && random.chance(1, 2))) {
    view.ld = std::numeric_limits<index_t>::max() / random.pick({1, 2, 3});
  } else {
    exceed_extent(v, operand, random);
  }
}

template <class T>
void misalign(AnyView<T>& view, Random& random) {
  view.data = reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(view.data) +
                                   static_cast<std::uintptr_t>(random.between(1, 3)));
}

// 2^42 tiles of 128 x 128, the largest there are; the matrices span less than 2^63 bytes.
void exceed_grid(Views& v) {
  v.a.rows = v.c.rows = v.b.cols = v.c.cols = index_t{1} << 28;
  make_ld_valid(v);
}

}  // namespace

Refusal draw_refusal(Random& random, const Problem& p) {
  const bool launches = p.m != 0 && p.n != 0 && (p.has_product() || p.beta != 1.0f);
  if (launches && random.chance(1, 12)) return {{Reason::size_limit, Operand::c}, true, 0};
  for (;;) {
    const Operand operand = random.pick({Operand::a, Operand::b, Operand::c});
    const Reason reason =
        random.pick({Reason::negative_size, Reason::invalid_ld, Reason::shape_mismatch,
                     Reason::size_limit, Reason::null_pointer, Reason::misaligned_pointer});
    if (is_possible(p, reason, operand)) return {{reason, operand}, false, random.bits()};
  }
}

void spoil(Views& v, const Refusal& refusal) {
  if (refusal.beyond_grid) {
    exceed_grid(v);
    return;
  }
  Random random(refusal.seed);
  const Operand operand = refusal.status.operand();
  const auto spoil_operand = [&](auto& view) {
    switch (refusal.status.reason()) {
      case Reason::negative_size:
        return make_negative(view, random);
      case Reason::invalid_ld:
        return make_ld_invalid(view, random);
      case Reason::shape_mismatch:
        return mismatch(v, operand, random);
      case Reason::size_limit:
        return exceed_limit(v, view, operand, random);
      case Reason::null_pointer:
        view.data = nullptr;
        return;
      case Reason::misaligned_pointer:
        return misalign(view, random);
      default:
        return;
    }
  };
  if (operand == Operand::a) {
    spoil_operand(v.a);
  } else if (operand == Operand::b) {
    spoil_operand(v.b);
  } else {
    spoil_operand(v.c);
  }
}

}  // namespace tessera::differential
