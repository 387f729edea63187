// Hocket in Catch2: link hocket::catch2, and assertions of Catch2 work in bodies.
#pragma once

#include "testing.hpp"
