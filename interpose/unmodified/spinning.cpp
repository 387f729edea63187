#include <hocket/interpose/unmodified/spinning.hpp>

namespace hocket::unmodified {

constinit std::array<Looks, runtime::kMaxThreads> all_looks{};

}  // namespace hocket::unmodified
