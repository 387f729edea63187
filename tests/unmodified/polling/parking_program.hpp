// Random programs whose threads wait by what the standard library and pthreads have for it: atomics, latches,
// barriers and semaphores, some of them after they have polled for a while.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tests/unmodified/polling/polling_program.hpp"

namespace unmodified::polling {

/// Writes programs of up to five threads. In some of them a thread waits for ever, or uses a semaphore that
/// has been destroyed.
class ParkingWriter {
 public:
  explicit ParkingWriter(std::mt19937& random) : random_(random) {}

  Polling program() {
    program_ = {};
    count_downs_ = 0;
    program_.threads.resize(2 + below(kThreads - 1));
    const unsigned longest = program_.threads.size() == 2 ? 3 : program_.threads.size() == 3 ? 2 : 1;
    // With few kinds of objects, threads meet.
    const unsigned kinds[] = {below(5), below(5)};
    for (std::vector<Command>& code : program_.threads) {
      code_.clear();
      for (unsigned phrases = 1 + below(longest); phrases != 0; --phrases) phrase(kinds[below(2)]);
      code = std::move(code_);
    }
    // A latch must not be counted down too often.
    program_.latch = static_cast<std::uint8_t>(std::max(1U, count_downs_ + (below(8) == 0 ? 1 : 0)));
    for (std::uint8_t n = 0; n < kBarriers; ++n) program_.barriers[n] = participants(n);
    // More threads may come to one of pthreads than it takes to open it.
    if (program_.barriers[1] > 2 && below(2) == 0) --program_.barriers[1];
    for (std::uint8_t& permits : program_.semaphores) permits = below(2);
    return program_;
  }

 private:
  std::uint8_t below(unsigned n) { return static_cast<std::uint8_t>(random_() % n); }
  void emit(Command command) { code_.push_back(command); }

  void phrase(unsigned kind) {
    const std::uint8_t x = below(kAtomics);
    const std::uint8_t r = below(kRegisters);
    switch (kind) {
      case 0:
      case 1:
        return about_an_atomic(x, r);
      case 2:
        return about_the_latch(x, r);
      case 3:
        if (below(3) == 0) emit({Do::store, x, r, static_cast<std::uint8_t>(1 + below(2))});
        emit({Do::arrive_and_wait, below(kBarriers)});
        if (below(3) == 0) emit({Do::load, x, r});
        return;
      default:
        return about_a_semaphore(x, r);
    }
  }

  void about_an_atomic(std::uint8_t x, std::uint8_t r) {
    switch (below(8)) {
      case 0:
        emit({Do::wait, x, r, below(2)});
        emit({Do::load, static_cast<std::uint8_t>(1 - x), r});
        return;
      case 1:
      case 2:
        return poll_and_wait(x, r);
      case 3:
        emit({Do::add, x, r, 1});
        if (below(2) == 0) emit({Do::notify_one, x});
        return;
      default:
        emit({Do::store, x, r, static_cast<std::uint8_t>(below(4) == 0 ? 0 : 1 + below(2))});
        if (below(6) != 0) emit({below(2) == 0 ? Do::notify_one : Do::notify_all, x});
        return;
    }
  }

  /// Polls a few times, and waits then.
  void poll_and_wait(std::uint8_t x, std::uint8_t r) {
    const auto head = static_cast<std::uint8_t>(code_.size());
    emit({Do::load, x, r});
    const std::size_t found = code_.size();
    emit({Do::jump_unless, 0, r, 0, 0});
    emit({Do::count});
    const std::size_t gives_up = code_.size();
    emit({Do::jump_if_counted, 0, 0, 0, static_cast<std::uint8_t>(1 + below(kMostCounted))});
    if (below(2) == 0) emit({Do::yield});
    emit({Do::jump, 0, 0, 0, 0, head});
    code_[gives_up].target = static_cast<std::uint8_t>(code_.size());
    emit({Do::wait, x, r, 0});
    if (below(2) == 0) emit({Do::load, x, r});
    code_[found].target = static_cast<std::uint8_t>(code_.size());
  }

  void about_the_latch(std::uint8_t x, std::uint8_t r) {
    const unsigned kind = below(5);
    if (kind < 3) {
      if (below(3) == 0) emit({Do::store, x, r, static_cast<std::uint8_t>(1 + below(2))});
      emit({Do::count_down});
      ++count_downs_;
    }
    if (kind == 2 || kind == 3) emit({Do::wait_for_latch});
    if (kind == 4) emit({Do::try_latch, 0, r});
    if (kind >= 2 && below(2) == 0) emit({Do::load, x, static_cast<std::uint8_t>(1 - r)});
  }

  void about_a_semaphore(std::uint8_t x, std::uint8_t r) {
    const std::uint8_t s = below(kSemaphores);
    switch (below(6)) {
      case 0:
      case 1:
        emit({Do::acquire, s});
        emit({Do::add, x, r, 1});
        if (below(2) == 0) emit({Do::release, s});
        return;
      case 2:
        emit({Do::try_acquire, s, r});
        return;
      case 3:
        emit({Do::acquire, s});
        if (s == 0 && below(2) == 0) emit({Do::destroy, s});
        return;
      default:
        emit({Do::release, s});
        return;
    }
  }

  [[nodiscard]] std::uint8_t participants(std::uint8_t barrier) const {
    const auto count = std::count_if(
        program_.threads.begin(), program_.threads.end(), [barrier](const std::vector<Command>& code) {
          return std::any_of(code.begin(), code.end(),
              [barrier](const Command& c) { return c.what == Do::arrive_and_wait && c.object == barrier; });
        });
    return static_cast<std::uint8_t>(std::max<std::ptrdiff_t>(1, count));
  }

  std::mt19937& random_;
  Polling program_;
  std::vector<Command> code_;
  unsigned count_downs_ = 0;
};

}  // namespace unmodified::polling
