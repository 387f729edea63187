// Names the tests of a table after its rows.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace hocket::test {

/// For INSTANTIATE_TEST_SUITE_P, when the parameter has a member `name`.
struct RowName {
  template <class Row>
  std::string operator()(const ::testing::TestParamInfo<Row>& row) const {
    return row.param.name;
  }
};

}  // namespace hocket::test
