#include "fiber/fork_check.h"

#include <unistd.h>

namespace dray::fiber {

ForkCheck::ForkCheck() : process_(getpid()) {}

Result<void> ForkCheck::check() const {
  if (getpid() == process_) return {};
  return make_error(ErrorKind::unsupported, "this was opened before fork() and does not work in the child")
      .advise("open a Client in the child");
}

}  // namespace dray::fiber
