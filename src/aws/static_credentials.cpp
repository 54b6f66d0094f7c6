#include "aws/credentials.h"

namespace dray::aws {
namespace {

/// A pair that somebody handed over: a flag, the API, a test.
class StaticCredentials final : public CredentialsProvider {
 public:
  explicit StaticCredentials(Credentials credentials) : credentials_(std::move(credentials)) {
    if (credentials_.source.empty()) credentials_.source = "given keys";
  }
  std::string_view name() const override { return "given keys"; }
  Result<Credentials> get(Deadline) override {
    DRAY_TRY(check_credentials(credentials_));
    return credentials_;
  }

 private:
  Credentials credentials_;
};

}  // namespace

std::unique_ptr<CredentialsProvider> static_credentials(Credentials credentials) {
  return std::make_unique<StaticCredentials>(std::move(credentials));
}

}  // namespace dray::aws
