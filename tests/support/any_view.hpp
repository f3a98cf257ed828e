// AnyView: a MatrixView whose layout is a value.
#pragma once

#include <tessera/matrix_view.hpp>

namespace tessera::support {

enum class Layout : char { row = 'R', col = 'C' };

template <class Element>
struct AnyView {
  Element* data;
  index_t rows, cols, ld;
  Layout layout;
};

}  // namespace tessera::support
