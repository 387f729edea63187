#define HOCKET_PHRASES kOptimizedPhrases
#include "tests/unmodified/polling/phrases_of_any_build.hpp"
