/** Browser checks with connections of their own: through a proxy, and with certificates, by a real agent. */
import http from "node:http";
import https from "node:https";
import type { Certificate, Check, Result } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Authority, anAuthority, type KeyPair } from "../../probes/test-support/certificates.ts";
import { httpProxy, type TestProxy } from "../../probes/test-support/http-proxy.ts";
import { BROWSER_ADVICE, hasBrowser, hasSandbox } from "../harness/browser.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

const NAME = "only-the-proxy-knows.test";
const PAGE = `<!doctype html><title>Shop</title><script>fetch("/api/prices")</script>`;

let stack: TestStack;
let controlPlane: ControlPlane;
let locationId: string;

beforeAll(async () => {
  if (!hasBrowser) return;
  stack = await startTestStack();
  controlPlane = await stack.controlPlane();
  const location = await createLocation(controlPlane, "browser");
  locationId = location.locationId;
  stack.runner({ key: location.runnerKey, port: controlPlane.runnerPort });
  await until("the agent is there, with a browser", async () => {
    const path = `/api/locations/${locationId}/runners`;
    const { runners } = await controlPlane.ok<{ runners: { capabilities: string[] }[] }>("GET", path);
    return runners.some(({ capabilities }) => capabilities.includes("browser"));
  });
});

afterAll(async () => {
  if (hasBrowser) await stack[Symbol.asyncDispose]();
});

async function resultOf(name: string, browserConfig: object): Promise<Result> {
  const { check } = await controlPlane.ok<{ check: Check }>("POST", "/api/checks", {
    name,
    type: "browser",
    frequencySeconds: 300,
    locations: [locationId],
    browserConfig,
  });
  const path = `/api/checks/${check.id}/results?detail=true&limit=1`;
  return until(
    `${name} has a result`,
    async () => (await controlPlane.ok<{ results: Result[] }>("GET", path)).results[0],
    { withinMs: 40_000 },
  );
}

/** Starts a site and a proxy that alone knows its name. */
async function aSiteBehindAProxy(): Promise<{ proxy: TestProxy; origin: string }> {
  const server = http.createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stack.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const proxy = await httpProxy({ credentials: "watch:secret", hosts: { [NAME]: "127.0.0.1" } });
  return { proxy, origin: `http://${NAME}:${port}` };
}

const CREDENTIALS = { proxyUsername: "watch", proxyPassword: "secret" };

describe.runIf(hasBrowser)(`a browser check with a proxy${BROWSER_ADVICE}`, () => {
  it("loads a page and what it requests through the proxy", async () => {
    const { proxy, origin } = await aSiteBehindAProxy();
    const url = `${origin}/`;
    const result = await resultOf("url", { browserMode: "url", url, proxyUrl: proxy.url, ...CREDENTIALS });
    expect(result).toMatchObject({ status: "success", httpStatusCode: 200, errorMessage: null });
    expect(proxy.asked).toEqual(expect.arrayContaining([`GET ${url}`, `GET ${origin}/api/prices`]));
  });

  it("fails with the proxy's refusal of its credentials", async () => {
    const { proxy, origin } = await aSiteBehindAProxy();
    const wrong = { ...CREDENTIALS, proxyPassword: "planted-wrong-password" };
    const config = { browserMode: "url", url: `${origin}/`, proxyUrl: proxy.url, ...wrong };
    const result = await resultOf("refused", config);
    expect(result).toMatchObject({ status: "error", errorCategory: "connect" });
    expect(result.errorMessage).toContain("does not accept the credentials (407)");
    expect(JSON.stringify(result)).not.toContain("planted-wrong-password");
  });

  it.runIf(hasSandbox)("runs a script through the proxy", async () => {
    const { proxy, origin } = await aSiteBehindAProxy();
    const script = `await page.goto("${origin}/");\nawait expect(page).toHaveTitle("Shop");\n`;
    const config = { browserMode: "scripted", script, proxyUrl: proxy.url, ...CREDENTIALS };
    expect(await resultOf("script", config)).toMatchObject({ status: "success" });
    expect(proxy.asked).toContain(`GET ${origin}/`);
  });
});

describe.runIf(hasBrowser)(`a browser check with certificates${BROWSER_ADVICE}`, () => {
  let authority: Authority;
  let client: KeyPair;
  beforeAll(async () => {
    authority = await anAuthority("Private Root");
    client = await authority.issue({ names: ["watcher.test"] });
  });

  /** Starts a site with a certificate of the authority, whose title is the name in the visitor's own certificate. */
  async function aSite(): Promise<{ origin: string; visits: string[] }> {
    const visits: string[] = [];
    const leaf = await authority.issue({ validToDays: 10 });
    const options = { ...leaf, ca: authority.certificate, requestCert: true, rejectUnauthorized: false };
    const server = https.createServer(options, (request, response) => {
      const { socket, url } = request as typeof request & { socket: import("node:tls").TLSSocket };
      const name = socket.authorized ? socket.getPeerX509Certificate()?.subjectAltName : "stranger";
      visits.push(`${url} ${name}`);
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><title>${name}</title><script>fetch("/api/prices")</script>`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stack.atEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    return { origin: `https://127.0.0.1:${(server.address() as { port: number }).port}`, visits };
  }
  /** Returns what the result's check knows of its target's certificate. */
  async function certificateOf({ checkId }: Result): Promise<Certificate["sightings"][number] | undefined> {
    const path = `/api/checks/${checkId}/certificates`;
    return until("the certificate is known", async () => {
      const { certificates } = await controlPlane.ok<{ certificates: Certificate[] }>("GET", path);
      return certificates[0]?.sightings[0];
    });
  }
  const own = () => ({
    caCertificates: authority.certificate,
    clientCertificate: client.cert,
    clientKey: client.key,
  });

  it("loads a page of a private authority, shows its own certificate, and tells the facts of the target's", async () => {
    const { origin, visits } = await aSite();
    const result = await resultOf("certificates url", { browserMode: "url", url: `${origin}/`, ...own() });
    expect(result).toMatchObject({ status: "success", httpStatusCode: 200, errorMessage: null });
    expect(visits).toEqual(expect.arrayContaining(["/ DNS:watcher.test", "/api/prices DNS:watcher.test"]));
    expect(await certificateOf(result)).toMatchObject({ isTrusted: true, issuer: "CN=Private Root" });
    expect(result.timing.tlsHandshakeMs).toBeGreaterThan(0);
    expect(JSON.stringify(result)).not.toContain("PRIVATE KEY");
  });

  it("fails by TLS where nobody vouches for the target", async () => {
    const { origin, visits } = await aSite();
    const other = (await anAuthority("Other Root")).certificate;
    const config = { browserMode: "url", url: `${origin}/`, ...own(), caCertificates: other };
    const result = await resultOf("certificates untrusted", config);
    expect(result).toMatchObject({ status: "error", errorCategory: "tls" });
    expect(result.errorMessage).toContain("the certificate of 127.0.0.1");
    expect(await certificateOf(result)).toMatchObject({ isTrusted: false });
    expect(visits).toEqual([]);
  });

  it.runIf(hasSandbox)(
    "runs a script that shows its certificate to the hosts that it names, and judges the target's",
    async () => {
      const { origin } = await aSite();
      const script = `import { request as requests } from "@playwright/test";\n// @step: Open\nawait page.goto("${origin}/");\nawait expect(page).toHaveTitle("DNS:watcher.test");\nconst api = await requests.newContext();\nexpect(await (await api.get("${origin}/api")).text()).toContain("DNS:watcher.test");\n`;
      const assertions = [{ type: "ssl_expiry", daysBeforeExpiry: 5 }];
      const config = { browserMode: "scripted", script, ...own(), clientCertificateHosts: ["127.0.0.1"] };
      expect(
        await resultOf("certificates script", { ...config, steps: [{ name: "Open", assertions }] }),
      ).toMatchObject({ status: "success" });
      const stricter = [{ type: "ssl_expiry", daysBeforeExpiry: 20 }];
      const failed = await resultOf("certificates expire", {
        ...config,
        steps: [{ name: "Open", assertions: stricter }],
      });
      expect(failed).toMatchObject({ status: "failure", errorCategory: "assertion" });
      const elsewhere = { ...config, clientCertificateHosts: ["other.example"] };
      expect(await resultOf("certificates elsewhere", elsewhere)).toMatchObject({ status: "failure" });
    },
  );
});
