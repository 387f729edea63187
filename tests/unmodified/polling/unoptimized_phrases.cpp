#define HOCKET_PHRASES kUnoptimizedPhrases
#include "tests/unmodified/polling/phrases_of_any_build.hpp"
