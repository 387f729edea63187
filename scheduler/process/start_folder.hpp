// The folder in which the process is when a search begins. Bodies may change it.
#pragma once

namespace hocket {

/// Names of files that users give, and those in commands that Hocket prints, are meant from that folder.
class StartFolder {
 public:
  StartFolder();
  /// Goes back.
  ~StartFolder();
  StartFolder(const StartFolder&) = delete;
  StartFolder& operator=(const StartFolder&) = delete;

  /// Makes it the folder of the process again.
  void go_back() const;

 private:
  int descriptor_;
};

}  // namespace hocket
