// HeadBucket and CreateBucket.
#pragma once

#include "s3/session.h"

namespace dray::s3 {

/// Success if the bucket exists and may be accessed. A HEAD reply has no body: a missing bucket is not_found by status.
Result<void> head_bucket(Session& session, std::string_view bucket, Deadline deadline);
/// In the session's region (LocationConstraint; none for us-east-1, which S3 wants left out).
Result<void> create_bucket(Session& session, std::string_view bucket, std::string_view region, Deadline deadline);

}  // namespace dray::s3
