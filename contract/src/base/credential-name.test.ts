import { expect, it } from "vitest";
import { isSecretParameter } from "./credential-name.ts";

it.each([
  "token",
  "access_token",
  "accessToken",
  "access-token",
  "ACCESS_TOKEN",
  "authToken",
  "clientSecret",
  "sessionToken",
  "refreshToken",
  "apiToken",
  "idToken",
  "userPassword",
  "authorization",
  "Authorization",
  "jwt",
  "pass",
  "AWSAccessKeyId",
  "X-Amz-Signature",
  "X-Amz-Security-Token",
  "subscription-key",
  "apiKey",
  "apikey",
  "api_key",
  "x-functions-key",
  "key1",
  "sig",
  "user",
  "username",
  "userName",
  "dbUser",
  "passphrase",
  "privateKey",
  "accesskey",
  "clientsecret",
  "token[0]",
  "auth.token",
  "oauth_nonce",
  "sessionid",
  "PHPSESSID",
  "session",
  "creds",
  "pwd2",
  "my.password",
  "otp",
])("%s is the name of a credential", (name) => expect(isSecretParameter(name)).toBe(true));

it.each([
  "q",
  "page",
  "id",
  "monkey",
  "keyboard",
  "keyword",
  "author",
  "passenger",
  "compass",
  "design",
  "signal",
  "turkey",
  "userId",
  "pinned",
  "region",
  "sort",
  "limit",
  "",
])("%s is no name of a credential", (name) => expect(isSecretParameter(name)).toBe(false));

it("a long name takes no long time", () => {
  const before = process.cpuUsage();
  for (const name of ["A".repeat(100_000), "aA".repeat(50_000), "-".repeat(100_000)]) isSecretParameter(name);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(500);
});
