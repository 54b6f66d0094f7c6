// ListParts: what the store has of an unfinished upload.
#pragma once

#include <vector>

#include "s3/upload_part.h"

namespace dray::s3 {

/// All parts, in order, over as many pages as it takes. A page that does not advance is ErrorKind::protocol.
Result<std::vector<UploadedPart>> list_parts(Session& session, std::string_view bucket, std::string_view key,
                                             std::string_view upload_id, Deadline deadline);

}  // namespace dray::s3
