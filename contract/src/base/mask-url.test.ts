import fc from "fast-check";
import { expect, it } from "vitest";
import { credentialsOfUrl, maskUrl, maskUrlsIn } from "./mask-url.ts";
import { REDACTED } from "./redacted.ts";

it.each([
  ["https://a.example.com/x?q=1", "https://a.example.com/x?q=1"],
  ["https://a.example.com/x?accessToken=s&q=%2F", `https://a.example.com/x?accessToken=${REDACTED}&q=%2F`],
  ["https://a.example.com/?q=1;apiKey=s", `https://a.example.com/?q=1;apiKey=${REDACTED}`],
  ["https://u:p@a.example.com", `https://${REDACTED}:${REDACTED}@a.example.com`],
  ["https://t@a.example.com/", `https://${REDACTED}@a.example.com/`],
  ["https://u:p@q@a.example.com/", `https://${REDACTED}:${REDACTED}@a.example.com/`],
  ["https:u:p@a.example.com/", `https:${REDACTED}:${REDACTED}@a.example.com/`],
  ["https:\\\\u:p@a.example.com/", `https:\\\\${REDACTED}:${REDACTED}@a.example.com/`],
  [
    "https://a.example.com/#access_token=s&state=1",
    `https://a.example.com/#access_token=${REDACTED}&state=1`,
  ],
  ["https://a.example.com/#/route?idToken=s", `https://a.example.com/#/route?idToken=${REDACTED}`],
  ["https://a.example.com/?access%54oken=s", `https://a.example.com/?access%54oken=${REDACTED}`],
  ["https://a.example.com/?next=https%3A%2F%2Fb%2F%3Ftoken%3Ds", `https://a.example.com/?next=${REDACTED}`],
  [
    "https://a.example.com/?next=https%253A%252F%252Fb%252F%253Ftoken%253Ds",
    `https://a.example.com/?next=${REDACTED}`,
  ],
  [
    "https://a.example.com/?next=https%3A%2F%2Fb%2F%3Fq%3Ds",
    "https://a.example.com/?next=https%3A%2F%2Fb%2F%3Fq%3Ds",
  ],
  ["https://a.example.com/?tok\ten=s", `https://a.example.com/?token=${REDACTED}`],
  ["https://u:p@{{env.HOST}}/", `https://${REDACTED}:${REDACTED}@{{env.HOST}}/`],
  ["mailto:a@b.example", "mailto:a@b.example"],
  ["no URL, token=1", "no URL, token=1"],
])("%j is shown as %j", (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
  expect(maskUrl(shown)).toBe(shown);
});

it("URLs in a text are masked, and the text around them is kept", () => {
  expect(maskUrlsIn('redirect to "https://a/?jwt=s", or (http://u:p@b) and c?token=1')).toBe(
    `redirect to "https://a/?jwt=${REDACTED}", or (http://${REDACTED}:${REDACTED}@b) and c?token=1`,
  );
});

it("lists the credentials as they are written", () => {
  expect(credentialsOfUrl("https://u:p%40@a.example.com/?q=1&apiToken=t%20t#jwt=j")).toEqual([
    "u",
    "p%40",
    "t%20t",
    "j",
  ]);
});

const SECRET = "s3cr3tS3cr3t";
const PREFIXES = ["", "my", "x", "client", "refresh", "user", "new"];
const WORDS = ["token", "secret", "password", "apiKey", "signature", "credential", "passphrase"];
const capitalized = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
const SPELLINGS = [
  (a: string, b: string) => a + capitalized(b),
  (a: string, b: string) => capitalized(a) + capitalized(b),
  (a: string, b: string) => [a, b].filter(Boolean).join("_"),
  (a: string, b: string) => [a, b].filter(Boolean).join("-"),
  (a: string, b: string) => [a, b].filter(Boolean).join(".").toUpperCase(),
  (a: string, b: string) => (a + b).toLowerCase(),
];

it("no credential of a URL is shown, wherever it stands and however its parameter is spelled", () => {
  const name = fc
    .tuple(fc.constantFrom(...PREFIXES), fc.constantFrom(...WORDS), fc.constantFrom(...SPELLINGS))
    .map(([prefix, word, spell]) => spell(prefix, word));
  const ordinary = fc.constantFrom("q=1", "page=2", "a", "", "next=%2Fx");
  const parameters = fc
    .tuple(
      fc.array(ordinary, { maxLength: 3 }),
      name,
      fc.array(ordinary, { maxLength: 3 }),
      fc.constantFrom("&", ";"),
    )
    .map(([before, secret, after, separator]) =>
      [...before, `${secret}=${SECRET}`, ...after].join(separator),
    );
  const anyUrl = fc.oneof(
    parameters.map((text) => `https://a.example.com/x?${text}`),
    parameters.map((text) => `https://a.example.com/x?q=1#${text}`),
    parameters.map((text) => `https://a.example.com/#/x?${text}`),
    parameters.map((text) => `https://a.example.com/?next=${encodeURIComponent(`http://b/?${text}`)}`),
    fc.constantFrom(`https://${SECRET}@a/`, `https://u:${SECRET}@a/?q=1`, `HTTPS://u:${SECRET}@a`),
  );
  fc.assert(
    fc.property(anyUrl, (url) => {
      expect(maskUrl(url)).not.toContain(SECRET);
      expect(maskUrlsIn(`see ${url} there`)).not.toContain(SECRET);
    }),
    { numRuns: 2000 },
  );
});
