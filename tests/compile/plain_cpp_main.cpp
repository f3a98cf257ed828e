// A plain C++ program whose two units include every host header.
#include "every_host_header.hpp"  // generated

tessera::LaunchPlan plan_in_other_unit();

int main() { return plan_in_other_unit().status.ok() ? 0 : 1; }
