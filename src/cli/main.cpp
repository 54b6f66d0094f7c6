// dray: see docs/manual/cli.md.
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "cli/program.h"
#include "fiber/signals.h"

int main(int argc, char** argv) {
  // An arena for each of many threads would cost more memory than the transfers themselves.
  mallopt(M_ARENA_MAX, 2);
  dray::cli::fill_standard_descriptors();
  // Before any thread exists. SIGPIPE: who closes our stdout gets an errno from us, not a death in the midst of things.
  dray::fiber::block_signals({SIGHUP, SIGINT, SIGTERM, SIGPIPE});
  const int code = dray::cli::run_program(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  // All output is written. Threads that hang in the kernel, on a dead NFS server say, are not waited for.
  _exit(code);
}
