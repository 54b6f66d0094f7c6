#include "fiber/runtime.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "fiber/cgroup.h"

namespace dray::fiber {
namespace {

/// "max 100000" or "150000 100000" (cgroup v2 cpu.max); 0 = no limit.
double quota_of(const std::string& line) {
  double quota = 0, period = 0;
  if (std::sscanf(line.c_str(), "%lf %lf", &quota, &period) != 2 || period <= 0) return 0;
  return quota / period;
}

std::size_t cgroup_cores() {
  double least = 0;
  for (const std::string& line : cgroup_lines("cpu.max")) {
    const double quota = quota_of(line);
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
  }
  return least > 0 ? static_cast<std::size_t>(std::max(1.0, std::ceil(least))) : 0;
}

}  // namespace

std::size_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::size_t cores = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
  const std::size_t quota = cgroup_cores();
  return quota > 0 ? std::min(cores, quota) : cores;
}

Result<std::unique_ptr<Runtime>> Runtime::start(RuntimeOptions options) {
  const std::size_t count = options.loops != 0 ? options.loops : std::min<std::size_t>(8, usable_cores());
  std::unique_ptr<Runtime> runtime(new Runtime(options.offload));
  for (std::size_t i = 0; i < count; ++i) {
    runtime->loops_.push_back(
        DRAY_TRY(Loop::create({.name = fmt::format("loop {}", i), .stack_size = options.stack_size})));
  }
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // SIGPIPE too: sendfile raises it and has no flag against it
  for (auto& loop : runtime->loops_) {
    runtime->threads_.emplace_back([loop = loop.get()] {
      pthread_setname_np(pthread_self(), "dray-loop");
      loop->run();
    });
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return runtime;
}

Runtime::~Runtime() {
  for (auto& loop : loops_) loop->stop();
  for (auto& thread : threads_) thread.join();
}

}  // namespace dray::fiber
