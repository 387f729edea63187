// What a child process has found out about a test, as text for its parent.
#pragma once

#include <string>

#include "existing_tests.hpp"

namespace hocket {

/// All that is known of the test except its name.
std::string to_record(const ExistingTest& test);
std::string record_of_error(const std::string& what);

/// Reads what to_record() has written. Throws std::runtime_error with the text of record_of_error().
void read_record(const std::string& record, ExistingTest& test);

}  // namespace hocket
