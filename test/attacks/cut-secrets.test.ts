/** Looks for pieces of team secrets in texts that the product cuts: messages, quotations, evidence. */
import { type CheckType, excerpt, maskUrlsIn } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { storableText, textPreview, textStart, valuePreview } from "../../probes/src/base/storable-text.ts";
import { runOf } from "../../probes/test-support/run-of.ts";
import { httpServer, rawServer } from "../../probes/test-support/servers.ts";
import { maskOutcome, valueMasker } from "../../runner-agent/src/vault/value-masker.ts";

describe("a value in a text that was cut", () => {
  /** Lengths around those that matter: shortest beginning, what the finder knows by heart, the longest quotation, the largest secret. */
  const lengthArbitrary = fc.oneof(
    fc.integer({ min: 8, max: 80 }),
    fc.integer({ min: 480, max: 1_200 }),
    fc.constant(65_536),
  );
  const unitArbitrary = fc.constantFrom(..."abcXYZ0189.../+=%&\"'\\ -_é😀".split(""), "\n", "€", "😀");
  const unitsArbitrary = fc.array(unitArbitrary, { minLength: 8, maxLength: 40 });
  const formArbitrary = fc.constantFrom<(value: string) => string>(
    (value) => value,
    encodeURIComponent,
    (value) => JSON.stringify(value).slice(1, -1),
    (value) => Buffer.from(value).toString("base64"),
    // As basic credentials have it, without the characters that the name before it decides.
    (value) => Buffer.from(`user:${value}`).toString("base64").slice(7),
  );
  /** Ways in which the product cuts texts, and goes on after the cut. */
  const cutArbitrary = fc.constantFrom<(text: string, length: number) => string>(
    (text, length) => text.slice(0, length),
    (text, length) => `~~ "${textStart(text, length)}" ~~`,
    (text, length) => `${storableText(text.slice(0, length))}`,
    (text, length) => `${text.slice(0, length)}\u2026 ~~`,
    (text) => `~~ "${textPreview(text)}" ~~`,
    (text) => `${valuePreview({ "~": [text] })}`,
    (text) => `~~ ${excerpt(text)} ~~`,
  );

  it("leaves no 8 characters in a row of it, wherever the cut is", () => {
    fc.assert(
      fc.property(
        unitsArbitrary,
        lengthArbitrary,
        formArbitrary,
        cutArbitrary,
        fc.nat({ max: 70_000 }),
        fc.nat({ max: 520 }),
        (units, length, form, cut, at, before) => {
          const value = units.join("").repeat(length).slice(0, length).toWellFormed();
          const written = form(value);
          const text = cut(
            "~".repeat(before) + written + "~".repeat(9),
            before + (at % (written.length + 9)),
          );
          const masked = valueMasker([value])(text).replaceAll(/\*{3}REDACTED\*{3}|\.\.\./g, "\0");
          for (let start = 0; start + 8 <= masked.length; start++) {
            const piece = masked.slice(start, start + 8);
            if (!/[~\0]/.test(piece)) expect(written.includes(piece) && piece).toBe(false);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is hidden in the middle of a document that is no JSON, of which the message quotes a piece", () => {
    const value = "0123456789-abcdefghij-KLMNOPQRST";
    for (let at = 1; at < value.length; at++) {
      const document = `{"a": "${value.slice(0, at)}"${value.slice(at)}"}`;
      let message = "";
      try {
        JSON.parse(document);
      } catch (error) {
        ({ message } = error as Error);
      }
      const masked = valueMasker([value])(`the body is not JSON: ${message}`);
      for (let start = 0; start + 8 <= value.length; start++)
        expect(masked).not.toContain(value.slice(start, start + 8));
    }
  });

  it("is hidden where a URL in it has its own credentials hidden already", () => {
    const value = "https://user:password@host.test/a-long-path/with-a-token-in-it";
    for (let length = 30; length < value.length; length++)
      expect(valueMasker([value])(`got "${maskUrlsIn(value.slice(0, length))}..."`)).toBe(
        'got "***REDACTED***..."',
      );
  });
});

describe("the result of a run whose secret is longer than a quotation", () => {
  const SECRET = Array.from({ length: 300 }, (_, index) => `s${index}`).join(":");
  const hide = valueMasker([SECRET]);

  it.each<[string, CheckType, Record<string, unknown>]>([
    ["expectContains of a TCP check", "tcp", { expectContains: SECRET }],
    ["expectMatches of a TCP check", "tcp", { expectMatches: `^${SECRET}$` }],
    ["what a TCP check sends, repeated by the server", "tcp", { send: SECRET, expectContains: "nothing" }],
  ])("has no piece of it: %s", async (_name, type, config) => {
    const server = await rawServer((socket) => {
      socket.on("data", (data) => socket.end(`you said: ${data}`)).write("hello");
    });
    const [host, port] = server.split(":");
    const result = maskOutcome(
      await runOf(type, { host, port: Number(port), timeoutMs: 1_000, ...config }),
      hide,
    );
    expect(result).toMatchObject({ kind: "result", status: "failure" });
    expect(JSON.stringify(result)).not.toMatch(/s\d+:s\d+:s/);
    expect(JSON.stringify(result)).toContain("***REDACTED***");
  });

  it("has no piece of one in a URL that a page repeats after 460 characters", async () => {
    const secret = "midsecretvalue-0123456789-abcdefghijklmnop-qrstuvwxyz";
    const base = await httpServer((request, response) =>
      response.end(`${".".repeat(460)}${request.url?.slice(1)}`),
    );
    const config = {
      url: `${base.replace(/\/$/, "")}/${secret}`,
      assertions: [{ type: "body_matches", pattern: "^nope" }],
    };
    const result = maskOutcome(await runOf("http", config), valueMasker([secret]));
    expect(JSON.stringify(result)).toContain("body_matches");
    for (let start = 0; start + 8 <= secret.length; start++)
      expect(JSON.stringify(result)).not.toContain(secret.slice(start, start + 8));
  });
});
