/** Targets that answer with something else than what is wanted. */
import type { Scenario } from "../scenario.ts";
import { ORDERS, send } from "../world/site.ts";
import { answering, broken, notListening, ordersApi, shop, status, well } from "./parts.ts";

const json = (value: unknown) =>
  answering((_request, response) => send(response, "application/json", JSON.stringify(value)));
const loop = answering((request, response) => {
  const next = request.url === "/en/" ? "/" : "/en/";
  response.writeHead(302, { location: next }).end();
});
const FILLER = "x".repeat(64 * 1024);
const endless = answering((_request, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  for (let parts = 0; parts < 176; parts++) response.write(FILLER);
  response.end("<h1>Welcome to the shop</h1>");
});

/** The scenarios. */
export const answers: Scenario[] = [
  {
    id: "server-error-after-deployment",
    cause: "deployment",
    broken: "The version that was deployed eight minutes ago throws at each request.",
    checks: [shop({ course: [well(20), broken(7, status(500, "Oops"))] })],
    deployments: [{ service: "shop", version: "2.5.0", minutesAgo: 8 }],
  },
  {
    id: "server-error-some-time-after-deployment",
    cause: "deployment",
    broken: "The version that was deployed 20 minutes before fills its connection pool, and then only fails.",
    checks: [
      shop({
        frequencySeconds: 300,
        locations: 2,
        course: [well(12), broken(4, status(503, "No connection"))],
      }),
    ],
    deployments: [{ service: "shop", version: "2.5.0", minutesAgo: 42 }],
  },
  {
    id: "not-found-after-deployment",
    cause: "deployment",
    broken: "The new version moved the API.",
    checks: [ordersApi({ course: [well(20), broken(4, status(404, "Not found"))] })],
    deployments: [{ service: "orders", version: "7", minutesAgo: 6 }],
  },
  {
    id: "wrong-page-after-deployment",
    cause: "deployment",
    broken: "The new version shows the page of an empty database.",
    checks: [
      shop({
        locations: 1,
        config: { assertions: [{ type: "body_contains", value: "Welcome" }] },
        course: [well(15), broken(3, status(200, "<h1>Set up your shop</h1>"))],
      }),
    ],
    deployments: [{ service: "shop", version: "3.0.0", minutesAgo: 5 }],
  },
  {
    id: "schema-field-renamed",
    cause: "schema_drift",
    broken: "The API calls a field by another name.",
    checks: [
      ordersApi({
        course: [
          well(15),
          broken(5, json({ status: "ok", orders: { open: 12, latest: ORDERS.orders.newest } })),
        ],
      }),
    ],
  },
  {
    id: "schema-field-gone-first-failure",
    cause: "schema_drift",
    broken: "The API wraps its answer into an envelope.",
    checks: [
      ordersApi({
        frequencySeconds: 900,
        locations: 2,
        course: [well(12), broken(1, json({ data: ORDERS }))],
      }),
    ],
  },
  {
    id: "schema-type-changed",
    cause: "schema_drift",
    broken: "The API sends an amount as a number instead of a text.",
    checks: [
      ordersApi({
        course: [
          well(15),
          broken(5, json({ status: "ok", orders: { open: 12, newest: { id: 4711, total: 19.9 } } })),
        ],
      }),
    ],
  },
  {
    id: "content-parked-domain",
    cause: "wrong_content",
    broken: "The domain shows the page of a registrar.",
    checks: [
      shop({
        config: { assertions: [{ type: "body_contains", value: "Welcome" }] },
        course: [well(15), broken(5, status(200, "<h1>This domain is for sale</h1>"))],
      }),
    ],
  },
  {
    id: "content-value-wrong",
    cause: "wrong_content",
    broken: "The API says by itself that it is degraded.",
    checks: [
      ordersApi({
        frequencySeconds: 30,
        locations: 2,
        course: [well(15), broken(5, json({ ...ORDERS, status: "degraded" }))],
      }),
    ],
  },
  {
    id: "content-empty",
    cause: "wrong_content",
    broken: "The cache hands out empty pages.",
    checks: [
      shop({
        locations: 4,
        config: { assertions: [{ type: "body_contains", value: "Welcome" }] },
        course: [well(10), broken(3, status(200, ""))],
      }),
    ],
  },
  {
    id: "redirect-loop",
    cause: "redirect_loop",
    broken: "Two rules of the web server redirect to each other.",
    checks: [shop({ course: [well(15), broken(5, loop)] })],
  },
  {
    id: "redirect-loop-first-failure",
    cause: "redirect_loop",
    broken: "The site redirects to itself.",
    checks: [
      shop({
        frequencySeconds: 300,
        locations: 1,
        course: [
          well(15),
          broken(
            1,
            answering((_request, response) =>
              response.writeHead(301, { location: "https://shop.example/" }).end(),
            ),
          ),
        ],
      }),
    ],
  },
  {
    id: "body-too-large",
    cause: "body_too_large",
    broken: "A debug switch makes the page 11 MiB long; what the check looks for comes at its end.",
    checks: [
      shop({
        frequencySeconds: 300,
        locations: 2,
        config: { timeoutMs: 10_000, assertions: [{ type: "body_contains", value: "Welcome" }] },
        course: [well(10), broken(3, endless)],
      }),
    ],
  },
  {
    id: "token-expired",
    cause: "access_refused",
    broken: "The token that the check sends has expired.",
    checks: [
      ordersApi({
        config: { auth: { type: "bearer", token: "token-of-the-check" } },
        course: [
          well(15),
          broken(6, status(401, '{"error":"token expired"}', { "www-authenticate": "Bearer" })),
        ],
      }),
    ],
  },
  {
    id: "token-expired-after-deployment",
    cause: "access_refused",
    broken: "The token expired; the deployment of another service 12 minutes before is unrelated.",
    checks: [
      ordersApi({
        locations: 2,
        config: { auth: { type: "bearer", token: "token-of-the-check" } },
        course: [well(15), broken(6, status(401, '{"error":"token expired"}'))],
      }),
    ],
    deployments: [{ service: "newsletter", version: "12", minutesAgo: 18 }],
  },
  {
    id: "caller-forbidden",
    cause: "access_refused",
    broken: "The role of the check's user was removed.",
    checks: [
      ordersApi({
        frequencySeconds: 900,
        locations: 1,
        config: { auth: { type: "basic", username: "check", password: "its-password" } },
        course: [well(10), broken(4, status(403, "Forbidden"))],
      }),
    ],
  },
  {
    id: "rate-limited",
    cause: "rate_limited",
    broken: "The gateway's limit was lowered below what the checks need.",
    checks: [
      ordersApi({
        frequencySeconds: 7,
        locations: 6,
        course: [well(8), broken(6, status(429, "Too many requests", { "retry-after": "30" }))],
      }),
    ],
  },
  {
    id: "rate-limited-now-and-then",
    cause: "rate_limited",
    broken: "The gateway limits the rate: every second request is refused.",
    checks: [
      ordersApi({
        frequencySeconds: 30,
        locations: 2,
        course: Array.from({ length: 9 }, () => [
          well(1),
          broken(1, status(429, "Too many requests")),
        ]).flat(),
      }),
    ],
  },
  {
    id: "maintenance-page",
    cause: "maintenance",
    broken: "The operators switched to their maintenance page.",
    checks: [
      shop({
        course: [well(15), broken(5, status(503, "<h1>Back soon</h1>", { "retry-after": "3600" }))],
      }),
    ],
  },
  {
    id: "maintenance-page-first-failure",
    cause: "maintenance",
    broken: "The operators switched to their maintenance page a moment ago.",
    checks: [
      shop({
        frequencySeconds: 300,
        locations: 1,
        course: [
          well(15),
          broken(1, status(503, "We are upgrading", { "retry-after": "Mon, 01 Jun 2026 14:00:00 GMT" })),
        ],
      }),
    ],
  },
  {
    id: "flapping-errors",
    cause: "flapping",
    broken: "One of two backends is broken: every second request fails.",
    checks: [
      shop({
        course: [
          well(8),
          ...Array.from({ length: 7 }, () => [broken(1, status(500, "Oops")), well(1)]).flat(),
        ],
      }),
    ],
  },
  {
    id: "flapping-refused",
    cause: "flapping",
    broken: "The server restarts again and again.",
    checks: [
      shop({
        frequencySeconds: 30,
        locations: 2,
        course: Array.from({ length: 6 }, () => [well(2), broken(1, notListening)]).flat(),
      }),
    ],
  },
];
