#include "leak_roots.hpp"

#include <algorithm>

#include <link.h>

#include "../../../runtime/execution/execution.hpp"
#include "../host/control_blocks.hpp"
#include "../host/logical_threads.hpp"
#include "../memory/outer_heap.hpp"
#include "own_data.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;
using Visit = std::function<void(std::uintptr_t, std::uintptr_t)>;

void visit_without_own(std::uintptr_t begin, std::uintptr_t end, const Visit& visit) {
  for (const AddressRange& hole : own_data()) {
    if (hole.begin == hole.end || hole.end <= begin || hole.begin >= end) continue;
    if (hole.begin > begin) visit_without_own(begin, hole.begin, visit);
    begin = std::min(end, hole.end);
  }
  if (begin < end) visit(begin, end);
}

int visit_data(dl_phdr_info* object, std::size_t /*size*/, void* visit) {
  for (std::size_t n = 0; n < object->dlpi_phnum; ++n) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[n];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    visit_without_own(begin, begin + segment.p_memsz, *static_cast<const Visit*>(visit));
  }
  return 0;
}

}  // namespace

void for_each_root_of_blocks(const Visit& visit) {
  dl_iterate_phdr(&visit_data, const_cast<Visit*>(&visit));
  visit(OuterHeap::kBegin, outer_heap().used_end());
  for (unsigned t = 0; t < execution.thread_count(); ++t) {
    const runtime::Thread& thread = execution.thread(t);
    const bool has_ended = thread.state == runtime::Thread::State::ended;
    if (!has_ended || t == 0) for_each_image(t, visit);
    if (has_ended) continue;
    visit(
        reinterpret_cast<std::uintptr_t>(thread.context), reinterpret_cast<std::uintptr_t>(thread.stack.top));
    const std::vector<void*>& values = logical_thread(t).values;
    const auto begin = reinterpret_cast<std::uintptr_t>(values.data());
    visit(begin, begin + values.size() * sizeof(void*));
  }
}

}  // namespace hocket::unmodified
