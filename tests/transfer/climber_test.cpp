#include "transfer/climber.h"

#include <gtest/gtest.h>

#include <functional>

namespace dray::transfer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr ClimberOptions kOptions{
    .start = 4, .least = 1, .most = 42, .gain = 1.1, .interval = milliseconds(500), .rest = seconds(10)};

/// A climber and a world whose goodput depends on the level, on a clock of its own.
class World {
 public:
  explicit World(ClimberOptions options, std::function<double(std::size_t)> rate)
      : climber(options), rate_(std::move(rate)) {}

  void run(Duration duration, bool saturated = true) {
    for (const SteadyTime end = now + duration; now < end;) {
      now += milliseconds(10);
      climber.moved(static_cast<std::uint64_t>(rate_(climber.level()) / 100), saturated, now);
    }
  }

  Climber climber;
  SteadyTime now{seconds(1'000)};

 private:
  std::function<double(std::size_t)> rate_;
};

double linear(std::size_t level) { return static_cast<double>(level) * 1e8; }
double flat(std::size_t) { return 1e9; }

TEST(ClimberTest, StartsWhereItWasTold) { EXPECT_EQ(Climber(kOptions).level(), 4u); }

TEST(ClimberTest, ClimbsToTheTopWhileItPays) {
  World world(kOptions, linear);
  world.run(seconds(6));
  EXPECT_EQ(world.climber.level(), 42u);
}

TEST(ClimberTest, OneSlowPartAfterAnotherSaysNothingYet) {
  Climber climber(kOptions);
  SteadyTime now{seconds(1'000)};
  climber.moved(1, true, now);  // the clock starts
  for (int part = 1; part < 4; ++part) {
    now += seconds(20);
    EXPECT_FALSE(climber.moved(8 << 20, true, now)) << part << " of 4 workers have got something done";
  }
  EXPECT_TRUE(climber.moved(8 << 20, true, now + seconds(20)));
}

TEST(ClimberTest, StaysAtTheTop) {
  World world(kOptions, linear);
  world.run(seconds(60));
  EXPECT_EQ(world.climber.level(), 42u);
}

TEST(ClimberTest, GoesBackAfterAStepThatDidNotPay) {
  World world(kOptions, flat);
  world.run(milliseconds(800));
  EXPECT_EQ(world.climber.level(), 6u);  // tries
  world.run(milliseconds(500));
  EXPECT_EQ(world.climber.level(), 4u);  // and goes back
}

TEST(ClimberTest, RestsBeforeItTriesAgain) {
  World world(kOptions, flat);
  world.run(milliseconds(1'300));
  ASSERT_EQ(world.climber.level(), 4u);
  for (int step = 0; step < 9; ++step) {
    world.run(seconds(1));
    ASSERT_EQ(world.climber.level(), 4u) << step;
  }
  world.run(milliseconds(800));
  EXPECT_EQ(world.climber.level(), 6u);
}

TEST(ClimberTest, FindsTheKnee) {
  World world(kOptions, [](std::size_t level) { return static_cast<double>(std::min<std::size_t>(level, 20)) * 1e8; });
  world.run(seconds(8));
  EXPECT_GE(world.climber.level(), 19u);
  EXPECT_LE(world.climber.level(), 28u);
}

TEST(ClimberTest, LearnsNothingWhileItsPlacesAreNotAllUsed) {
  World world(kOptions, linear);
  world.run(seconds(30), false);
  EXPECT_EQ(world.climber.level(), 4u);
}

TEST(ClimberTest, HalvesWhenAskedForLess) {
  World world(kOptions, linear);
  world.run(seconds(6));
  EXPECT_TRUE(world.climber.back_off(world.now));
  EXPECT_EQ(world.climber.level(), 21u);
}

TEST(ClimberTest, HalvesOnceForABurstOfRefusals) {
  World world(kOptions, linear);
  world.run(seconds(6));
  EXPECT_TRUE(world.climber.back_off(world.now));
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(world.climber.back_off(world.now + milliseconds(i)));
  EXPECT_EQ(world.climber.level(), 21u);
  EXPECT_TRUE(world.climber.back_off(world.now + milliseconds(600)));
  EXPECT_EQ(world.climber.level(), 10u);
}

TEST(ClimberTest, NeverGoesUnderTheLeast) {
  World world({.start = 4, .least = 2, .interval = milliseconds(500)}, linear);
  for (int i = 0; i < 10; ++i) {
    world.now += seconds(1);
    world.climber.back_off(world.now);
  }
  EXPECT_EQ(world.climber.level(), 2u);
}

TEST(ClimberTest, RestsAfterItBackedOffAndThenClimbsAgain) {
  World world(kOptions, linear);
  world.run(seconds(6));
  world.climber.back_off(world.now);
  world.run(seconds(9));
  EXPECT_EQ(world.climber.level(), 21u);
  world.run(seconds(3));
  EXPECT_GT(world.climber.level(), 21u);
}

TEST(ClimberTest, ALevelOfOneCanClimb) {
  World world({.start = 1, .least = 1, .most = 8, .gain = 1.1, .interval = milliseconds(100)}, linear);
  world.run(seconds(3));
  EXPECT_EQ(world.climber.level(), 8u);
}

}  // namespace
}  // namespace dray::transfer
