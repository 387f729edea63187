// What the tests of names in debug information share.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

/// What a search of `body` reports, which writes no file.
inline hocket::Report report_of(const std::function<void()>& body) {
  return hocket::explore("names", body, {.save_schedules = false});
}

/// The message of the data race or other failure of `body`.
inline std::string message_of(const std::function<void()>& body) {
  const hocket::Report report = report_of(body);
  EXPECT_FALSE(report.failures.empty());
  return report.failures.empty() ? std::string{} : report.failures[0].message;
}

/// The steps until `body` ends, which is made to fail there.
inline hocket::Schedule schedule_of(const std::function<void()>& body) {
  const hocket::Report report = report_of([&] {
    body();
    hocket::check(false, "it is enough");
  });
  EXPECT_FALSE(report.failures.empty());
  return report.failures.empty() ? hocket::Schedule{} : *report.failures[0].schedule;
}

/// What reports call the objects of these steps.
inline std::vector<std::string> objects_of(const std::function<void()>& body) {
  std::vector<std::string> objects;
  for (const auto& choice : schedule_of(body).choices)
    if (!choice.object.empty()) objects.push_back(choice.object);
  return objects;
}

/// The notes of these steps.
inline std::vector<std::string> values_of(const std::function<void()>& body) {
  std::vector<std::string> notes;
  for (const auto& choice : schedule_of(body).choices)
    notes.insert(notes.end(), choice.notes.begin(), choice.notes.end());
  return notes;
}
