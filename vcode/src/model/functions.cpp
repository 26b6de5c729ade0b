// Functions of this file, not inline ones.
#define VC_FUNCTION_IS
#include "vcode/functions.h"

#include "vcode/lanes/function_bodies.h"
