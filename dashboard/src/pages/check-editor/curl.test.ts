import { expect, it } from "vitest";
import { requestOfCurl } from "./curl.ts";

it.each([
  [
    `curl -X POST -H 'A: b' -d '{"x":1}' http://shop.example/cart`,
    {
      url: "http://shop.example/cart",
      method: "POST",
      headers: { A: "b", "Content-Type": "application/x-www-form-urlencoded" },
      body: '{"x":1}',
    },
  ],
  ["curl shop.example", { url: "http://shop.example" }],
  [
    `curl 'https://a.example/?q=1' \\\n  -H "Authorization: Bearer \\"t\\"" \\\n  --compressed`,
    { url: "https://a.example/?q=1", headers: { Authorization: 'Bearer "t"' } },
  ],
  [
    "curl --json '{}' https://a.example",
    {
      url: "https://a.example",
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: "{}",
    },
  ],
  [
    "curl -u name:pass:word -sSL https://a.example",
    {
      url: "https://a.example",
      auth: { type: "basic", username: "name", password: "pass:word" },
      followRedirects: true,
    },
  ],
  ["curl -G -d a=1 --data-urlencode b=2 https://a.example/x", { url: "https://a.example/x?a=1&b=2" }],
  ["curl -I --request=HEAD https://a.example", { url: "https://a.example", method: "HEAD" }],
  [
    "curl $'https://a.example' --data-raw $'a\\nb\\'c'",
    {
      url: "https://a.example",
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "a\nb'c",
    },
  ],
])("%s", (text, request) => {
  expect(requestOfCurl(text)).toEqual({ ...request, leftOut: [] });
});

it("names the options that a check has no field for", () => {
  expect(requestOfCurl("curl -k --http2 https://a.example")).toMatchObject({ leftOut: ["-k", "--http2"] });
});

it.each(["https://a.example", "curl", "wget https://a.example", "curl -X", "", "curl '"])(
  "%s is no request of curl",
  (text) => expect(requestOfCurl(text)).toBeUndefined(),
);
