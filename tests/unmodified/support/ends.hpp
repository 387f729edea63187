// Both ends of a pipe or of a pair of sockets, which are closed when a body ends.
#pragma once

#include <array>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

class Ends {
 public:
  enum class Of { pipe, sockets };
  explicit Ends(Of what = Of::pipe) {
    check((what == Of::pipe ? ::pipe(ends_.data()) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data())) == 0);
  }
  ~Ends() {
    for (const int end : ends_)
      if (end >= 0) close(end);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  [[nodiscard]] int to_read() const { return ends_[0]; }
  [[nodiscard]] int to_write() const { return ends_[1]; }

  void close_reader() { close(std::exchange(ends_[0], -1)); }
  void close_writer() { close(std::exchange(ends_[1], -1)); }

 private:
  std::array<int, 2> ends_{};
};

inline void give(int descriptor) {
  check(write(descriptor, "x", 1) == 1, "there is room");
}
inline char take(int descriptor) {
  char byte = 0;
  check(read(descriptor, &byte, 1) == 1, "a byte comes");
  return byte;
}

}  // namespace unmodified
