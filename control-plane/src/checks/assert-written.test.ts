import { generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "../../../contract/test-support/tls.ts";
import type { TestApp } from "../../test-support/app.ts";
import { useChecksApp } from "../../test-support/checks-app.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

const otherKey = () =>
  generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  }).privateKey;

const TYPES: [string, string, object][] = [
  ["http", "httpConfig", { url: "https://example.org/" }],
  ["tcp", "tcpConfig", { host: "example.org", port: 443, tls: true }],
  ["multistep", "multistepConfig", { steps: [{ name: "a", url: "https://example.org/" }] }],
];

it.each(TYPES)(
  "a check of type %s is refused with certificates that no run could use",
  async (type, field, target) => {
    const create = (certificates: object) =>
      test.call("POST", "/api/checks", {
        name: "a",
        type,
        locations: ["loc_us_east"],
        [field]: { ...target, ...certificates },
      });
    const pair = { clientCertificate: TEST_CERTIFICATE, clientKey: TEST_KEY };
    const created = await create(pair);
    expect(created.status).toBe(201);
    for (const [certificates, message] of [
      [{ ...pair, clientCertificate: TEST_CERTIFICATE + TEST_KEY }, "clientCertificate: holds a private key"],
      [{ caCertificates: TEST_KEY + TEST_CERTIFICATE }, "caCertificates: holds a private key"],
      [{ ...pair, clientKey: otherKey() }, "clientKey: is not the key of clientCertificate"],
      [{ caCertificates: `hello ${TEST_CERTIFICATE}` }, "caCertificates: -----BEGIN"],
    ] as const) {
      const refused = await create(certificates);
      expect(refused.status).toBe(400);
      expect(refused.body.details.fieldErrors[field][0]).toContain(`${field}.${message}`);
      const put = await test.call("PUT", `/api/checks/${created.body.check.id}`, {
        configJson: { ...target, ...certificates },
      });
      expect(put.status).toBe(400);
      expect(put.body.details.fieldErrors.configJson[0]).toContain(`configJson.${message}`);
      expect(JSON.stringify([refused.body, put.body])).not.toContain(TEST_KEY.split("\n")[1]);
    }
  },
);

it("a setting that does nothing is refused where it is written", async () => {
  const create = (headers: object) =>
    test.call("POST", "/api/checks", {
      name: "a",
      type: "websocket",
      locations: ["loc_us_east"],
      websocketConfig: { url: "ws://127.0.0.1:9/", headers },
    });
  const refused = await create({ A: "1", a: "2" });
  expect([refused.status, refused.body.details.fieldErrors.websocketConfig]).toEqual([
    400,
    [expect.stringMatching(/^websocketConfig\.headers\.a: is there twice/)],
  ]);
  const created = await create({ A: "1" });
  const put = await test.call("PUT", `/api/checks/${created.body.check.id}`, {
    configJson: { url: "ws://u:p@127.0.0.1:9/", headers: { Authorization: "Bearer t" } },
  });
  expect([put.status, put.body.details.fieldErrors.configJson]).toEqual([
    400,
    [expect.stringMatching(/^configJson\.headers\.Authorization: the URL has/)],
  ]);
});
