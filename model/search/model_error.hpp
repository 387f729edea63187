// An error in a model that a search has noticed.
#pragma once

#include <stdexcept>

namespace hocket::model {

/// The model contradicts itself; the text is one sentence.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace hocket::model
