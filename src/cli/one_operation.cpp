#include "cli/one_operation.h"

#include <utility>

#include "cli/exit_code.h"
#include "cli/tally.h"

namespace dray::cli {

Result<Client> open_client(Context& context) {
  Config config = DRAY_TRY(config_from(context.global, context.output.log()));
  return Client::open(std::move(config));
}

int finish_one(Context& context, const Outcome& outcome) {
  Tally tally{.planned = 1};
  tally.count(outcome);
  context.output.report(outcome);
  context.output.summary(tally);
  return tally.exit_code();
}

int fail(Context& context, Operation operation, Error error) {
  return finish_one(context,
                    {.operation = std::move(operation), .state = Outcome::State::failed, .error = std::move(error)});
}

int wrong_usage(Context& context, const Error& error) {
  context.output.say("dray: " + error.message + (error.advice.empty() ? "" : ": " + error.advice));
  return kExitUsage;
}

}  // namespace dray::cli
