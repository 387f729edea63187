// Code in C++14 and C++17 cannot include the headers of the library, which are C++20. What it calls has the
// same names, but is in a namespace of its own, because one program may consist of files in several
// standards.
#pragma once

#if __cplusplus < 202002L
#define HOCKET_OLDER inline
#else
#define HOCKET_OLDER  // in the library itself the names are taken
#endif
