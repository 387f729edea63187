// Changes of text that is nearly right, so that a reader comes far before it refuses it.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::tools {

class Mutation {
 public:
  explicit Mutation(std::mt19937_64& random) : random_(random) {}

  /// `text` after one or more changes, of which some take a part of `other`.
  std::string changed(std::string text, const std::string& other);

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  void change(std::string& text, const std::string& other);
  void replace_value(std::string& text);
  void swap_lines(std::string& text);

  std::mt19937_64& random_;
};

}  // namespace hocket::tools
