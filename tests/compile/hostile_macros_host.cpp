// The host headers after macros that programs in the wild define.
#include "hostile_macros.hpp"
//
#include <tessera/host/plan.hpp>
#include <tessera/host/policy_check.hpp>
#include <tessera/version.hpp>

int main() { return tessera::LaunchPlan{}.status.ok() ? 0 : 1; }
