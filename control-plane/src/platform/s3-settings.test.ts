import { expect, it } from "vitest";
import { type ConfigError, parseConfig } from "./config.ts";

const KEY = {
  SVC_STATUS_EXPORT_S3_ACCESS_KEY_ID: "AKID",
  SVC_STATUS_EXPORT_S3_SECRET_ACCESS_KEY: "a/secret+with=signs",
};
const parsed = (url: string, others = {}) =>
  parseConfig({ SVC_STATUS_EXPORT_S3_URL: url, ...KEY, ...others }).statusExportS3;

it.each([
  ["https://s3.example.com/my-bucket", "https://s3.example.com", "my-bucket", ""],
  ["https://s3.example.com/my-bucket/", "https://s3.example.com", "my-bucket", ""],
  ["http://minio:9000/my.bucket/a/b/", "http://minio:9000", "my.bucket", "a/b"],
  ["https://S3.example.com:443/Old_Bucket/a%20b/c+d", "https://s3.example.com", "Old_Bucket", "a b/c+d"],
  ["https://[::1]:9000/abc/ü", "https://[::1]:9000", "abc", "ü"],
])("takes %s apart", (url, origin, bucket, prefix) => {
  expect(parsed(url)).toEqual({
    origin,
    bucket,
    prefix,
    region: "us-east-1",
    accessKeyId: "AKID",
    secretAccessKey: "a/secret+with=signs",
    sessionToken: undefined,
  });
});

it("takes another region and a session's token", () => {
  const others = { SVC_STATUS_EXPORT_S3_REGION: "auto", SVC_STATUS_EXPORT_S3_SESSION_TOKEN: "t/o+k==" };
  expect(parsed("https://h/abc", others)).toMatchObject({ region: "auto", sessionToken: "t/o+k==" });
  expect(parseConfig({}).statusExportS3).toBeUndefined();
});

it.each([
  ["my-bucket", "expected https://host/bucket"],
  ["ftp://h/my-bucket", "expected https://host/bucket"],
  ["https://h", "no part empty"],
  ["https://h/", "no part empty"],
  ["https://h/my-bucket//a", "no part empty"],
  ["https://h/my-bucket/a%2Fb", "no part empty"],
  ["https://h/my-bucket/%E0%A4%A", "no part empty"],
  ["https://h/my%20bucket", "a bucket's name"],
  ["https://h/ab", "a bucket's name"],
  ["https://user:hidden@h/my-bucket", "without user and password"],
  ["https://h/my-bucket?x=1", "without ? and #"],
  ["https://h/my-bucket#x", "without ? and #"],
  [`https://h/my-bucket/${"a".repeat(513)}`, "the prefix is longer than 512 bytes"],
])("refuses %s, and repeats nothing of it", (url, message) => {
  let error: ConfigError | undefined;
  try {
    parsed(url);
  } catch (thrown) {
    error = thrown as ConfigError;
  }
  expect(error?.message).toMatch(/^SVC_STATUS_EXPORT_S3_URL: [^;]/);
  expect(error?.message).toContain(message);
  expect(error?.message).not.toContain("hidden");
});
