// Throughput of each CRC kernel that this machine can run, of the digests, and the price of a combination.
// 256 KiB is the slice in which the transfers read and fold; 64 MiB does not fit into a cache.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "hash/crc.h"
#include "hash/digest.h"

namespace dray::hash {
namespace {

std::string content(std::int64_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  std::uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

template <class Fold>
void measure(benchmark::State& state, Fold fold) {
  const std::string text = content(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(fold(as_bytes(text)));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

template <class Fold>
void add(const std::string& name, std::vector<std::int64_t> sizes, Fold fold) {
  benchmark::RegisterBenchmark(name.c_str(), [fold](benchmark::State& state) {
    measure(state, fold);
  })->ArgsProduct({std::move(sizes)});
}

void add_all() {
  const std::vector<std::int64_t> sizes = {64, 4 << 10, 256 << 10, 64 << 20};
  for (const CrcKernel& kernel : available_crc_kernels()) {
    const std::string name(kernel.name);
    if (kernel.crc32) add(name + "/crc32", sizes, [f = kernel.crc32](Bytes data) { return f(0, data); });
    if (kernel.crc32c) add(name + "/crc32c", sizes, [f = kernel.crc32c](Bytes data) { return f(0, data); });
    if (kernel.crc64nvme) add(name + "/crc64nvme", sizes, [f = kernel.crc64nvme](Bytes data) { return f(0, data); });
  }
  add("openssl/md5", sizes, [](Bytes data) { return digest(DigestKind::md5, data); });
  add("openssl/sha1", sizes, [](Bytes data) { return digest(DigestKind::sha1, data); });
  add("openssl/sha256", sizes, [](Bytes data) { return sha256(data); });
  add("openssl/hmac_sha256", {64}, [](Bytes data) { return hmac_sha256(data, data); });
}

void combine(benchmark::State& state) {
  std::uint64_t crc = 1;
  for (auto _ : state) benchmark::DoNotOptimize(crc = combine_crc64nvme(crc, 2, 8'388'607));
}
BENCHMARK(combine);

}  // namespace
}  // namespace dray::hash

int main(int argc, char** argv) {
  dray::hash::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
