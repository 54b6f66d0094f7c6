// The handlers: one function for each operation, by group in *_handlers.cpp.
//
// A handler runs on the connection's fiber, reads the request's body if it has one, and returns the reply or an Error
// with S3's code. It never writes to the connection.
#pragma once

#include "dray/result.h"
#include "server/exchange.h"

namespace dray::server {

// bucket_handlers.cpp
Result<Reply> list_buckets(Exchange& exchange);
Result<Reply> create_bucket(Exchange& exchange);
Result<Reply> head_bucket(Exchange& exchange);
Result<Reply> delete_bucket(Exchange& exchange);
Result<Reply> get_bucket_location(Exchange& exchange);

// list_handlers.cpp
Result<Reply> list_objects(Exchange& exchange);
Result<Reply> list_multipart_uploads(Exchange& exchange);
Result<Reply> list_parts(Exchange& exchange);

// object_handlers.cpp
Result<Reply> put_object(Exchange& exchange);
Result<Reply> get_object(Exchange& exchange);
Result<Reply> head_object(Exchange& exchange);
Result<Reply> delete_object(Exchange& exchange);
Result<Reply> delete_objects(Exchange& exchange);

// multipart_handlers.cpp
Result<Reply> create_multipart_upload(Exchange& exchange);
Result<Reply> upload_part(Exchange& exchange);
Result<Reply> complete_multipart_upload(Exchange& exchange);
Result<Reply> abort_multipart_upload(Exchange& exchange);

}  // namespace dray::server
