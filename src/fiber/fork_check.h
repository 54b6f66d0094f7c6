// ForkCheck: remembers the process that made it. The child of a fork() has a copy of every object but none of the
// threads that serve them: it must get an error rather than a hang.
#pragma once

#include "dray/result.h"

namespace dray::fiber {

/// A value. From any thread.
class ForkCheck {
 public:
  ForkCheck();
  /// ErrorKind::unsupported in a child of the process that made this.
  Result<void> check() const;

 private:
  int process_;
};

}  // namespace dray::fiber
