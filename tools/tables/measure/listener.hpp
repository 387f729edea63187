// An observer whose derived classes override only the events that they need.
#pragma once

#include <cstdint>

#include "runtime/objects/observer.hpp"

namespace measure {

class Listener : public hocket::runtime::Observer {
 public:
  void begin(const hocket::runtime::Thread&) override {}
  void created(const hocket::runtime::Thread&) override {}
  void started(const hocket::runtime::Thread&) override {}
  void joined(const hocket::runtime::Thread&, const hocket::runtime::Thread&) override {}
  void stopped(const hocket::runtime::Thread&, bool) override {}
  void chose_thread(const hocket::runtime::Thread&, hocket::runtime::Mode) override {}
  void met_values(
      const hocket::runtime::Thread&, hocket::runtime::Operation, std::uint32_t, std::uint16_t) override {}
  void chose_value(const hocket::runtime::Thread&, std::uint32_t) override {}
  void acted(const hocket::runtime::Object&, hocket::runtime::Access) override {}
  void over(bool) override {}
  void woke(const hocket::runtime::Thread&) override {}
};

}  // namespace measure
