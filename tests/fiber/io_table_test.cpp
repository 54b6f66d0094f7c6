// What events do to slots, without a loop: stale ones must find nobody. Descriptor never lets one come this far, since
// it deregisters; each of the two protections holds alone.
#include "fiber/io_table.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace dray::fiber {
namespace {

class IoTableTest : public testing::Test {
 protected:
  IoTableTest() {
    EXPECT_GE(epoll_, 0);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds_.data()), 0);
  }
  ~IoTableTest() override {
    for (const int fd : {fds_[0], fds_[1], epoll_}) ::close(fd);
  }

  epoll_event event_for(std::uint32_t slot, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = (std::uint64_t{table_.at(slot).generation} << 32) | slot;
    return event;
  }
  int waiting_events() {
    std::array<epoll_event, 8> events;
    return epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
  }

  const int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  std::array<int, 2> fds_{};
  IoTable table_{epoll_};
};

TEST_F(IoTableTest, EachEventSetsTheSidesItConcerns) {
  struct Row {
    std::uint32_t events;
    bool readable, writable;
  };
  const std::uint32_t slot = table_.add(fds_[0]).value();
  for (const Row& row : {Row{EPOLLIN, true, false}, Row{EPOLLOUT, false, true}, Row{EPOLLIN | EPOLLOUT, true, true},
                         Row{EPOLLRDHUP, true, false}, Row{EPOLLHUP, true, true}, Row{EPOLLERR, true, true}}) {
    table_.at(slot).readable = table_.at(slot).writable = false;
    table_.deliver(event_for(slot, row.events));
    EXPECT_EQ(table_.at(slot).readable, row.readable) << row.events;
    EXPECT_EQ(table_.at(slot).writable, row.writable) << row.events;
  }
}

TEST_F(IoTableTest, BitsStayUntilSomebodyClearsThem) {
  const std::uint32_t slot = table_.add(fds_[0]).value();
  table_.deliver(event_for(slot, EPOLLIN));
  table_.deliver(event_for(slot, EPOLLOUT));
  EXPECT_TRUE(table_.at(slot).readable);
}

TEST_F(IoTableTest, EventOfAnEarlierOwnerOfTheSlotReachesNobody) {
  const std::uint32_t slot = table_.add(fds_[0]).value();
  const epoll_event stale = event_for(slot, EPOLLIN | EPOLLOUT);
  table_.remove(slot, fds_[0]);
  table_.deliver(stale);
  table_.end_of_batch();
  ASSERT_EQ(table_.add(fds_[1]).value(), slot);
  table_.deliver(stale);
  EXPECT_FALSE(table_.at(slot).readable);
  EXPECT_FALSE(table_.at(slot).writable);
}

TEST_F(IoTableTest, SlotThatIsFreedInABatchIsUsedAgainOnlyAfterIt) {
  const std::uint32_t slot = table_.add(fds_[0]).value();
  table_.remove(slot, fds_[0]);
  const std::uint32_t other = table_.add(fds_[1]).value();
  EXPECT_NE(other, slot);
  table_.end_of_batch();
  EXPECT_EQ(table_.add(fds_[0]).value(), slot);
}

TEST_F(IoTableTest, RemovedDescriptorRaisesNoEventsThroughACopyOfIt) {
  const std::uint32_t slot = table_.add(fds_[0]).value();
  const int copy = fcntl(fds_[0], F_DUPFD_CLOEXEC, 0);
  ASSERT_EQ(waiting_events(), 1);  // there is room to send
  table_.remove(slot, fds_[0]);
  ASSERT_EQ(send(fds_[1], "x", 1, MSG_NOSIGNAL), 1);
  EXPECT_EQ(waiting_events(), 0);
  ::close(copy);
}

TEST_F(IoTableTest, RefusedDescriptorTakesNoSlot) {
  EXPECT_FALSE(table_.add(-1).ok());
  EXPECT_EQ(table_.add(fds_[0]).value(), 0u);
}

TEST_F(IoTableTest, EventForASlotThatNeverWasIsIgnored) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = 12345;
  table_.deliver(event);
}

}  // namespace
}  // namespace dray::fiber
