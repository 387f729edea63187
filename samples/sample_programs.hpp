// Every sample program with its bugs, for tools that run them all. The bugs need as many preemptions as those
// of the programs' models in Musuvathi and Qadeer 2007, Table 2. The file system is the exception: that table
// lists no bugs for it.
#pragma once

#include <vector>

#include "samples/ape.hpp"
#include "samples/bluetooth.hpp"
#include "samples/channel.hpp"
#include "samples/file_system.hpp"
#include "samples/sample_program.hpp"
#include "samples/transaction_manager.hpp"
#include "samples/work_stealing_queue.hpp"

namespace samples {

inline std::vector<SampleProgram> sample_programs() {
  return {bluetooth_program(), file_system_program(), work_stealing_program(3), work_stealing_program(4),
      work_stealing_program(5), transaction_manager_program(), ape_program(), channel_program()};
}

}  // namespace samples
