import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProbeOutcome, ProbeRequest } from "@svc/probes";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "../../../contract/test-support/tls.ts";
import { openSecretsKey } from "../disk/secrets-key.ts";
import { valueMasker } from "./value-masker.ts";
import { Vault } from "./vault.ts";

const NOW_MS = 1_000;

/** A key that opens what `seal` makes of values, for the check `chk_a`. */
const openKey = {
  publicKey: new Uint8Array(32),
  open: (sealed: Uint8Array, checkId: string) => {
    if (checkId !== "chk_a") throw new Error("sealed for another check");
    return Buffer.from(sealed).toString();
  },
};
const seal = (values: Record<string, string>) => Buffer.from(JSON.stringify(values)).toString("base64");

function aRequest(config: Record<string, unknown>, overrides: Partial<ProbeRequest> = {}): ProbeRequest {
  return {
    checkId: "chk_a",
    type: "http",
    config: { url: "http://127.0.0.1/", method: "GET", timeoutMs: 1000, assertions: [], ...config },
    retry: null,
    slotMs: 0,
    frequencySeconds: 60,
    ...overrides,
  };
}

async function run(request: ProbeRequest, values: Record<string, string>, outcome?: Partial<ProbeOutcome>) {
  const seen: ProbeRequest[] = [];
  const vault = new Vault(openKey, () => NOW_MS);
  const result = await vault.run({ sealedSecrets: seal(values) }, request, async (filled) => {
    seen.push(filled);
    return {
      kind: "result",
      status: "failure",
      startedAtMs: 1,
      responseTimeUs: 1,
      elapsedUs: 1,
      phases: {},
      ...outcome,
    } as ProbeOutcome;
  });
  return { result, config: seen[0]?.config as Record<string, unknown> | undefined };
}

describe("a check that refers to secrets", () => {
  it("is probed with the values in their places", async () => {
    const { config } = await run(
      aRequest({
        url: "http://u:{{vault.PASSWORD}}@127.0.0.1/{{vault.PATH}}",
        headers: { Authorization: "Bearer {{ vault.TOKEN }}" },
        body: '{"a": "{{vault.TOKEN}}{{vault.TOKEN}}"}',
      }),
      { TOKEN: "t-1", PASSWORD: "p-1", PATH: "a/b" },
    );
    expect(config).toMatchObject({
      url: "http://u:p-1@127.0.0.1/a/b",
      headers: { Authorization: "Bearer t-1" },
      body: '{"a": "t-1t-1"}',
    });
  });

  it("has them in a script as the inside of a string, whatever its quotes", async () => {
    const value = "a\"b'c`d${e}\\f\ng";
    const script = "return [\"{{vault.V}}\", '{{vault.V}}', `{{vault.V}}`]";
    const { config } = await run(
      aRequest({}, { type: "browser", config: { browserMode: "scripted", script } }),
      { V: value },
    );
    // biome-ignore lint/security/noGlobalEval: the test judges how JavaScript reads the text
    expect(eval(`(() => { ${config?.script} })()`)).toEqual([value, value, value]);
  });

  it.each([
    ["is missing", { url: "http://127.0.0.1/{{vault.NONE}}" }, {}, "{{vault.NONE}} is not known"],
    [
      "leads to another host",
      { url: "http://u:{{vault.V}}@127.0.0.1/" },
      { V: "x@evil.test/" },
      "changes the URL's host",
    ],
    [
      "can't be in a header",
      { headers: { A: "{{vault.V}}" } },
      { V: "planted\nline" },
      "headers.A: not a valid header value",
    ],
    [
      "is far too long with its repetitions",
      { body: "{{vault.V}}".repeat(200) },
      { V: "v".repeat(60_000) },
      "more than 1048576 characters together",
    ],
  ])(
    "ends in an error that says so when a value %s, and is not probed",
    async (_name, config, values, message) => {
      const { result, config: probed } = await run(aRequest(config), values);
      expect(probed).toBeUndefined();
      expect(result).toMatchObject({ kind: "result", status: "error", startedAtMs: NOW_MS });
      expect(JSON.stringify(result)).toContain(message);
      expect(JSON.stringify(result)).not.toContain("planted");
    },
  );

  it("ends in an error that names the field when the value is no key, or the key of another certificate", async () => {
    const config = aRequest({ clientCertificate: TEST_CERTIFICATE, clientKey: "{{vault.KEY}}" });
    expect((await run(config, { KEY: TEST_KEY })).config).toMatchObject({ clientKey: TEST_KEY });
    for (const KEY of [TEST_KEY.replace("MIG", "AAA"), TEST_CERTIFICATE]) {
      const { result, config: probed } = await run(config, { KEY });
      expect(probed).toBeUndefined();
      expect(JSON.stringify(result)).toMatch(/is not valid: clientKey:? /);
    }
  });

  it("is given back when its values were sealed to another key", async () => {
    const { result } = await run(aRequest({}, { checkId: "chk_b" }), { V: "v" });
    expect(result).toMatchObject({ kind: "fault", reason: "unsupported" });
  });

  it("reports nothing that shows a value: detail, facts, messages of faults", async () => {
    const value = "planted value/1";
    const { result } = await run(aRequest({ body: "{{vault.V}}" }), { V: value }, {
      detail: {
        errorMessage: `got ${value}`,
        response: {
          url: `http://h/?q=${encodeURIComponent(value)}`,
          httpStatusCode: 500,
          headers: { [value]: value },
          body: JSON.stringify({ value }),
          bodyBytes: 10,
          wasTruncated: false,
        },
      },
      facts: { tls: { subject: value } },
    } as never);
    expect(JSON.stringify(result)).not.toMatch(/planted/);
    expect(JSON.stringify(result)).toContain("got ***REDACTED***");
    const fault = await run(aRequest({}), { V: value }, {
      kind: "fault",
      message: `crashed: ${value}`,
    } as never);
    expect(JSON.stringify(fault.result)).not.toMatch(/planted/);
  });
});

it("a value that is a word of the detail's own leaves a detail that the control plane accepts", async () => {
  const outcome = { detail: { errorCategory: "timeout", errorMessage: "timeout" } };
  const { result } = await run(aRequest({ body: "{{vault.V}}" }), { V: "timeout" }, outcome as never);
  expect(result).toMatchObject({ detail: { errorCategory: "timeout", notes: [expect.any(String)] } });
});

describe("the masker of values", () => {
  const value = 'Pa ss"wörd&/1';
  it.each([
    ["as it is", `x${value}y`],
    ["percent-encoded", `?p=${encodeURIComponent(value)}`],
    ["as a form's field", new URLSearchParams({ p: value }).toString()],
    ["in JSON", JSON.stringify({ p: value })],
    ["in base64", Buffer.from(value).toString("base64")],
    ["after one byte in base64", Buffer.from(`u${value}`).toString("base64")],
    ["after two bytes in base64", Buffer.from(`u:${value}`).toString("base64")],
    ["between others in base64", Buffer.from(`user:${value}:more`).toString("base64")],
    ["cut at the end", `x${value.slice(0, 9)}`],
  ])("hides a value %s", (_name, text) => {
    const masked = valueMasker([value])(text);
    expect(masked).not.toContain(value);
    expect(masked).toContain("***REDACTED***");
  });

  it("hides the lines of a value of several lines, and leaves words of up to three letters alone", () => {
    const key = "-----BEGIN KEY-----\nAAAABBBBCCCC\n-----END KEY-----";
    expect(valueMasker([key])("at AAAABBBBCCCC")).toBe("at ***REDACTED***");
    expect(valueMasker(["abc"])("abc")).toBe("abc");
  });
});

describe("the agent's key for secrets", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-key-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is made once, for its owner's eyes only", () => {
    const first = openSecretsKey(folder);
    expect(first.publicKey).toHaveLength(32);
    expect(statSync(join(folder, "secrets-key")).mode & 0o777).toBe(0o600);
    expect(openSecretsKey(folder).publicKey).toEqual(first.publicKey);
  });

  it("is made anew when its file can't be read", () => {
    const first = openSecretsKey(folder);
    writeFileSync(join(folder, "secrets-key"), readFileSync(join(folder, "secrets-key")).subarray(0, 20));
    expect(openSecretsKey(folder).publicKey).not.toEqual(first.publicKey);
  });
});

it("masking takes time in proportion to the text, whatever the values are", () => {
  const long = "a".repeat(65_536);
  const lines = Array.from({ length: 4_000 }, (_, index) => `line ${index} of a value`).join("\n");
  const mask = valueMasker([long, lines]);
  const startedMs = performance.now();
  for (let round = 0; round < 5; round++) mask("a".repeat(65_000 + round));
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
