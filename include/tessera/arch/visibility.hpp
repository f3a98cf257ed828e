// TESSERA_HIDDEN: not visible outside the shared library it is compiled into.
#pragma once

// Two shared libraries that use different versions of these headers, or were built for different
// chips, must not have the functions that plan and launch merged by the dynamic linker: one would
// run the other's.
#if defined(__GNUC__)
#define TESSERA_HIDDEN [[gnu::visibility("hidden")]]
#else
#define TESSERA_HIDDEN
#endif
