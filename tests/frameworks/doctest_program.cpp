#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <hocket/doctest.hpp>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#define SECTION SUBCASE

namespace {
#include "framework_program.inc"
}  // namespace
