// The second unit of a plain C++ program.
#include "every_host_header.hpp"  // generated

tessera::LaunchPlan plan_in_other_unit() {
  const auto view = tessera::row_major(static_cast<float*>(nullptr), 0, 0);
  return tessera::detail::make_plan("none", {}, 1.0f, view, view, 0.0f, view);
}
