// Copier: starts the upload of one source after another, or ends it where it does not come to an upload.
#pragma once

#include "cli/commands.h"
#include "cli/source.h"
#include "cli/upload_queue.h"

namespace dray::cli {

/// On the command's thread. Borrows all it is given.
class Copier {
 public:
  Copier(Client& client, UploadQueue& queue, const UploadFlags& flags)
      : client_(client), queue_(queue), flags_(flags) {}

  /// What becomes of it is told by the queue. Waits for the writer of a FIFO, and with --no-clobber for the store.
  void start(const Source& source);

 private:
  void end(const Source& source, Outcome::State state, Error error);
  bool ends_early(const Source& source);
  void upload(const Source& source);

  Client& client_;
  UploadQueue& queue_;
  const UploadFlags& flags_;
};

}  // namespace dray::cli
