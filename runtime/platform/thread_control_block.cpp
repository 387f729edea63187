#include "thread_control_block.hpp"

#if defined(__x86_64__) && defined(__linux__)

#include <elf.h>
#include <sys/auxv.h>

namespace hocket::runtime::platform {

// Not in the header, where getauxval() would be called from programs that may have something else of that
// name.
const bool can_write_fs_base = (getauxval(AT_HWCAP2) & 2U) != 0;

}  // namespace hocket::runtime::platform

#endif
