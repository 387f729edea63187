// --hocket_all_tests: each TEST, TEST_F, TEST_P and TYPED_TEST becomes the body of a search.
#pragma once

namespace hocket::testing {

/// Has GoogleTest search its tests in place of running them, if this was asked for when they are run.
void search_all_tests_if_asked();

}  // namespace hocket::testing
