#include "start_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace hocket {

StartFolder::StartFolder() : descriptor_(-1) {
  constexpr int kOutOfTheWay = 100;  // bodies may count on getting the least number that is free
  const int opened = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  descriptor_ = fcntl(opened, F_DUPFD_CLOEXEC, kOutOfTheWay);
  close(opened);
}

StartFolder::~StartFolder() {
  go_back();
  if (descriptor_ >= 0) close(descriptor_);
}

void StartFolder::go_back() const {
  if (descriptor_ >= 0) static_cast<void>(!fchdir(descriptor_));
}

}  // namespace hocket
