// A program of C++17, in which libstdc++ keeps the members of std::string in its own object code. Its
// argument tells what two threads do to one string.
#include <functional>
#include <string>
#include <thread>

namespace {

std::string text = "some text";

std::function<void()> use(const std::string& name) {
  if (name == "append") return [] { text += " and more of it"; };
  if (name == "push_back") return [] { text.push_back('x'); };
  if (name == "assign") return [] { text = "other"; };
  if (name == "erase") return [] { text.erase(0, 1); };
  if (name == "read") return [] { std::string(text).append("more"); };
  return [] {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string one = argc > 1 ? argv[1] : "";
  const std::string other = argc > 2 ? argv[2] : "";
  std::thread a(use(one));
  std::thread b(use(other));
  a.join();
  b.join();
  return 0;
}
