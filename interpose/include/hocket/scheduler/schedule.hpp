// An older name of <hocket/schedule.hpp>, which is kept for a version.
#pragma once

#include "../schedule.hpp"
