#include "loaded_images.hpp"

#include <algorithm>
#include <deque>
#include <string_view>

#include <link.h>

namespace hocket::runtime::platform {

namespace {

Image image_of(const dl_phdr_info& object) {
  Image image{object.dlpi_name, object.dlpi_addr, ~std::uintptr_t{0}, 0};
  for (unsigned n = 0; n < object.dlpi_phnum; ++n) {
    const auto& segment = object.dlpi_phdr[n];
    if (segment.p_type != PT_LOAD) continue;
    image.begin = std::min<std::uintptr_t>(image.begin, image.base + segment.p_vaddr);
    image.end = std::max<std::uintptr_t>(image.end, image.base + segment.p_vaddr + segment.p_memsz);
  }
  return image;
}

bool is_of_system(std::string_view file) {
  constexpr std::string_view kFolders[] = {"/lib/", "/lib64/", "/usr/"};
  return file.find('/') == std::string_view::npos ||  // linux-vdso.so.1
         std::any_of(std::begin(kFolders), std::end(kFolders),
             [file](std::string_view folder) { return file.starts_with(folder); });
}

struct Libraries {
  std::deque<Image> images;
  unsigned long long loads =
      0;  ///< number of loads that the loader had counted when the images were looked up
};

/// Adds the libraries that have been loaded since the last call.
int add_libraries(dl_phdr_info* object, std::size_t /*size*/, void* argument) {
  Libraries& known = *static_cast<Libraries*>(argument);
  const bool is_main_program = object->dlpi_name[0] == '\0';
  if (is_main_program) {
    if (known.loads == object->dlpi_adds) return 1;
    known.loads = object->dlpi_adds;
    return 0;
  }
  if (is_of_system(object->dlpi_name)) return 0;
  const Image image = image_of(*object);
  const bool is_known = std::any_of(known.images.begin(), known.images.end(),
      [&](const Image& other) { return other.begin == image.begin && other.file == image.file; });
  if (!is_known) known.images.push_front(image);  // in front of any unloaded one at the same place
  return 0;
}

struct Sought {
  std::uintptr_t address;
  bool is_found = false;
};

int look_in(dl_phdr_info* object, std::size_t /*size*/, void* argument) {
  Sought& sought = *static_cast<Sought*>(argument);
  const std::uintptr_t in_object = sought.address - object->dlpi_addr;
  const auto* const end = object->dlpi_phdr + object->dlpi_phnum;
  const bool is_here = std::any_of(object->dlpi_phdr, end, [in_object](const auto& segment) {
    return segment.p_type == PT_LOAD && in_object - segment.p_vaddr < segment.p_memsz;
  });
  if (!is_here) return 0;
  const bool is_main_program = object->dlpi_name[0] == '\0';
  sought.is_found = is_main_program || !is_of_system(object->dlpi_name);
  return 1;
}

}  // namespace

bool is_in_image(std::uintptr_t address) {
  Sought sought{address};
  dl_iterate_phdr(&look_in, &sought);
  return sought.is_found;
}

const Image& main_program() {
  static const auto* const image = [] {
    auto* const found = new Image;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* argument) {
          *static_cast<Image*>(argument) = image_of(*object);
          return 1;  // the main program comes first; no more are wanted
        },
        found);
    return found;
  }();
  return *image;
}

const Image* image_at(std::uintptr_t address) {
  if (main_program().contains(address)) return &main_program();
  static auto* const libraries = new Libraries;
  dl_iterate_phdr(&add_libraries, libraries);
  const auto found = std::find_if(libraries->images.begin(), libraries->images.end(),
      [address](const Image& image) { return image.contains(address); });
  return found != libraries->images.end() ? &*found : nullptr;
}

}  // namespace hocket::runtime::platform
