// Hocket in doctest: link hocket::doctest, and assertions of doctest work in bodies.
#pragma once

#include "testing.hpp"
