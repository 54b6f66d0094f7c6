// Transfers: handles that may be copied, dropped, moved from, cancelled, and outlive their client.
#include <thread>

#include "api/client_fixture.h"

namespace dray {
namespace {

using TransferTest = ClientTest;

TEST(EmptyTransferTest, SaysThatItStandsForNothing) {
  const Transfer none;
  EXPECT_EQ(none.wait().error().kind, ErrorKind::invalid_argument);
  EXPECT_TRUE(none.wait_for(seconds(1)));
  EXPECT_EQ(none.progress().bytes_done, 0u);
  none.cancel();
}

TEST_F(TransferTest, OneThatWasMovedFromSaysSoToo) {
  Client client = Client::open(config()).value();
  Transfer first = client.upload_bytes(as_bytes("text"), object("key"));
  const Transfer second = std::move(first);
  EXPECT_EQ(first.wait().error().kind, ErrorKind::invalid_argument);  // NOLINT: after the move on purpose
  EXPECT_EQ(outcome(second.wait()), "ok");
}

TEST_F(TransferTest, GivesTheSameAnswerEachTimeAndToEachCopy) {
  Client client = Client::open(config()).value();
  const Transfer transfer = client.upload_bytes(as_bytes("text"), object("key"));
  const Transfer copy = transfer;
  const std::string etag = transfer.wait()->etag;
  EXPECT_EQ(transfer.wait()->etag, etag);
  EXPECT_EQ(copy.wait()->etag, etag);
}

TEST_F(TransferTest, GoesOnWhenItsHandlesAreDropped) {
  Client client = Client::open(config()).value();
  peer_.plan({.operation = "PutObject", .misdeed = Misdeed::hold});
  { const Transfer dropped = client.upload_bytes(as_bytes("text"), object("dropped")); }
  ASSERT_TRUE(peer_.wait_for_requests("PutObject", 1));
  peer_.release();
  ASSERT_EQ(outcome(client.upload_bytes(as_bytes("text"), object("next")).wait()), "ok");
  while (peer_.objects() < 2) std::this_thread::yield();
}

TEST_F(TransferTest, WaitForEndsAfterItsTime) {
  Client client = Client::open(config()).value();
  peer_.plan({.operation = "PutObject", .misdeed = Misdeed::hold});
  const Transfer transfer = client.upload_bytes(as_bytes("text"), object("key"));
  EXPECT_FALSE(transfer.wait_for(milliseconds(20)));
  peer_.release();
  EXPECT_TRUE(transfer.wait_for(seconds(20)));
}

TEST_F(TransferTest, CancelEndsIt) {
  Client client = Client::open(config()).value();
  peer_.plan({.operation = "UploadPart", .misdeed = Misdeed::hold, .times = Fault::kAlways});
  const std::string text = test::content_of(3 * kPart);
  const Transfer transfer = client.upload_bytes(as_bytes(text), object("key"), small_parts());
  ASSERT_TRUE(peer_.wait_for_requests("UploadPart", 1));
  transfer.cancel();
  EXPECT_EQ(transfer.wait().error().kind, ErrorKind::cancelled);
  EXPECT_EQ(peer_.open_uploads(), 0u);
}

TEST_F(TransferTest, CancelAllEndsThemAll) {
  Client client = Client::open(config()).value();
  peer_.plan({.operation = "PutObject", .misdeed = Misdeed::hold, .times = Fault::kAlways});
  std::vector<Transfer> transfers;
  for (int i = 0; i < 20; ++i) transfers.push_back(client.upload_bytes(as_bytes("text"), object(std::to_string(i))));
  ASSERT_TRUE(peer_.wait_for_requests("PutObject", 1));
  client.cancel_all();
  for (const Transfer& transfer : transfers) EXPECT_EQ(transfer.wait().error().kind, ErrorKind::cancelled);
  peer_.release();
  EXPECT_EQ(outcome(client.upload_bytes(as_bytes("text"), object("later")).wait()), "ok");
}

TEST_F(TransferTest, OutlivesItsClient) {
  const std::string text = test::content_of(4 * kPart);
  std::vector<Transfer> transfers;
  {
    Client client = Client::open(config()).value();
    transfers.push_back(client.upload_bytes(as_bytes("text"), object("done")));
    ASSERT_EQ(outcome(transfers[0].wait()), "ok");
    transfers.push_back(client.upload(folder_.write("source", text), object("running"), small_parts()));
    transfers.push_back(client.upload_bytes(as_bytes(text), object("running too"), small_parts()));
    ASSERT_TRUE(peer_.wait_for_requests("UploadPart", 1));
  }
  EXPECT_EQ(outcome(transfers[0].wait()), "ok");
  for (std::size_t i = 1; i < transfers.size(); ++i) {
    EXPECT_TRUE(transfers[i].wait_for(seconds(0)));
    const Result<Summary> done = transfers[i].wait();
    if (!done.ok()) {
      EXPECT_EQ(done.error().kind, ErrorKind::cancelled) << done.error().message;
      EXPECT_EQ(done.error().left_behind, "");
    }
    (void)transfers[i].progress();
    transfers[i].cancel();
  }
  EXPECT_EQ(peer_.open_uploads(), 0u);
}

TEST_F(TransferTest, AssigningAnotherClientEndsTheFirst) {
  Client client = Client::open(config()).value();
  peer_.plan({.operation = "PutObject", .misdeed = Misdeed::hold});
  const Transfer transfer = client.upload_bytes(as_bytes("text"), object("key"));
  ASSERT_TRUE(peer_.wait_for_requests("PutObject", 1));
  client = Client::open(config()).value();
  EXPECT_EQ(transfer.wait().error().kind, ErrorKind::cancelled);
  EXPECT_EQ(outcome(client.upload_bytes(as_bytes("text"), object("second")).wait()), "ok");
}

TEST_F(TransferTest, AMovedClientGoesOn) {
  Client first = Client::open(config()).value();
  peer_.plan({.operation = "PutObject", .misdeed = Misdeed::hold});
  const Transfer transfer = first.upload_bytes(as_bytes("text"), object("key"));
  ASSERT_TRUE(peer_.wait_for_requests("PutObject", 1));
  const Client second = std::move(first);
  peer_.release();
  EXPECT_EQ(outcome(transfer.wait()), "ok");
}

}  // namespace
}  // namespace dray
