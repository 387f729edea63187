// What the tests of names in debug information share.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include <hocket/hocket.hpp>

/// The message of the data race or other failure of `body`.
inline std::string message_of(const std::function<void()>& body) {
  hocket::Options options;
  options.save_schedules = false;
  const hocket::Report report = hocket::explore("names", body, options);
  EXPECT_FALSE(report.failures.empty());
  return report.failures.empty() ? std::string{} : report.failures[0].message;
}
