// <unistd.h> with a name of the GNU C library; sysconf() answers that it does not know the size.
#pragma once

#include_next <unistd.h>

#define _SC_LEVEL3_CACHE_SIZE (-1)
