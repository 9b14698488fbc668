/** The made-up shop that the pictures of the documentation show: its web server, and the checks, channels and rules that watch it. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A check of the shop. */
export interface ShopCheck {
  name: string;
  /** Path that it asks for. */
  path: string;
  /** Usual time of an answer, ms. */
  usualMs: number;
  team: "shop" | "payments" | "platform";
  frequencySeconds: number;
}

/** The checks, those of the outage last. */
export const SHOP_CHECKS: readonly ShopCheck[] = [
  { name: "Home page", path: "/", usualMs: 62, team: "shop", frequencySeconds: 30 },
  { name: "Product page", path: "/products/1042", usualMs: 88, team: "shop", frequencySeconds: 60 },
  { name: "Search", path: "/search?q=lamp", usualMs: 141, team: "shop", frequencySeconds: 60 },
  { name: "Sign-in", path: "/account/sign-in", usualMs: 97, team: "shop", frequencySeconds: 60 },
  { name: "Order history", path: "/account/orders", usualMs: 178, team: "shop", frequencySeconds: 120 },
  { name: "Inventory API", path: "/api/inventory", usualMs: 34, team: "platform", frequencySeconds: 60 },
  { name: "Prices API", path: "/api/prices", usualMs: 29, team: "platform", frequencySeconds: 60 },
  { name: "Image service", path: "/images/1042.webp", usualMs: 21, team: "platform", frequencySeconds: 60 },
  {
    name: "Warehouse feed",
    path: "/feeds/warehouse.xml",
    usualMs: 233,
    team: "platform",
    frequencySeconds: 300,
  },
  { name: "Help pages", path: "/help", usualMs: 55, team: "shop", frequencySeconds: 300 },
  {
    name: "Payment methods",
    path: "/api/payments/methods",
    usualMs: 73,
    team: "payments",
    frequencySeconds: 30,
  },
  { name: "Checkout", path: "/checkout", usualMs: 164, team: "payments", frequencySeconds: 30 },
];

/** Paths that stop working in the outage. */
const OUTAGE_PATHS = ["/checkout", "/api/payments/methods"];

/** The shop's web server. */
export interface Shop {
  url: string;
  /** From now on the checkout and its payments answer 503. */
  breakCheckout(): void;
  close(): Promise<void>;
}

/** Starts the shop's web server on a free port of this machine. It answers after the usual time of each path. */
export async function openShop(): Promise<Shop> {
  let isBroken = false;
  const usualMs = new Map(SHOP_CHECKS.map((check) => [check.path, check.usualMs]));
  const server = http.createServer(async (request, response) => {
    const path = request.url ?? "/";
    await sleep((usualMs.get(path) ?? 20) * (0.8 + Math.random() * 0.4));
    if (isBroken && OUTAGE_PATHS.includes(path))
      response
        .writeHead(503, { "content-type": "application/json", "retry-after": "30" })
        .end('{"error":"no connection to the payment provider","provider":"acquirer-2","attempts":3}');
    else
      response
        .writeHead(200, { "content-type": "application/json", "cache-control": "no-store" })
        .end('{"status":"ok","version":"4.18.0","currency":"EUR"}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakCheckout() {
      isBroken = true;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
