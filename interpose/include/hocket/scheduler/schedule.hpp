// The old name of <hocket/schedule.hpp>, kept for one version.
#pragma once

#include "../schedule.hpp"
