// How the tests of a table are called: as its rows.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace hocket::test {

/// For INSTANTIATE_TEST_SUITE_P, where the parameter has a `name`.
struct RowName {
  template <class Row>
  std::string operator()(const ::testing::TestParamInfo<Row>& row) const {
    return row.param.name;
  }
};

}  // namespace hocket::test
