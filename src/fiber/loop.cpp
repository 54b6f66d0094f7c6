#include "fiber/loop.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>

#include "fiber/fiber.h"
#include "fiber/io_table.h"
#include "fiber/task_group.h"

namespace dray::fiber {
namespace {

thread_local Loop* current_loop = nullptr;

constexpr int kEventsPerTurn = 256;

/// In milliseconds, rounded up, so that no timer fires early and none makes the loop spin.
int epoll_timeout(SteadyTime now, SteadyTime due) {
  if (due <= now) return 0;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(due - now).count();
  return static_cast<int>(std::min<std::int64_t>(wait, std::numeric_limits<int>::max()));
}

std::string_view name_of(Fiber::State state) {
  switch (state) {
    case Fiber::State::free:
      return "free";
    case Fiber::State::ready:
      return "ready";
    case Fiber::State::running:
      return "running";
    case Fiber::State::parked:
      return "waits for";
  }
  return "?";
}

}  // namespace

Error wait_error(Wake wake, std::string_view what) {
  if (wake == Wake::timed_out) return make_error(ErrorKind::timed_out, fmt::format("{}: timed out", what));
  return make_error(ErrorKind::cancelled, fmt::format("{}: cancelled", what));
}

struct LoopState {
  Loop* self = nullptr;
  LoopOptions options;
  int epoll = -1;
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
  LoopContext context;
  StackPool stacks;
  TimerHeap timers;
  IoTable io;
  std::deque<Fiber> fibers;  // stable addresses; recycled through `idle`
  std::vector<Fiber*> idle;
  std::deque<Fiber*> ready;
  Fiber* running = nullptr;
  std::size_t live = 0;
  std::uint64_t last_scope = 0;
  bool stopping = false;

  explicit LoopState(LoopOptions given)
      : options(std::move(given)),
        stacks(options.stack_size != 0 ? options.stack_size : StackPool::default_size()),
        io(epoll) {}

  static void enter(void* fiber);

  void make_ready(Fiber& fiber, Wake reason) {
    fiber.state = Fiber::State::ready;
    fiber.reason = reason;
    ++fiber.epoch;  // every ticket for this wait is void from here on
    timers.disarm(fiber);
    ready.push_back(&fiber);
  }

  void wake(Fiber& fiber, std::uint64_t epoch) {
    if (fiber.epoch != epoch) return;
    if (fiber.state == Fiber::State::parked) {
      make_ready(fiber, Wake::signalled);
    } else if (fiber.state == Fiber::State::running) {
      fiber.woken_early = true;
    }
  }

  void run_fiber(Fiber& fiber) {
    running = &fiber;
    fiber.state = Fiber::State::running;
    resume(context, fiber.context, &fiber);
    running = nullptr;
    if (fiber.state != Fiber::State::free) return;
    retire(fiber.context);
    stacks.give_back(fiber.stack);
    fiber.name.clear();
    ++fiber.epoch;
    --live;
    idle.push_back(&fiber);
  }

  void run_ready() {
    // Only what is ready now: those who become ready meanwhile wait for the next turn, after I/O and timers.
    for (std::size_t left = ready.size(); left > 0; --left) {
      Fiber* fiber = ready.front();
      ready.pop_front();
      run_fiber(*fiber);
    }
  }

  void run_posted() {
    std::vector<std::function<void()>> work;
    {
      std::lock_guard lock(mailbox->mutex_);
      work.swap(mailbox->posted_);
    }
    for (auto& item : work) item();
  }

  void fire_timers(SteadyTime now) {
    while (Timer* timer = timers.pop_due(now)) make_ready(static_cast<Fiber&>(*timer), Wake::timed_out);
  }

  void poll(int timeout) {
    std::array<epoll_event, kEventsPerTurn> events;
    const int count = epoll_wait(epoll, events.data(), kEventsPerTurn, timeout);
    if (count < 0 && errno != EINTR) die(os_error(errno, "epoll_wait").message);
    bool posted_event = false;
    for (int i = 0; i < count; ++i) {
      if (events[static_cast<std::size_t>(i)].data.u64 == IoTable::kPostEvent) {
        posted_event = true;
      } else {
        io.deliver(events[static_cast<std::size_t>(i)]);
      }
    }
    io.end_of_batch();
    if (posted_event) {
      std::uint64_t value;
      // Read before the list is drained: a post that comes later writes again.
      while (read(mailbox->event_, &value, sizeof value) < 0 && errno == EINTR) {
      }
      run_posted();
    }
  }
};

void LoopState::enter(void* argument) {
  Fiber& fiber = *static_cast<Fiber*>(argument);
  std::exception_ptr failure;
  try {
    fiber.body();
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure && fiber.group == nullptr) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      die(fmt::format("fiber '{}' ended with an exception: {}", fiber.name, error.what()));
    } catch (...) {
      die(fmt::format("fiber '{}' ended with an exception", fiber.name));
    }
  }
  fiber.body = nullptr;  // captures die on the fiber, where waiting is allowed
  if (fiber.group != nullptr) fiber.group->child_ended(fiber, std::move(failure));
  failure = nullptr;
  fiber.state = Fiber::State::free;
}

Loop::Loop(LoopOptions options) : state_(std::make_unique<LoopState>(std::move(options))) { state_->self = this; }

Result<std::unique_ptr<Loop>> Loop::create(LoopOptions options) {
  std::unique_ptr<Loop> loop(new Loop(std::move(options)));
  LoopState& s = *loop->state_;
  s.epoll = epoll_create1(EPOLL_CLOEXEC);
  if (s.epoll < 0) return os_error(errno, "create an epoll descriptor");
  s.mailbox->event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (s.mailbox->event_ < 0) return os_error(errno, "create an eventfd");
  epoll_event interest{};
  interest.events = EPOLLIN;
  interest.data.u64 = IoTable::kPostEvent;
  if (epoll_ctl(s.epoll, EPOLL_CTL_ADD, s.mailbox->event_, &interest) != 0) return os_error(errno, "watch an eventfd");
  return loop;
}

Loop::~Loop() {
  if (state_->live > 0) die("Loop destroyed with live fibers:\n" + describe_fibers());
  {
    std::lock_guard lock(state_->mailbox->mutex_);
    state_->mailbox->closed_ = true;
  }
  if (state_->epoll >= 0) ::close(state_->epoll);
}

Loop* Loop::current() { return current_loop; }
std::string_view Loop::name() const { return state_->options.name; }
std::size_t Loop::live_fibers() const { return state_->live; }
std::uint64_t Loop::wakeup_writes() const {
  std::lock_guard lock(state_->mailbox->mutex_);
  return state_->mailbox->writes_;
}
std::shared_ptr<Mailbox> Loop::mailbox() const { return state_->mailbox; }
IoTable& Loop::io() { return state_->io; }

std::string Loop::describe_fibers() const {
  std::string text;
  for (const Fiber& fiber : state_->fibers) {
    if (fiber.state == Fiber::State::free) continue;
    text +=
        fmt::format("  {}: {} {}{}\n", fiber.name, name_of(fiber.state),
                    fiber.state == Fiber::State::parked ? fiber.waits_for : "", fiber.cancelled ? " (cancelled)" : "");
  }
  return text;
}

void Loop::run() {
  if (current_loop != nullptr) die("Loop::run inside another loop");
  current_loop = this;
  LoopState& s = *state_;
  for (;;) {
    s.run_ready();
    if (s.stopping && s.live == 0) {
      std::lock_guard lock(s.mailbox->mutex_);
      if (s.mailbox->posted_.empty()) {
        s.mailbox->closed_ = true;
        break;
      }
    }
    int timeout = -1;
    if (!s.ready.empty() || s.stopping) {
      timeout = s.ready.empty() && s.live > 0 ? -1 : 0;
    }
    if (timeout < 0 && !s.timers.empty()) timeout = epoll_timeout(std::chrono::steady_clock::now(), s.timers.next());
    s.poll(timeout);
    if (!s.timers.empty()) s.fire_timers(std::chrono::steady_clock::now());
  }
  current_loop = nullptr;
}

void Loop::stop() {
  post([this] {
    state_->stopping = true;
    for (Fiber& fiber : state_->fibers) {
      if (fiber.state != Fiber::State::free) cancel(fiber);
    }
  });
}

void Loop::post(std::function<void()> work) { state_->mailbox->post(std::move(work)); }

Mailbox::~Mailbox() {
  if (event_ >= 0) ::close(event_);
}

void Mailbox::post(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  if (closed_) return;  // the loop has ended: nobody is left to care
  const bool must_write = posted_.empty();
  posted_.push_back(std::move(work));
  if (!must_write) return;  // whoever made it non-empty has written
  ++writes_;
  const std::uint64_t one = 1;
  while (write(event_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

Result<Fiber*> Loop::spawn(std::string name, std::function<void()> body, TaskGroup* group) {
  if (current_loop != this) die("Loop::spawn from another thread");
  LoopState& s = *state_;
  if (s.stopping) return make_error(ErrorKind::cancelled, "start " + name + ": the loop is stopping");
  Stack stack = DRAY_TRY(s.stacks.take());
  Fiber* fiber = nullptr;
  if (!s.idle.empty()) {
    fiber = s.idle.back();
    s.idle.pop_back();
  } else {
    fiber = &s.fibers.emplace_back();
    fiber->loop = this;
  }
  fiber->stack = stack;
  fiber->name = std::move(name);
  fiber->body = std::move(body);
  fiber->group = group;
  fiber->cancelled = false;
  fiber->scope_cancelled = false;
  fiber->scope = 0;
  fiber->woken_early = false;
  fiber->shields = 0;
  prepare(fiber->context, stack.bottom, stack.size, &LoopState::enter);
  ++s.live;
  fiber->state = Fiber::State::ready;
  s.ready.push_back(fiber);
  return fiber;
}

void Loop::spawn_root(std::string name, std::function<void()> body) {
  auto start = [this, name = std::move(name), body = std::move(body)]() mutable {
    Result<Fiber*> fiber = spawn(std::move(name), std::move(body), nullptr);
    if (!fiber && fiber.error().kind != ErrorKind::cancelled) die(fiber.error().message);
  };
  if (current_loop == this) {
    start();
  } else {
    post(std::move(start));
  }
}

void Loop::cancel(Fiber& fiber) {
  if (fiber.state == Fiber::State::free || fiber.cancelled) return;
  fiber.cancelled = true;
  if (fiber.state == Fiber::State::parked && fiber.must_stop()) state_->make_ready(fiber, Wake::cancelled);
}

void Ticket::wake() const {
  if (fiber_ == nullptr) return;
  if (current_loop == loop_) {
    loop_->state_->wake(*fiber_, epoch_);
  } else {
    loop_->post([ticket = *this] { ticket.loop_->state_->wake(*ticket.fiber_, ticket.epoch_); });
  }
}

namespace {

Loop& loop_of_fiber() {
  if (!on_fiber()) die("a fiber's wait was called outside a fiber");
  return *current_loop;
}

}  // namespace

bool on_fiber() { return current_loop != nullptr && current_loop->state_->running != nullptr; }

Ticket this_wait() {
  Ticket ticket;
  ticket.loop_ = &loop_of_fiber();
  ticket.fiber_ = ticket.loop_->state_->running;
  ticket.fiber_->woken_early = false;
  ticket.epoch_ = ++ticket.fiber_->epoch;  // tickets of waits that never came to be are void
  return ticket;
}

Wake park(Deadline deadline, const char* what) {
  LoopState& s = *loop_of_fiber().state_;
  Fiber& fiber = *s.running;
  fiber.waits_for = what;
  if (fiber.woken_early) {
    fiber.woken_early = false;
    ++fiber.epoch;
    return Wake::signalled;
  }
  if (fiber.must_stop()) {
    s.make_ready(fiber, Wake::cancelled);
  } else if (deadline.passed()) {
    s.make_ready(fiber, Wake::timed_out);
  } else {
    fiber.state = Fiber::State::parked;
    if (!deadline.is_never()) s.timers.arm(fiber, deadline.when());
  }
  suspend(s.context, fiber.context);
  fiber.waits_for = "";
  return fiber.reason;
}

void yield() {
  LoopState& s = *loop_of_fiber().state_;
  Fiber& fiber = *s.running;
  s.make_ready(fiber, Wake::signalled);
  suspend(s.context, fiber.context);
}

Result<void> sleep_until(Deadline when) {
  this_wait();  // voids the ticket of a wait that was prepared and given up: it must not end this one
  const Wake wake = park(when, "time");
  if (wake == Wake::cancelled) return wait_error(wake, "sleep");
  return {};
}

Result<void> sleep_for(Duration duration) { return sleep_until(Deadline::after(duration)); }

bool cancel_requested() { return loop_of_fiber().state_->running->must_stop(); }

CancelScope::CancelScope() {
  LoopState& s = *loop_of_fiber().state_;
  if (s.running->scope != 0) die("a CancelScope inside another one");
  token_.loop_ = s.self;
  token_.fiber_ = s.running;
  token_.scope_ = s.running->scope = ++s.last_scope;
}

CancelScope::~CancelScope() {
  token_.fiber_->scope = 0;
  token_.fiber_->scope_cancelled = false;
}

void CancelScope::Token::cancel() const {
  loop_->post([token = *this] {
    Fiber& fiber = *token.fiber_;
    if (fiber.scope != token.scope_ || fiber.scope_cancelled) return;
    fiber.scope_cancelled = true;
    if (fiber.state == Fiber::State::parked && fiber.must_stop()) {
      token.loop_->state_->make_ready(fiber, Wake::cancelled);
    }
  });
}

Shield::Shield() { ++loop_of_fiber().state_->running->shields; }
Shield::~Shield() { --loop_of_fiber().state_->running->shields; }

}  // namespace dray::fiber
