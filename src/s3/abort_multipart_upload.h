// AbortMultipartUpload: drops an unfinished upload and its parts.
#pragma once

#include "s3/session.h"

namespace dray::s3 {

/// An upload that is gone already (NoSuchUpload) is success.
Result<void> abort_multipart_upload(Session& session, std::string_view bucket, std::string_view key,
                                    std::string_view upload_id, Deadline deadline);

}  // namespace dray::s3
