// After fork() the child has none of the client's threads: every call must give an error, and none may hang.
#include <sys/wait.h>
#include <unistd.h>

#include "api/client_fixture.h"

namespace dray {
namespace {

/// Runs `body` in a child; what it returned. A child that hangs is ended by an alarm, which shows as -SIGALRM.
template <class Body>
int in_a_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(test::kSanitized ? 40 : 10);
    _exit(body());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class ForkTest : public ClientTest {
 protected:
  void SetUp() override {
    peer_.plan({.operation = "PutObject", .misdeed = Misdeed::hold, .times = Fault::kAlways});
    client_.emplace(Client::open(config()).value());
    running_ = client_->upload_bytes(as_bytes("text"), object("running"));
    ASSERT_TRUE(peer_.wait_for_requests("PutObject", 1));
  }
  void TearDown() override {
    peer_.release();
    EXPECT_EQ(outcome(running_.wait()), "ok") << "the parent was disturbed";
    client_.reset();
  }

  std::optional<Client> client_;
  Transfer running_;
};

template <class T>
bool unsupported(const Result<T>& result) {
  return !result.ok() && result.error().kind == ErrorKind::unsupported && !result.error().advice.empty();
}

TEST_F(ForkTest, EveryCallOfTheChildGetsAnError) {
  EXPECT_EQ(in_a_child([&] {
              if (!unsupported(client_->upload("/etc/hostname", object("a")).wait())) return 1;
              if (!unsupported(client_->upload_bytes(as_bytes("text"), object("a")).wait())) return 2;
              if (!unsupported(client_->upload_stream(0, object("a")).wait())) return 3;
              if (!unsupported(client_->make_bucket("bucket"))) return 4;
              if (!unsupported(client_->head_bucket("bucket"))) return 5;
              if (!unsupported(client_->head_object(object("a")))) return 6;
              return 0;
            }),
            0);
}

TEST_F(ForkTest, ATransferOfTheParentGetsAnErrorInTheChild) {
  EXPECT_EQ(in_a_child([&] {
              if (!running_.wait_for(seconds(1))) return 1;
              if (!unsupported(running_.wait())) return 2;
              running_.cancel();
              client_->cancel_all();
              (void)running_.progress();
              return 0;
            }),
            0);
}

TEST_F(ForkTest, TheChildMayDestroyTheClient) {
  EXPECT_EQ(in_a_child([&] {
              client_.reset();
              return 0;
            }),
            0);
}

#if !defined(__SANITIZE_THREAD__)  // it refuses new threads in the child of a process that had some
TEST_F(ForkTest, TheChildMayOpenAClientOfItsOwn) {
  EXPECT_EQ(in_a_child([&] {
              *client_ = Client::open(config()).value();
              return client_->head_bucket("bucket").ok() ? 0 : 1;
            }),
            0);
}
#endif

}  // namespace
}  // namespace dray
