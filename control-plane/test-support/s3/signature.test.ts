import { expect, it } from "vitest";
import { type SignedRequest, signatureFault } from "./signature.ts";

const ACCOUNT = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};
const AT_MS = Date.UTC(2013, 4, 24);
const NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Returns a request of the examples in AWS's documentation of Signature Version 4 for S3. */
function example(target: string, signature: string, changes: Partial<SignedRequest> = {}): SignedRequest {
  const headers: Record<string, string | undefined> = {
    host: "examplebucket.s3.amazonaws.com",
    "x-amz-date": "20130524T000000Z",
    "x-amz-content-sha256": NOTHING,
    ...changes.headers,
  };
  const signed = Object.keys(headers).sort().join(";");
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${ACCOUNT.accessKeyId}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signed},Signature=${signature}`;
  return { method: "GET", target, body: Buffer.alloc(0), ...changes, headers };
}

const GET = example("/test.txt", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41", {
  headers: { range: "bytes=0-9" },
});
const PUT = example("/test$file.text", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd", {
  method: "PUT",
  headers: {
    date: "Fri, 24 May 2013 00:00:00 GMT",
    "x-amz-storage-class": "REDUCED_REDUNDANCY",
    "x-amz-content-sha256": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
  },
  body: Buffer.from("Welcome to Amazon S3."),
});
const LIST = example(
  "/?max-keys=2&prefix=J",
  "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
);

it.each([
  ["an object that is read", GET],
  ["an object that is put", PUT],
  ["a list", LIST],
])("accepts the documented example of %s", (_name, request) => {
  expect(signatureFault(request, ACCOUNT, AT_MS)).toBeUndefined();
});

it.each<[string, SignedRequest, number]>([
  ["SignatureDoesNotMatch", { ...GET, target: "/test.tx" }, AT_MS],
  ["SignatureDoesNotMatch", { ...GET, method: "DELETE" }, AT_MS],
  ["SignatureDoesNotMatch", { ...LIST, target: "/?max-keys=3&prefix=J" }, AT_MS],
  ["SignatureDoesNotMatch", { ...GET, headers: { ...GET.headers, range: "bytes=0-8" } }, AT_MS],
  ["XAmzContentSHA256Mismatch", { ...PUT, body: Buffer.from("Welcome to Amazon S4.") }, AT_MS],
  ["AccessDenied", { ...PUT, headers: { ...PUT.headers, "x-amz-acl": "public-read" } }, AT_MS],
  ["AccessDenied", { ...GET, headers: { ...GET.headers, authorization: undefined } }, AT_MS],
  ["InvalidToken", { ...GET, headers: { ...GET.headers, "x-amz-security-token": "t" } }, AT_MS],
  ["RequestTimeTooSkewed", GET, AT_MS + 15 * 60_000 + 1],
])("refuses with %s a request that was changed or is old", (code, request, nowMs) => {
  expect(signatureFault(request, ACCOUNT, nowMs)).toBe(code);
});

it("refuses another secret, key and region", () => {
  const faults = [{ secretAccessKey: "other" }, { accessKeyId: "OTHER" }, { region: "eu-central-1" }].map(
    (other) => signatureFault(GET, { ...ACCOUNT, ...other }, AT_MS),
  );
  expect(faults).toEqual(["SignatureDoesNotMatch", "InvalidAccessKeyId", "AuthorizationHeaderMalformed"]);
});
