/** Scripts that nobody has read, run with limits: whatever they try, their requests go where they may and do what they may. */
import https from "node:https";
import type { AddressInfo } from "node:net";
import { browserConfigSchema } from "@svc/contract";
import type { TrafficLimits } from "@svc/probes";
import type { BrowserRuntime } from "@svc/probes/browser";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { anAuthority } from "../../probes/test-support/certificates.ts";
import { hasSandbox, linesOf, openBrowserRuntime, resultOf, SANDBOX_ADVICE } from "../harness/browser.ts";

const reached: string[] = [];
const origins: string[] = [];
const servers: https.Server[] = [];
let runtime: BrowserRuntime;
let caCertificate: string;

const PAGE = `<!doctype html><title>Shop</title><h1>Shop</h1><label>Amount <input name="amount"></label>
<form method="post" action="/order"><button>Order now</button></form>`;

beforeAll(async () => {
  if (!hasSandbox) return;
  const authority = await anAuthority();
  caCertificate = authority.certificate;
  for (const name of ["own", "other"]) {
    const server = https.createServer(await authority.issue(), (request, response) => {
      reached.push(`${name} ${request.method} ${request.url}`);
      response.setHeader("content-type", "text/html");
      response.end(PAGE);
    });
    server.on("upgrade", (_request, socket) => {
      reached.push(`${name} upgrade`);
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    origins.push(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  runtime = openBrowserRuntime();
});

afterAll(async () => {
  await runtime?.close();
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

beforeEach(() => reached.splice(0));

async function run(script: string, more: Partial<TrafficLimits> = {}) {
  const [own = "", other = ""] = origins;
  const config = browserConfigSchema.parse({
    browserMode: "scripted",
    screenshotMode: "disabled",
    script: script.replaceAll("OWN", own).replaceAll("OTHER", other),
  });
  const request = { checkId: "chk_1", type: "browser", config, retry: null, slotMs: 0, frequencySeconds: 60 };
  const trafficLimits = { origins: [own], readOrigins: [], allowsWrites: false, ...more };
  return resultOf(
    await runtime.run(
      { ...request, trafficLimits },
      {
        signal: new AbortController().signal,
        allowPrivateAddresses: true,
        nowMs: () => Date.now(),
        userAgent: "svc",
        caCertificates: [caCertificate],
      },
    ),
  );
}

describe.runIf(hasSandbox)(`a script with limits${SANDBOX_ADVICE}`, () => {
  it("reads its own origin over TLS that the runner judges, and says how the page is made up", async () => {
    const result = await run(
      `await page.goto("OWN/cart"); await expect(page.getByRole("heading")).toHaveText("Shop");`,
    );
    expect(result).toMatchObject({ status: "success" });
    expect(result.detail?.pageOutline).toMatch(
      /title: Shop[\s\S]*heading "Shop"[\s\S]*textbox "Amount"[\s\S]*button "Order now"/,
    );
    expect(reached).toContain("own GET /cart");
  });

  it("can't change anything, by page, fetch, request, WebSocket or a connection of its own", async () => {
    const result = await run(`
      await page.goto("OWN/");
      const tries = {
        form: async () => { await page.getByRole("button").click(); await page.waitForLoadState(); return page.locator("body").innerText(); },
        fetch: () => page.evaluate(async () => (await fetch("/order", { method: "POST", body: "x" })).status),
        beacon: () => page.evaluate(() => navigator.sendBeacon("/order", "x")),
        api: async () => (await page.request.put("OWN/order", { data: "x" })).status(),
        socket: () => page.evaluate(() => new Promise((resolve) => { const s = new WebSocket("wss://" + location.host); s.onerror = () => resolve("refused"); s.onopen = () => resolve("open"); })),
      };
      for (const [name, work] of Object.entries(tries)) console.log(name, await work().catch((error) => error.message.split("\\n")[0]));
    `);
    const lines = linesOf(result, "script").join("\n");
    expect(lines).toMatch(/form A POST request to .* was refused: this run may only read/);
    expect(lines).toMatch(/fetch 403/);
    expect(lines).toMatch(/api 403/);
    expect(lines).toMatch(/socket refused/);
    expect(reached.filter((line) => !line.startsWith("own GET"))).toEqual([]);
    expect(result.detail?.notes?.join("\n")).toMatch(/A PUT request to .* was refused/);
  });

  it("can't leave its origin, by page, frame, redirect, request or Node", async () => {
    const result = await run(`
      import http from "node:http";
      import fs from "node:fs";
      await page.goto("OWN/");
      const first = (error) => error.message.split("\\n")[0];
      console.log("goto", (await page.goto("OTHER/secret").catch(first))?.status?.());
      await page.setContent('<iframe src="OTHER/frame"></iframe><img src="OTHER/image">');
      console.log("api", (await page.request.get("OTHER/api").catch(first))?.status?.());
      const ports = [...fs.readFileSync("/proc/net/tcp", "utf8").matchAll(/0100007F:([0-9A-F]{4}) 00000000:0000 0A/g)].map(([, hex]) => parseInt(hex, 16));
      for (const port of ports) {
        const answer = await new Promise((resolve) => {
          const request = http.request({ host: "127.0.0.1", port, method: "CONNECT", path: "OTHER".replace("https://", "") });
          request.on("connect", (_response, socket) => { socket.on("data", (data) => resolve(String(data).split("\\r\\n")[0])); socket.write("GET /raw HTTP/1.1\\r\\nhost: " + "OTHER".replace("https://", "") + "\\r\\n\\r\\n"); });
          request.on("error", (error) => resolve(error.message));
          request.end();
        });
        console.log("raw", answer);
      }
    `);
    const lines = linesOf(result, "script").join("\n");
    expect(lines).toMatch(/goto 403/);
    expect(lines).toMatch(/api 403/);
    expect(lines).toMatch(/raw HTTP\/1.1 403 Forbidden/);
    expect(reached.filter((line) => line.startsWith("other"))).toEqual([]);
  });

  it("may write to its own origin alone where that was allowed", async () => {
    await run(
      `await page.goto("OWN/"); await page.getByRole("button").click(); await page.waitForLoadState();
       await page.request.post("OTHER/order").catch(() => {}); await page.request.get("OTHER/style.css");`,
      { allowsWrites: true, readOrigins: [origins[1] ?? ""] },
    );
    expect(reached).toContain("own POST /order");
    expect(reached.filter((line) => line.startsWith("other"))).toEqual(["other GET /style.css"]);
  });
});
