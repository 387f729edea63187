// What the next random program of each kind shows, which numbers of the generator make.
#pragma once

#include <random>

#include "../libc/random_calls.hpp"

namespace unmodified {

namespace descriptors {
random_calls::Compared compare_random_program(std::mt19937& random);
}
namespace epoll_sets {
random_calls::Compared compare_random_program(std::mt19937& random);
}
namespace exceptions {
random_calls::Compared compare_random_program(std::mt19937& random);
}
namespace file_locks {
random_calls::Compared compare_random_program(std::mt19937& random);
}
namespace files {
random_calls::Compared compare_random_program(std::mt19937& random, random_calls::Objects objects);
}
namespace messages {
random_calls::Compared compare_random_program(std::mt19937& random);
}
namespace places {
random_calls::Compared compare_random_program(std::mt19937& random);
}
namespace regular_files {
random_calls::Compared compare_random_program(std::mt19937& random);
}
namespace rwlocks {
random_calls::Compared compare_random_program(std::mt19937& random);
}
namespace servers {
random_calls::Compared compare_random_program(std::mt19937& random);
}
namespace signals {
random_calls::Compared compare_random_program(std::mt19937& random);
}
namespace thread_ends {
random_calls::Compared compare_random_program(std::mt19937& random);
}

}  // namespace unmodified
