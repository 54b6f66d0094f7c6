// Uploads one file with libdray and shows how it goes.
//
//   upload FILE s3://bucket/key         endpoint, region and keys come from the environment, as with the AWS tools
#include <dray/dray.h>

#include <chrono>
#include <cstdio>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: upload FILE s3://bucket/key\n";
    return 2;
  }
  dray::Result<dray::ObjectUrl> target = dray::ObjectUrl::parse(argv[2]);
  dray::Result<dray::Config> config = dray::Config::from_environment();
  if (!target || !config) {
    std::cerr << (target ? config.error() : target.error()).message << "\n";
    return 2;
  }
  dray::Result<dray::Client> client = dray::Client::open(*config);
  if (!client) {
    std::cerr << client.error().message << "\n";
    return 1;
  }
  dray::Transfer transfer = client->upload(argv[1], *target);
  while (!transfer.wait_for(std::chrono::seconds(1))) {
    std::cout << transfer.progress().bytes_done << " bytes done\n";
  }
  dray::Result<dray::Summary> done = transfer.wait();
  if (!done) {
    std::cerr << done.error().message << "\n";
    if (!done.error().left_behind.empty()) std::cerr << "left behind: " << done.error().left_behind << "\n";
    return 1;
  }
  std::cout << done->size << " bytes, ETag " << done->etag << ", " << dray::name_of(done->checksum_kind) << " "
            << done->checksum << "\n";
}
