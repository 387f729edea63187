// The name that <hocket/schedule.hpp> had up to version 0.1.
#pragma once

#include "../schedule.hpp"
