/** The form and the result page of every check type: their words, what each result says of its own, and what axe finds, light and dark, wide and narrow. */
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import grpc from "@grpc/grpc-js";
import { type CheckType, checkTypes, pagePath, pages, type Result } from "@svc/contract";
import { HealthImplementation } from "grpc-health-check";
import type { Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { anAuthority } from "../../probes/test-support/certificates.ts";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { setUpDashboardTests } from "../harness/dashboard-tests.ts";
import { createLocation } from "../harness/fleet.ts";
import { until } from "../harness/wait.ts";

const HOST = "127.0.0.1";

/** A check of a type, and what its result's page says of it alone: the name of a part of the page, and a text in it. */
interface Shown {
  config: Record<string, unknown>;
  part: string;
  text: string | RegExp;
}

/** Checks of all types; each has a server of its own unless it has none. */
const SHOWN: Record<CheckType, (ports: Ports) => Shown> = {
  http: ({ web }) => ({
    config: { url: `http://${HOST}:${web}/`, assertions: [{ type: "status_code", value: 404 }] },
    part: "Assertions",
    text: /status_code/i,
  }),
  browser: ({ web }) => ({
    config: { browserMode: "url", url: `http://${HOST}:${web}/` },
    part: "Web vitals",
    text: "(LCP)",
  }),
  mcp: ({ web }) => ({
    config: { endpoint: `http://${HOST}:${web}/`, timeoutMs: 5_000 },
    part: "Response",
    text: /Shop/,
  }),
  tcp: ({ tcp }) => ({
    config: { host: HOST, port: tcp, expectContains: "250" },
    part: "Received",
    text: "220 mail",
  }),
  tls: ({ secure, authority }) => ({
    config: { host: HOST, port: secure, caCertificates: authority, minDaysBeforeExpiry: 90 },
    part: "Certificates that the server sent",
    text: "CN=localhost",
  }),
  dns: ({ dns }) => ({
    config: {
      domain: "shop.test",
      recordType: "MX",
      resolver: `${HOST}:${dns}`,
      transport: "tcp",
      expectCount: 9,
    },
    part: "Answers",
    text: "10 mx.shop.test",
  }),
  grpc: ({ grpc: port }) => ({ config: { host: HOST, port }, part: "gRPC health", text: "SERVING" }),
  websocket: ({ websocket }) => ({
    config: { url: `ws://${HOST}:${websocket}/`, expectContains: "absent", timeoutMs: 500 },
    part: "WebSocket messages",
    text: "welcome",
  }),
  ping: () => ({ config: { host: HOST, count: 1 }, part: "Ping", text: "Average round trip" }),
  heartbeat: () => ({ config: { periodSeconds: 60, graceSeconds: 60 }, part: "Report", text: /exit code/i }),
  multistep: ({ web }) => ({
    config: {
      steps: [
        { name: "Log in", url: `http://${HOST}:${web}/`, extract: [{ name: "code", from: "status" }] },
        { name: "Order", url: `http://${HOST}:${web}/a`, assertions: [{ type: "status_code", value: 201 }] },
        { name: "Cancel", url: `http://${HOST}:${web}/b` },
      ],
    },
    part: "Requests of the steps",
    text: "Log in",
  }),
};

interface Ports extends Record<"web" | "tcp" | "secure" | "dns" | "grpc" | "websocket", number> {
  authority: string;
}

const newest = new Map<CheckType, Result>();
const shown = new Map<CheckType, Shown>();

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  async prepare({ stack, controlPlane }) {
    const listen = async (server: net.Server) => {
      await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
      stack.atEnd(() => void server.close());
      return (server.address() as AddressInfo).port;
    };
    const authority = await anAuthority();
    const webSockets = http.createServer();
    new WebSocketServer({ server: webSockets }).on("connection", (socket) => socket.send("welcome"));
    const health = new grpc.Server();
    new HealthImplementation({ "": "SERVING" }).addToServer(health);
    stack.atEnd(() => health.forceShutdown());
    const ports: Ports = {
      authority: authority.certificate,
      web: await listen(
        http.createServer((_request, response) => {
          response.setHeader("content-type", "text/html");
          response.end("<!doctype html><title>Shop</title><h1>Shop</h1>");
        }),
      ),
      tcp: await listen(
        net.createServer((socket) => socket.on("error", () => {}).end("220 mail.test ready\r\n")),
      ),
      secure: await listen(
        tls.createServer(await authority.issue(), (socket) => socket.on("error", () => {})),
      ),
      dns: await listen(net.createServer(answerMx)),
      grpc: await new Promise<number>((resolve, reject) => {
        health.bindAsync(`${HOST}:0`, grpc.ServerCredentials.createInsecure(), (error, port) =>
          error ? reject(error) : resolve(port),
        );
      }),
      websocket: await listen(webSockets),
    };
    const { locationId, runnerKey } = await createLocation(controlPlane, "Office");
    stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
    await until("the agent is there, with a browser", async () => {
      const path = `/api/locations/${locationId}/runners`;
      const { runners } = await controlPlane.ok<{ runners: { capabilities: string[] }[] }>("GET", path);
      return runners.some(({ capabilities }) => capabilities.includes("browser"));
    });
    for (const { type, title, configKey, ...definition } of checkTypes.members) {
      const one = SHOWN[type](ports);
      shown.set(type, one);
      const isPushed = "pushed" in definition;
      const { check } = await controlPlane.ok<{ check: { id: string; pushUrl?: string } }>(
        "POST",
        "/api/checks",
        {
          name: `A check of ${title}`,
          type,
          [configKey]: one.config,
          ...(isPushed ? {} : { frequencySeconds: 3_600, locations: [locationId] }),
        },
      );
      if (isPushed) {
        const { check: read } = await controlPlane.ok<{ check: { pushUrl: string } }>(
          "GET",
          `/api/checks/${check.id}`,
        );
        await fetch(`${read.pushUrl}/3`, { method: "POST", body: "disk full" });
      }
      newest.set(
        type,
        await until(
          `a result of ${type}`,
          async () => {
            const path = `/api/checks/${check.id}/results?detail=true`;
            return (await controlPlane.ok<{ results: Result[] }>("GET", path)).results[0];
          },
          { withinMs: 60_000 },
        ),
      );
    }
  },
});

/** Answers each question over TCP with one MX record. */
function answerMx(socket: net.Socket): void {
  socket.on("error", () => {});
  socket.on("data", (data) => {
    const question = data.subarray(14, data.indexOf(Buffer.from([0, 0, 15, 0, 1]), 14) + 5);
    const head = Buffer.concat([data.subarray(2, 4), Buffer.from("81800001000100000000", "hex")]);
    const record = Buffer.from("c00c000f00010000003c0007000a026d78c00c", "hex");
    const message = Buffer.concat([head, question, record]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(message.length);
    socket.write(Buffer.concat([length, message]));
  });
}

/** Spellings that no text on a page has. */
const WRONG = /\b(?:Tcp|Dns|Grpc|Websocket|Multistep|Udp|Http|Mcp|Tls|Ca|Url)\b/;

describe.runIf(hasBrowser).each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 390],
  ["dark", 390],
] as const)(`in %s, %i pixels wide${BROWSER_ADVICE}`, (colorScheme, width) => {
  let page: Page;
  beforeAll(async () => {
    if (!hasBrowser) return;
    page = await dashboard.browser.open({ colorScheme, viewport: { width, height: 900 } });
    await signIn(page);
  });

  /** Returns what is wrong with the page as it stands: its spelling, its width, and what axe finds. */
  async function problemsOf(): Promise<unknown[]> {
    const text = await page.locator("main").innerText();
    const isTooWide = await page.evaluate<boolean>(
      "document.documentElement.scrollWidth > document.documentElement.clientWidth",
    );
    return [
      ...(WRONG.exec(text) ?? []),
      ...(isTooWide ? ["wider than the window"] : []),
      ...(await accessibilityProblems(page)),
    ];
  }

  it.each(checkTypes.types)("the form of %s", async (type) => {
    await page.goto(pages.newCheck.path);
    const form = page.getByRole("form", { name: "Check" });
    await form.getByRole("combobox", { name: "Type", exact: true }).first().selectOption(type);
    expect(await form.innerText()).toContain(`${checkTypes.get(type).title}: `);
    expect(await problemsOf()).toEqual([]);
  });

  it.each(checkTypes.types)("the result of %s", async (type) => {
    const { id: resultId, checkId: id } = newest.get(type) as Result;
    const { part, text } = shown.get(type) as Shown;
    await page.goto(pagePath("result", { id, resultId }));
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByRole("region", { name: part }).getByText(text).first().waitFor();
    expect(await problemsOf()).toEqual([]);
  });

  it.each(checkTypes.types)("the check of %s", async (type) => {
    await page.goto(pagePath("check", { id: (newest.get(type) as Result).checkId }));
    const { title } = checkTypes.get(type);
    await page.getByRole("main").getByText(title, { exact: true }).first().waitFor();
    expect(await problemsOf()).toEqual([]);
  });
});
