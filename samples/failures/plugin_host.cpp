// A host that calls its plugin from a worker, and loads the plugin later.
#include <mutex>
#include <thread>

#include <hocket/gtest.hpp>

namespace {

struct Plugin {
  int calls = 0;
  void call() { ++calls; }
};

class Host {
 public:
  void load(Plugin& plugin) {
    std::lock_guard lock(mutex_);
    plugin_ = &plugin;
  }
  void run() {
    std::lock_guard lock(mutex_);
    plugin_->call();
  }

 private:
  std::mutex mutex_;
  Plugin* plugin_ = nullptr;
};

}  // namespace

HOCKET_TEST(Failures, CrashInTheFirstSchedule) {
  Plugin plugin;
  Host host;
  std::thread worker([&host] { host.run(); });
  worker.join();
  host.load(plugin);
}
