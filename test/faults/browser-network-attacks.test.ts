import dgram from "node:dgram";
import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { createEgress, type Egress } from "@svc/egress";
import type { BrowserRuntime } from "@svc/probes/browser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BROWSER_ADVICE,
  hasBrowser,
  hasSandbox,
  linesOf,
  openBrowserRuntime,
  resultOf,
  runBrowserCheck,
  SANDBOX_ADVICE,
} from "../harness/browser.ts";
import { connectAsPublic, HostileSite, PUBLIC_ADDRESS } from "../harness/hostile-site.ts";

let runtime: BrowserRuntime | undefined;
const site = new HostileSite();

beforeAll(async () => {
  if (hasBrowser) await site.start();
});

afterAll(async () => {
  await runtime?.close();
  site.close();
});

function theRuntime(): BrowserRuntime {
  runtime ??= openBrowserRuntime();
  return runtime;
}

/** Loads a page that asks for candidates of a peer connection, with a STUN and a TURN server at the port. */
const webRtcPage = (port: number) => `
  const peer = new RTCPeerConnection({ iceServers: [
    { urls: "stun:127.0.0.1:${port}" },
    { urls: "turn:127.0.0.1:${port}?transport=udp", username: "u", credential: "p" },
    { urls: "turn:127.0.0.1:${port}?transport=tcp", username: "u", credential: "p" },
  ] });
  const candidates = [];
  peer.onicecandidate = ({ candidate }) => candidate && candidates.push(candidate.candidate);
  peer.createDataChannel("out");
  await peer.setLocalDescription(await peer.createOffer());
  await Promise.race([
    new Promise((resolve) => { peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && resolve(); }),
    new Promise((resolve) => setTimeout(resolve, 3000)),
  ]);
  peer.close();`;

/** Counts what reaches a port of this machine by UDP and by TCP while some work runs. */
async function reachedWhile(work: (port: number) => Promise<void>): Promise<{ udp: number; tcp: number }> {
  const reached = { udp: 0, tcp: 0 };
  const server = net.createServer((socket) => {
    reached.tcp++;
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = dgram.createSocket("udp4").on("message", () => reached.udp++);
  socket.bind(port, "127.0.0.1");
  await once(socket, "listening");
  try {
    await work(port);
    return reached;
  } finally {
    socket.close();
    server.close();
  }
}

describe.runIf(hasSandbox)(`what a hostile script tries over the network${SANDBOX_ADVICE}`, () => {
  const attack = async (script: string, egress?: Egress) =>
    resultOf(
      await runBrowserCheck(theRuntime(), { browserMode: "scripted", script }, egress ? { egress } : {}),
    );

  it("a download of 1 GiB is cut off at the run's share, and the result says so", async () => {
    site.sentBytes = 0;
    const result = await attack(
      `await page.goto("http://127.0.0.1:${site.port}/");
      const open = await browser.newContext({ acceptDownloads: true });
      const saving = await open.newPage();
      await saving.goto("http://127.0.0.1:${site.port}/");
      await saving.evaluate(() => { const link = document.createElement("a"); link.href = "/large"; link.download = "x"; link.click(); });
      const bytesRead = await page.evaluate(async () => {
        const reader = (await fetch("/large")).body!.getReader();
        let bytes = 0;
        for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
        return bytes;
      }).catch(() => "cut off");
      console.log(bytesRead);`,
    );
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "http" } });
    expect(result.detail?.errorMessage).toContain("the run moved more than 209715200 bytes");
    // The counted bytes, and those in the buffers of the sockets between the site and the proxy.
    expect(site.sentBytes).toBeLessThan(260 * 1024 * 1024);
  });

  it("no redirect leads to an address that the policy refuses", async () => {
    site.dialled = [];
    site.requested = [];
    const targets = [
      `http://127.0.0.1:${site.port}/`,
      `http://[::ffff:127.0.0.1]:${site.port}/`,
      `http://2130706433:${site.port}/`,
      `http://home.test:${site.port}/`,
      "http://169.254.169.254/latest/meta-data/",
    ];
    const result = await attack(
      `import { request as plain } from "@playwright/test";
      const text = async (answer: any) => ((await answer?.text()) ?? "").includes("secret") ? "REACHED" : "refused";
      // The page that tells of a refused navigation may break off the next one in the same tab.
      const onOwnPage = async (work: (own: any) => Promise<string>) => {
        const own = await context.newPage();
        try { return await work(own); } finally { await own.close(); }
      };
      console.log("the site itself: " + await page.goto("http://shop.test/").then(text));
      console.log("by a request of its own: " + await (await plain.newContext()).get("http://shop.test/").then(text));
      for (const target of ${JSON.stringify(targets)}) {
        const url = "http://shop.test/?to=" + encodeURIComponent(target);
        const tries: [string, () => Promise<string>][] = [
          ["goto", () => onOwnPage(async (own) => text(await own.goto(url)))],
          ["page.request", async () => text(await page.request.get(url))],
          ["request", async () => text(await request.get(url))],
          ["request of its own", async () => text(await (await plain.newContext()).get(url))],
          ["fetch", () => onOwnPage(async (own) => {
            await own.goto("http://shop.test/");
            return own.evaluate((to) => fetch(to, { mode: "no-cors" }).then((r) => "REACHED"), url);
          })],
          ["frame", () => onOwnPage(async (own) => {
            const answered = own.waitForResponse((one) => one.url() === url, { timeout: 5000 }).catch(() => {});
            await own.setContent('<iframe src="' + url + '"></iframe>');
            await answered;
            return text(own.frames()[1] && { text: () => own.frames()[1]!.content() });
          })],
        ];
        for (const [name, attempt] of tries) console.log(name + " " + await attempt().catch(() => "refused"));
      }`,
      site.publicOnly(),
    );
    expect(result.detail?.errorMessage).toBeUndefined();
    const lines = linesOf(result, "script");
    expect(lines.slice(0, 2)).toEqual(["the site itself: REACHED", "by a request of its own: REACHED"]);
    const tries = ["goto", "page.request", "request", "request of its own", "fetch", "frame"];
    expect(lines.slice(2)).toEqual(targets.flatMap(() => tries.map((name) => `${name} refused`)));
    expect(new Set(site.dialled)).toEqual(new Set([PUBLIC_ADDRESS]));
    // The redirects were answered: what was refused is where they lead.
    const redirects = site.requested.filter((url) => url.includes("to="));
    expect(redirects.length).toBe(tries.length * targets.length);
  });

  it("no request of the script's own goes around the proxy", async () => {
    site.requested = [];
    site.dialled = [];
    const result = await attack(
      `import http from "node:http";
      import { chromium, request as plain } from "@playwright/test";
      const url = "http://127.0.0.1:${site.port}/";
      const tries: [string, () => Promise<unknown>][] = [
        ["request of its own", async () => (await plain.newContext()).get(url)],
        ["request without proxy", async () => (await plain.newContext({ proxy: undefined })).get(url)],
        ["node fetch", () => fetch(url)],
        ["node http", () => new Promise((resolve, reject) => http.get(url, resolve).on("error", reject))],
        ["a browser of its own", async () => {
          const own = await chromium.launch({ executablePath: ${JSON.stringify(process.env.SVC_BROWSER_PATH ?? "/usr/bin/chromium-headless-shell")}, args: ["--no-proxy-server", "--no-sandbox"] });
          return (await own.newPage()).goto(url);
        }],
      ];
      // The proxy itself answers Playwright's request with 502: that is no answer of the site.
      for (const [name, attempt] of tries)
        console.log(name + " " + await attempt().then(async (answer: any) => answer?.status?.() === 502 ? "refused" : "REACHED", () => "refused"));`,
      site.publicOnly(),
    );
    expect(result.detail?.errorMessage).toBeUndefined();
    expect(linesOf(result, "script")).toEqual([
      "request of its own refused",
      "request without proxy refused",
      "node fetch refused",
      "node http refused",
      "a browser of its own refused",
    ]);
    expect(site.requested).toEqual([]);
    expect(site.dialled).toEqual([]);
  });

  it("WebRTC sends nothing past the proxy", async () => {
    const reached = await reachedWhile(async (port) => {
      const result = await attack(
        `await page.goto("http://shop.test/");
        console.log(JSON.stringify(await page.evaluate(async () => { ${webRtcPage(port)} return candidates; })));`,
        site.publicOnly(),
      );
      expect(result.detail?.errorMessage).toBeUndefined();
      expect(linesOf(result, "script")).toEqual(["[]"]);
    });
    expect(reached).toEqual({ udp: 0, tcp: 0 });
  });
});

describe.runIf(hasBrowser)(`what a page leaves or tries in url mode${BROWSER_ADVICE}`, () => {
  it("a service worker and everything else that a page left is gone for the next run", async () => {
    for (const _run of ["first", "second"]) {
      site.requested = [];
      const config = { browserMode: "url", url: `http://127.0.0.1:${site.port}/leaves` };
      const result = resultOf(await runBrowserCheck(theRuntime(), config));
      expect(result.status).toBe("success");
      expect(linesOf(result, "log")).toEqual(["found []", "from the worker"]);
      expect(site.requested).toContain("/leaves");
    }
  });

  it("without a box nothing runs unless it is allowed, and WebRTC sends nothing past the proxy even then", async () => {
    const sandbox = { bwrapPath: undefined, problem: "none in this test" };
    const refusing = openBrowserRuntime({ sandbox });
    for (const config of [
      { browserMode: "scripted", script: "console.log(1)" },
      { browserMode: "url", url: "http://shop.test/" },
    ])
      expect(await runBrowserCheck(refusing, config)).toMatchObject({ kind: "fault", reason: "unsupported" });
    await refusing.close();
    const bare = openBrowserRuntime({ sandbox, allowsUnsandboxedScripts: true });
    try {
      const reached = await reachedWhile(async (port) => {
        const page = `<!doctype html><img src="/wait"><script type="module">${webRtcPage(port)}
          console.log(JSON.stringify(candidates)); await fetch("/end");</script>`;
        const server = http.createServer((request, response) => {
          if (request.url === "/wait") waiting = response;
          else if (request.url === "/end") waiting?.end();
          response.setHeader("content-type", "text/html");
          if (request.url !== "/wait") response.end(page);
        });
        let waiting: http.ServerResponse | undefined;
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        const egress = createEgress({
          allowPrivate: false,
          resolve: async () => [{ address: PUBLIC_ADDRESS, family: 4 }],
          connect: () => connectAsPublic((server.address() as AddressInfo).port),
        });
        const url = { browserMode: "url", url: "http://shop.test/" };
        const result = resultOf(await runBrowserCheck(bare, url, { egress }));
        server.closeAllConnections();
        server.close();
        expect(linesOf(result, "log")).toEqual(["[]"]);
      });
      expect(reached).toEqual({ udp: 0, tcp: 0 });
    } finally {
      await bare.close();
    }
  });
});
