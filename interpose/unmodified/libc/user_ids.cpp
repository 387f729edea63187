// Calls that change who the process belongs to: glibc sends a signal to each thread of the system for them,
// and waits for threads that do not run while a body does. No later execution could undo a change.
#include <array>
#include <cerrno>

#include <grp.h>
#include <sys/types.h>
#include <unistd.h>

#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../host/refusal.hpp"

namespace hocket::unmodified {

namespace {

constexpr const char* kInstead = "do that before the search, or in a process of its own";

using Ids = std::array<unsigned, 3>;  ///< the real, the effective and the saved one

Ids user_ids() {
  Ids ids{};
  getresuid(&ids[0], &ids[1], &ids[2]);
  return ids;
}
Ids group_ids() {
  Ids ids{};
  getresgid(&ids[0], &ids[1], &ids[2]);
  return ids;
}

/// What a body's call does that asks for these identities, where -1 asks for none.
template <class... Wanted>
int change_ids(const char* function, const Ids& now, Wanted... wanted) {
  constexpr unsigned kNone = ~0U;
  const auto is_held = [&](unsigned id) {
    return id == kNone || id == now[0] || id == now[1] || id == now[2];
  };
  if (geteuid() != 0 && !(is_held(wanted) && ...)) return fail_with(EPERM);
  const bool is_same = now[0] == now[1] && now[1] == now[2] && (is_held(wanted) && ...);
  if (!is_same) refuse(function, kInstead);
  return 0;
}

int change_one(const char* function, const Ids& now, unsigned wanted) {
  return wanted == ~0U ? fail_with(EINVAL) : change_ids(function, now, wanted);
}

int change_groups(const char* function) {
  if (geteuid() != 0) return fail_with(EPERM);
  refuse(function, kInstead);
  return 0;
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

int setuid(uid_t id) noexcept {
  HOCKET_ENTRY(setuid, id);
  return change_one("setuid", user_ids(), id);
}
int seteuid(uid_t id) noexcept {
  HOCKET_ENTRY(seteuid, id);
  return change_one("seteuid", user_ids(), id);
}
int setreuid(uid_t real, uid_t effective) noexcept {
  HOCKET_ENTRY(setreuid, real, effective);
  return change_ids("setreuid", user_ids(), real, effective);
}
int setresuid(uid_t real, uid_t effective, uid_t saved) noexcept {
  HOCKET_ENTRY(setresuid, real, effective, saved);
  return change_ids("setresuid", user_ids(), real, effective, saved);
}
int setgid(gid_t id) noexcept {
  HOCKET_ENTRY(setgid, id);
  return change_one("setgid", group_ids(), id);
}
int setegid(gid_t id) noexcept {
  HOCKET_ENTRY(setegid, id);
  return change_one("setegid", group_ids(), id);
}
int setregid(gid_t real, gid_t effective) noexcept {
  HOCKET_ENTRY(setregid, real, effective);
  return change_ids("setregid", group_ids(), real, effective);
}
int setresgid(gid_t real, gid_t effective, gid_t saved) noexcept {
  HOCKET_ENTRY(setresgid, real, effective, saved);
  return change_ids("setresgid", group_ids(), real, effective, saved);
}
int setgroups(std::size_t size, const gid_t* groups) noexcept {
  HOCKET_ENTRY(setgroups, size, groups);
  return change_groups("setgroups");
}
int initgroups(const char* user, gid_t group) {
  HOCKET_ENTRY(initgroups, user, group);
  return change_groups("initgroups");
}

}  // extern "C"
