// The host API from plain C++: a view, a check, a plan's text.
#include <iostream>
#include <tessera/host/plan.hpp>
#include <tessera/host/validate.hpp>

int main() {
  float data[6] = {};
  const auto view = tessera::row_major(data, 2, 3);
  const tessera::Status status =
      tessera::detail::validate(1.0f, view, transposed(view), tessera::row_major(data, 2, 2));
  std::cout << status.message() << ", " << tessera::LaunchPlan{} << '\n';
  return status.ok() ? 0 : 1;
}
