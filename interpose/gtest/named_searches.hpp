// The searches that HOCKET_TEST and HOCKET_MODEL_TEST define.
#pragma once

namespace hocket::testing {

/// Whether the program has any.
bool has_named_search();

}  // namespace hocket::testing
