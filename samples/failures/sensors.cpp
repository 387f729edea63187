// Sensors that are read by a thread of their base class: it lives longer than the class that it calls, and
// begins earlier.
#include <thread>

#include <hocket/gtest.hpp>

namespace {

class Sensor {
 public:
  virtual ~Sensor() {
    if (reader_.joinable()) reader_.join();
  }
  void start() {
    reader_ = std::thread([this] { read(); });
  }
  void stop() { reader_.join(); }

 private:
  virtual void read() = 0;
  std::thread reader_;
};

class Thermometer final : public Sensor {
  void read() override { ++degrees_; }
  int degrees_ = 20;
};

class Barometer : public Sensor {
 public:
  Barometer() { start(); }

 private:
  void read() override {}
};

class Altimeter final : public Barometer {
  void read() override { ++metres_; }
  int metres_ = 400;
};

}  // namespace

HOCKET_TEST(Failures, ThreadThatOutlivesItsObject) {
  Thermometer thermometer;
  thermometer.start();
}

HOCKET_TEST(Failures, ThreadThatIsStartedByABaseClass) {
  Altimeter altimeter;
  altimeter.stop();
}
