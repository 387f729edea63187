#include "address_translator.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>

#include <unistd.h>

namespace hocket::runtime::platform {

namespace {

constexpr int kMostMilliseconds = 30'000;  ///< for one answer: the first one reads all the debug information

}  // namespace

std::vector<AddressTranslator::Line> AddressTranslator::translate(std::uintptr_t address) {
  if (addr2line_.owner() != getpid())
    start();  // for the first time, or after a fork: parent and child must not share answers
  if (unavailable_) return {};
  // With -a every answer begins with its address. Address 0 marks the end of the answer before it.
  std::array<char, 32> question;
  const int size =
      std::snprintf(question.data(), question.size(), "%llx\n0\n", static_cast<unsigned long long>(address));
  std::vector<Line> answer;
  bool is_place = false;  // each function is followed by its place
  if (!addr2line_.send({question.data(), static_cast<std::size_t>(size)})) {
    stop();
    return {};
  }
  for (bool is_last = false;;) {
    std::string line;
    if (!receive_line(line)) {
      stop();
      return {};
    }
    if (line.empty()) continue;
    if (is_last) {  // of address 0, too, the answer is a function and a place
      if (is_place) return answer;
      is_place = true;
      continue;
    }
    if (line.starts_with("0x") && line.find_first_not_of("0123456789abcdef", 2) == std::string::npos) {
      is_last = line.find_first_not_of('0', 2) == std::string::npos;
    } else if (std::exchange(is_place, !is_place)) {
      answer.back().place = std::move(line);
    } else {
      answer.push_back({std::move(line), {}});
    }
  }
}

void AddressTranslator::pause() {
  if (!addr2line_.is_running() || addr2line_.owner() != getpid()) return;
  addr2line_.stop();
  addr2line_ = {};
  unavailable_ = false;
}

void AddressTranslator::stop() {
  unavailable_ = true;
  addr2line_.stop();
}

void AddressTranslator::start() {
  received_.clear();
  unavailable_ = !addr2line_.start("-aifC", file_.c_str());
}

bool AddressTranslator::receive_line(std::string& line) {
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      line.assign(received_, 0, end);
      received_.erase(0, end + 1);
      return true;
    }
    std::array<char, 512> part;
    const std::size_t size = addr2line_.receive(part, kMostMilliseconds);
    if (size == 0) return false;
    received_.append(part.data(), size);
  }
}

}  // namespace hocket::runtime::platform
