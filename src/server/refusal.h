// Refusals: errors that a client is told, by S3's code.
#pragma once

#include <string>
#include <string_view>

#include "dray/result.h"

namespace dray::server {

/// An Error with S3's code and the status that goes with it.
Error refuse(std::string_view code, std::string message);
/// What the client is told of any Error: its own code if it has one, else what fits its kind. Details of this machine
/// (paths) stay out of it.
Error as_refusal(Error error);

Error no_such_bucket();
Error no_such_key();
Error no_such_upload();
Error precondition_failed();
Error malformed_xml();

}  // namespace dray::server
