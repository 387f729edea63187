#include "temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "scheduler/report/other_jobs.hpp"

#include "commands.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

TemporaryFolder::TemporaryFolder() {
  const char* const jobs = std::getenv(OtherJobs::kVariable);  // whose folder is removed with all in it
  const fs::path parent = jobs != nullptr ? fs::path(jobs) : fs::temp_directory_path();
  std::string pattern = (parent / "hocket-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw UsageError("no folder can be made as " + pattern + " (" + std::generic_category().message(errno) +
                     "); set TMPDIR to a folder that can be written to");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace hocket::tool
