// Schedule files, for programs that read them.
#pragma once

#include "../../../scheduler/schedules/schedule.hpp"
