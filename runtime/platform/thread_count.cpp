#include "thread_count.hpp"

#include <unistd.h>

#include "files.hpp"
#include "ticker.hpp"

namespace hocket::runtime::platform {

std::size_t threads_beside(std::size_t known) {
  constexpr unsigned kTries = 5;
  constexpr useconds_t kPause = 1000;  // microseconds
  std::size_t count = 0;
  for (unsigned n = 0; n == 0 || (count != 0 && n < kTries); ++n) {
    if (n != 0) usleep(kPause);
    const std::size_t listed = names_in("/proc/self/task").size();
    const std::size_t own = known + Ticker::threads();
    count = listed > own ? listed - own : 0;
  }
  return count;
}

}  // namespace hocket::runtime::platform
