/** A site for hostile scripts and pages: redirects anywhere, a body that never ends, a page that leaves all it can. */
import type http from "node:http";
import net from "node:net";
import { createEgress, type Egress } from "@svc/egress";
import { type Site, startSite } from "./site.ts";

const GIB = 1024 ** 3;
/** A public address that the tests' own dialler leads to a server of this machine; nobody else is ever dialled. */
export const PUBLIC_ADDRESS = "93.184.216.34";

const WORKER = `
  self.addEventListener("install", () => self.skipWaiting());
  self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  self.addEventListener("fetch", (event) => {
    if (event.request.url.endsWith("/inner")) event.respondWith(new Response("from the worker"));
  });`;

/** Says what it finds of an earlier run, then leaves all that a page can leave. */
const LEAVES_WORKER = `<!doctype html><img src="/wait"><script type="module">
  const found = [
    ["worker", navigator.serviceWorker.controller !== null],
    ["registrations", (await navigator.serviceWorker.getRegistrations()).length],
    ["caches", (await caches.keys()).length],
    ["storage", localStorage.length],
    ["cookies", document.cookie.length],
    ["databases", (await indexedDB.databases()).length],
  ];
  console.log("found " + JSON.stringify(found.filter(([, value]) => value)));
  localStorage.setItem("left", "behind");
  document.cookie = "left=behind; max-age=9999";
  await caches.open("left");
  await new Promise((resolve) => { indexedDB.open("left").onsuccess = resolve; });
  await navigator.serviceWorker.register("/worker.js");
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller)
    await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
  console.log(await (await fetch("/inner")).text());
  await fetch("/end");
</script>`;

/** The site with a record of what reached it. Its paths: `?to=URL` redirects, `/large`, `/leaves`, and any other. */
export class HostileSite {
  /** Paths and queries of the requests, in order. */
  requested: string[] = [];
  /** Addresses that {@link publicOnly} let through. */
  dialled: string[] = [];
  /** Bytes of `/large` that were sent. */
  sentBytes = 0;
  #site: Site | undefined;

  get port(): number {
    return this.#site?.port ?? 0;
  }

  async start(): Promise<void> {
    this.#site = await startSite((request, response) => {
      this.requested.push(request.url ?? "");
      this.#answer(request, response);
    });
  }

  close(): void {
    this.#site?.close();
  }

  /** Returns a way out to public addresses only. The name shop.test leads to this site, by {@link PUBLIC_ADDRESS}. */
  publicOnly(): Egress {
    return createEgress({
      allowPrivate: false,
      resolve: async (hostname) => [
        { address: hostname === "shop.test" ? PUBLIC_ADDRESS : "127.0.0.1", family: 4 },
      ],
      connect: ({ host }) => {
        this.dialled.push(host);
        if (host !== PUBLIC_ADDRESS) throw new Error(`the test must not connect to ${host}`);
        return connectAsPublic(this.port);
      },
    });
  }

  /** Resolves once a path was requested. */
  async whenRequested(path: string): Promise<void> {
    while (!this.requested.includes(path)) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  #answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://site");
    const to = url.searchParams.get("to");
    if (to !== null) response.writeHead(302, { location: to }).end();
    else if (url.pathname === "/large") this.#sendForEver(response);
    else if (url.pathname === "/worker.js") response.setHeader("content-type", "text/javascript").end(WORKER);
    else if (url.pathname === "/leaves") response.setHeader("content-type", "text/html").end(LEAVES_WORKER);
    else if (url.pathname === "/end") response.end();
    // Keeps the page's load event back until the page has said that it is done.
    else if (url.pathname === "/wait") void this.whenRequested("/end").then(() => response.end());
    else response.setHeader("content-type", "text/html").end("<title>secret of this machine</title>secret");
  }

  /** At most 1 GiB, as fast as it is read. */
  #sendForEver(response: http.ServerResponse): void {
    const chunk = Buffer.alloc(256 * 1024, "x");
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": GIB });
    response.on("error", () => {});
    let left = GIB;
    const send = () => {
      while (left > 0 && !response.destroyed) {
        left -= chunk.length;
        this.sentBytes += chunk.length;
        if (!response.write(chunk)) {
          response.once("drain", send);
          return;
        }
      }
      response.end();
    };
    send();
  }
}

/** A socket to a server of this machine that says it is one to the public address. */
export function connectAsPublic(port: number): net.Socket {
  const socket = net.connect({ host: "127.0.0.1", port });
  return Object.defineProperty(socket, "remoteAddress", { get: () => PUBLIC_ADDRESS });
}
