// C++ keeps the caught and the uncaught exceptions of a thread in one place. Fibers share the thread: each must still
// see its own only, wherever it waits.
#include <gtest/gtest.h>

#include <array>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>

#include "fiber/on_loop.h"

namespace dray::fiber {
namespace {

/// Runs `body` in a destructor.
template <class Body>
class AtExit {
 public:
  explicit AtExit(Body body) : body_(std::move(body)) {}
  ~AtExit() { body_(); }

 private:
  Body body_;
};

std::string text_of(std::exception_ptr exception) {
  if (!exception) return "none";
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown";
  }
}

TEST(ExceptionsTest, FibersThatWaitInsideCatchRethrowTheirOwn) {
  on_loop([] {
    TaskGroup group;
    for (int id = 0; id < 10; ++id) {
      spawn(group, [id] {
        for (int round = 0; round < 50; ++round) {
          const std::string mine = "fiber " + std::to_string(id) + " round " + std::to_string(round);
          try {
            try {
              throw std::runtime_error(mine);
            } catch (const std::exception& error) {
              for (int i = 0; i <= id % 3; ++i) yield();  // others enter and leave their catch blocks meanwhile
              EXPECT_EQ(error.what(), mine);
              throw;
            }
          } catch (const std::runtime_error& again) {
            if (id % 2 == 0) yield();
            EXPECT_EQ(again.what(), mine);
          }
        }
      });
    }
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(ExceptionsTest, CurrentExceptionIsTheFibersOwnAcrossWaits) {
  on_loop([] {
    TaskGroup group;
    for (int id = 0; id < 10; ++id) {
      spawn(group, [id] {
        const std::string outer = "outer " + std::to_string(id), inner = "inner " + std::to_string(id);
        EXPECT_EQ(text_of(std::current_exception()), "none");
        try {
          throw std::runtime_error(outer);
        } catch (...) {
          EXPECT_TRUE(sleep_for(microseconds(100 * (id % 4))).ok());
          EXPECT_EQ(text_of(std::current_exception()), outer);
          try {
            throw std::logic_error(inner);
          } catch (...) {
            EXPECT_TRUE(sleep_for(microseconds(100 * (id % 3))).ok());
            EXPECT_EQ(text_of(std::current_exception()), inner);
          }
          yield();
          EXPECT_EQ(text_of(std::current_exception()), outer);
        }
        EXPECT_EQ(text_of(std::current_exception()), "none");
      });
    }
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(ExceptionsTest, FiberThatNeverThrowsSeesNoneWhileOthersWaitInCatch) {
  on_loop([] {
    TaskGroup group;
    spawn(group, [] {
      try {
        throw std::runtime_error("mine");
      } catch (...) {
        for (int i = 0; i < 10; ++i) yield();
        EXPECT_EQ(text_of(std::current_exception()), "mine");
      }
    });
    spawn(group, [] {
      for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(std::current_exception(), nullptr);
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        yield();
      }
    });
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(ExceptionsTest, WorkOutsideFibersSeesNoneWhileAFiberWaitsInCatch) {
  on_loop([] {
    bool done = false;
    std::string seen = "?";
    int uncaught = -1;
    Loop::current()->post([&] {
      seen = text_of(std::current_exception());
      uncaught = std::uncaught_exceptions();
      done = true;
    });
    try {
      throw std::runtime_error("mine");
    } catch (...) {
      while (!done) yield();  // nobody else runs: the loop goes on right after this fiber
      EXPECT_EQ(text_of(std::current_exception()), "mine");
    }
    EXPECT_EQ(seen, "none");
    EXPECT_EQ(uncaught, 0);
  });
}

TEST(ExceptionsTest, FiberStartedInsideCatchStartsClean) {
  on_loop([] {
    bool ran = false;
    TaskGroup group;
    try {
      throw std::runtime_error("the parent's");
    } catch (...) {
      spawn(group, [&] {
        ran = true;
        EXPECT_EQ(std::current_exception(), nullptr);
        EXPECT_EQ(std::uncaught_exceptions(), 0);
      });
      EXPECT_TRUE(group.join().ok());
      EXPECT_EQ(text_of(std::current_exception()), "the parent's");
    }
    EXPECT_TRUE(ran);
  });
}

TEST(ExceptionsTest, FiberStartedDuringUnwindingStartsClean) {
  on_loop([] {
    int uncaught = -1;
    std::string caught = "?";
    try {
      AtExit start([&] {
        TaskGroup group;
        spawn(group, [&] {
          uncaught = std::uncaught_exceptions();
          caught = text_of(std::current_exception());
        });
        EXPECT_TRUE(group.join().ok());
        EXPECT_EQ(std::uncaught_exceptions(), 1);
      });
      throw std::runtime_error("the parent's");
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "the parent's");
    }
    EXPECT_EQ(uncaught, 0);
    EXPECT_EQ(caught, "none");
  });
}

TEST(ExceptionsTest, DestructorsOfSeveralFibersWaitDuringUnwindingAtOnce) {
  on_loop([] {
    int arrived = 0;
    TaskGroup group;
    for (int id = 0; id < 10; ++id) {
      spawn(group, [&arrived, id] {
        const std::string mine = "exception " + std::to_string(id);
        try {
          AtExit outer([&] {
            EXPECT_EQ(std::uncaught_exceptions(), 1);
            EXPECT_TRUE(sleep_for(microseconds(200 * (id % 5))).ok());
            EXPECT_EQ(std::uncaught_exceptions(), 1);
          });
          AtExit inner([&] {
            // A destructor may throw and catch for itself, with waits in between.
            try {
              AtExit nested([&] {
                EXPECT_EQ(std::uncaught_exceptions(), 2);
                yield();
                EXPECT_EQ(std::uncaught_exceptions(), 2);
              });
              throw std::logic_error("of the destructor");
            } catch (const std::logic_error& error) {
              yield();
              EXPECT_STREQ(error.what(), "of the destructor");
            }
          });
          throw std::runtime_error(mine);
        } catch (const std::runtime_error& error) {
          EXPECT_EQ(error.what(), mine);
          ++arrived;
        }
        EXPECT_EQ(std::uncaught_exceptions(), 0);
      });
    }
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(arrived, 10);
  });
}

TEST(ExceptionsTest, ScopeGuardsTellUnwindingFromAnOrdinaryEndAcrossWaits) {
  on_loop([] {
    int failed = 0, succeeded = 0;
    const auto guarded = [&](bool throws) {
      const int before = std::uncaught_exceptions();
      AtExit guard([&, before] {
        yield();
        ++(std::uncaught_exceptions() > before ? failed : succeeded);
      });
      yield();
      if (throws) throw 1;
    };
    TaskGroup group;
    for (int i = 0; i < 10; ++i) {
      spawn(group, [&, i] {
        try {
          guarded(i % 2 == 0);
        } catch (int) {
        }
      });
    }
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(failed, 5);
    EXPECT_EQ(succeeded, 5);
  });
}

TEST(ExceptionsTest, ExceptionPointerCaughtOnOneFiberIsRethrownOnAnother) {
  on_loop([] {
    std::exception_ptr passed;
    TaskGroup group;
    spawn(group, [&] {
      try {
        throw std::runtime_error("passed on");
      } catch (...) {
        passed = std::current_exception();
        yield();
      }
    });
    spawn(group, [&] {
      EXPECT_EQ(text_of(passed), "passed on");
      yield();
      EXPECT_EQ(text_of(std::move(passed)), "passed on");
    });
    EXPECT_TRUE(group.join().ok());
  });
}

// Keeps frames apart, so that unwinding them one by one is real work.
[[gnu::noinline]] int throw_below(int frames) {
  std::array<volatile char, 512> ballast{};
  ballast[0] = static_cast<char>(frames);
  if (frames == 0) throw std::runtime_error("from the bottom");
  const int result = throw_below(frames - 1);
  return result + ballast[0];
}

[[gnu::noinline]] int use_stack(int frames) {
  std::array<volatile char, 512> ballast{};
  for (std::size_t i = 0; i < ballast.size(); i += 64) ballast[i] = 1;
  return ballast[64] + (frames == 0 ? 0 : use_stack(frames - 1));
}

// AddressSanitizer leaves red zones behind that unwinding jumped over: the next fiber on the same stack must not trip.
TEST(ExceptionsTest, RecycledStackIsCleanAfterAThrowThroughManyFrames) {
  on_loop([] {
    TaskGroup group;
    for (int round = 0; round < 20; ++round) {
      spawn(group, [] { throw_below(30); });
      EXPECT_THROW((void)group.join(), std::runtime_error);
      int sum = 0;
      spawn(group, [&] { sum = use_stack(60); });
      EXPECT_TRUE(group.join().ok());
      EXPECT_EQ(sum, 61);
    }
  });
}

TEST(ExceptionsDeathTest, ExceptionThatLeavesARootFiberEndsTheProgramWithItsNameAndText) {
  EXPECT_DEATH(on_loop([] {
                 Loop::current()->spawn_root("the guilty one", [] { throw std::runtime_error("what it said"); });
                 yield();
               }),
               "the guilty one.*what it said");
}

TEST(ExceptionsDeathTest, SoDoesOneThatIsNoStdException) {
  EXPECT_DEATH(on_loop([] {
                 Loop::current()->spawn_root("the guilty one", [] { throw 42; });
                 yield();
               }),
               "the guilty one");
}

}  // namespace
}  // namespace dray::fiber
