// client.mjs FOLDER VERB BUCKET [KEY [FILE]]: the same verbs as the other clients of clients.py, by the JavaScript SDK
// that is installed in FOLDER. Bodies are streams, which the SDK sends in chunks with a checksum trailer, over http too.
import { createReadStream, createWriteStream, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const [folder, verb, bucket, key, file] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const sdk = require("@aws-sdk/client-s3");
const { Upload } = require("@aws-sdk/lib-storage");

const s3 = new sdk.S3Client({
  endpoint: process.env.AWS_ENDPOINT_URL,
  region: process.env.AWS_REGION,
  forcePathStyle: true,
  maxAttempts: 1,
});
const target = { Bucket: bucket, Key: key };

const verbs = {
  mb: () => s3.send(new sdk.CreateBucketCommand({ Bucket: bucket })),
  rb: () => s3.send(new sdk.DeleteBucketCommand({ Bucket: bucket })),
  rm: () => s3.send(new sdk.DeleteObjectCommand(target)),
  async put() {
    const size = statSync(file).size;
    const body = createReadStream(file);
    if (size < 8 << 20) return s3.send(new sdk.PutObjectCommand({ ...target, Body: body, ContentLength: size }));
    return new Upload({ client: s3, params: { ...target, Body: body }, partSize: 5 << 20, queueSize: 2 }).done();
  },
  async get() {
    const got = await s3.send(new sdk.GetObjectCommand(target));
    await pipeline(got.Body, createWriteStream(file));
  },
  async ls() {
    for await (const page of sdk.paginateListObjectsV2({ client: s3 }, { Bucket: bucket }))
      for (const found of page.Contents ?? []) console.log(found.Size, found.Key);
  },
};

try {
  await verbs[verb]();
} catch (error) {
  console.error(`${error.name}: ${error.message} (${error.$metadata?.httpStatusCode})`);
  process.exit(1);
}
