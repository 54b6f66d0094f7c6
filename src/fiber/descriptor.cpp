#include "fiber/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "fiber/io_table.h"

namespace dray::fiber {

Result<Descriptor> Descriptor::adopt(int fd) {
  Loop* loop = Loop::current();
  if (loop == nullptr) die("Descriptor::adopt outside a loop");
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || ((flags & O_NONBLOCK) == 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)) {
    const int error = errno;
    ::close(fd);
    return os_error(error, "make a descriptor non-blocking");
  }
  Result<std::uint32_t> slot = loop->io().add(fd);
  if (!slot) {
    ::close(fd);
    return std::move(slot).error();
  }
  Descriptor descriptor;
  descriptor.loop_ = loop;
  descriptor.fd_ = fd;
  descriptor.slot_ = *slot;
  return descriptor;
}

Descriptor::~Descriptor() {
  if (waiters_ > 0) die("Descriptor destroyed while a fiber waits on it");
  close();
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  if (waiters_ > 0 || other.waiters_ > 0) die("Descriptor moved while a fiber waits on it");
  close();
  loop_ = other.loop_;
  fd_ = std::exchange(other.fd_, -1);
  slot_ = other.slot_;
  return *this;
}

void Descriptor::blocked_reading() { loop_->io().at(slot_).readable = false; }
void Descriptor::blocked_writing() { loop_->io().at(slot_).writable = false; }
bool Descriptor::input_seen() const { return fd_ >= 0 && loop_->io().at(slot_).readable; }
bool Descriptor::output_seen() const { return fd_ >= 0 && loop_->io().at(slot_).writable; }

Result<void> Descriptor::wait_readable(Deadline deadline) { return wait(Side::read, deadline); }
Result<void> Descriptor::wait_writable(Deadline deadline) { return wait(Side::write, deadline); }
Result<void> Descriptor::wait_either(Deadline deadline) { return wait(Side::both, deadline); }

Result<void> Descriptor::wait(Side side, Deadline deadline) {
  const char* what = side == Side::read ? "input" : side == Side::write ? "room to send" : "input or room to send";
  if (fd_ < 0) return make_error(ErrorKind::cancelled, std::string(what) + ": the connection was closed");
  IoSlot& slot = loop_->io().at(slot_);
  const bool reads = side != Side::write, writes = side != Side::read;
  if (slot.closed) return make_error(ErrorKind::cancelled, std::string(what) + ": the connection was closed");
  if ((reads && slot.readable) || (writes && slot.writable)) return {};
  if ((reads && slot.reader) || (writes && slot.writer)) die("two fibers wait for the same side of a descriptor");

  const Ticket ticket = this_wait();
  if (reads) slot.reader = ticket;
  if (writes) slot.writer = ticket;
  ++waiters_;
  const Wake wake = park(deadline, what);
  --waiters_;
  if (reads) slot.reader.clear();
  if (writes) slot.writer.clear();

  if (slot.closed) {
    if (waiters_ == 0) release();
    return make_error(ErrorKind::cancelled, std::string(what) + ": the connection was closed");
  }
  if ((reads && slot.readable) || (writes && slot.writable)) return {};  // it came, whatever else happened
  if (wake != Wake::signalled) return wait_error(wake, what);
  return {};
}

void Descriptor::close() {
  if (fd_ < 0) return;
  IoSlot& slot = loop_->io().at(slot_);
  if (slot.closed) return;
  slot.closed = true;
  slot.reader.wake();
  slot.writer.wake();
  if (waiters_ == 0) release();  // else the last waiter to leave does it
}

void Descriptor::release() {
  if (Loop::current() != loop_) die("Descriptor closed on another thread than its loop's");
  loop_->io().remove(slot_, fd_);
  ::close(fd_);
  fd_ = -1;
}

}  // namespace dray::fiber
