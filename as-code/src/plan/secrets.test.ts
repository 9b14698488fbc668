import fc from "fast-check";
import { expect, it } from "vitest";
import { createSecrets } from "./secrets.ts";

const R = "***REDACTED***";

it.each([
  ["as it is", "s3cret/ä", "x s3cret/ä y", `x ${R} y`],
  ["in a URL", "s3cret/ä", "?k=s3cret%2F%C3%A4&x", `?k=${R}&x`],
  ["in JSON text", 'se"cret', '{"a":"se\\"cret"}', `{"a":"${R}"}`],
  ["in a Basic header", "user:pass", `Basic ${btoa("user:pass")}`, `Basic ${R}`],
  ["without its last line break", "s3cret\n", "x s3cret", `x ${R}`],
  ["each line of a key", "-----BEGIN KEY\nabcdefgh12\n", "abcdefgh12", R],
])("a secret is replaced %s", (_title, secret, text, shown) => {
  const secrets = createSecrets();
  secrets.add(secret);
  expect(secrets.redact(text)).toBe(shown);
});

it("of two secrets the longer one goes first", () => {
  const secrets = createSecrets();
  secrets.add("abc");
  secrets.add("abcdef");
  expect(secrets.redact("abcdef abc")).toBe(`${R} ${R}`);
});

it("an empty secret replaces nothing", () => {
  const secrets = createSecrets();
  secrets.add("");
  expect(secrets.redact("abc")).toBe("abc");
});

it("no value of a structure holds a secret, whatever it is made of", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 6, unit: "grapheme" }).filter((s) => s.trim().length >= 6),
      fc.string(),
      (secret, around) => {
        const secrets = createSecrets();
        secrets.add(secret);
        const shown = secrets.redactDeep({
          list: [around + secret + around],
          map: { [`X-${secret}`]: { inner: secret } },
        });
        fc.pre(!R.includes(secret) && !around.includes(secret));
        expect(JSON.stringify(shown).split(R).join("")).not.toContain(JSON.stringify(secret).slice(1, -1));
      },
    ),
  );
});
