/** Outages of connections and servers as a whole. */
import type { Scenario } from "../scenario.ts";
import { staySilent, type World } from "../world/world.ts";
import { answering, broken, notListening, ordersApi, shop, status, well } from "./parts.ts";

const silent = ({ site }: World) => {
  site.raw = staySilent;
};
const cutBody = answering((_request, response) => {
  response.writeHead(200, { "content-length": "100000" });
  response.write("<h1>Welcome");
  setTimeout(() => response.destroy(), 10);
});

/** The scenarios. */
export const connections: Scenario[] = [
  {
    id: "refused",
    cause: "refused",
    broken: "The web server was stopped.",
    checks: [shop({ course: [well(20), broken(6, notListening)] })],
  },
  {
    id: "refused-first-failure",
    cause: "refused",
    broken: "The web server was stopped; seen once so far, by a check every seven seconds.",
    checks: [shop({ frequencySeconds: 7, locations: 1, course: [well(40), broken(1, notListening)] })],
  },
  {
    id: "refused-two-checks-of-two-frequencies",
    cause: "refused",
    broken: "The web server was stopped; two checks of different frequencies watch it.",
    checks: [
      shop({ frequencySeconds: 30, course: [well(20), broken(8, notListening)] }),
      ordersApi({ frequencySeconds: 300, locations: 2, course: [well(10), broken(1, notListening)] }),
    ],
  },
  {
    id: "body-cut-short",
    cause: "cut_short",
    broken: "The server dies in the middle of each answer.",
    checks: [shop({ course: [well(15), broken(5, cutBody)] })],
  },
  {
    id: "body-cut-short-long-ago",
    cause: "cut_short",
    broken: "A proxy drops connections in the middle of each answer, for hours.",
    checks: [shop({ frequencySeconds: 300, locations: 1, course: [well(5), broken(40, cutBody)] })],
  },
  {
    id: "silent-after-accept",
    cause: "no_answer",
    broken: "The server accepts connections and answers nothing.",
    checks: [shop({ course: [well(12), broken(4, silent)] })],
  },
  {
    id: "silent-after-request",
    cause: "no_answer",
    broken: "All threads of the server hang: TLS works, no request is answered.",
    checks: [
      shop({
        frequencySeconds: 300,
        locations: 4,
        course: [
          well(8),
          broken(
            3,
            answering(() => {}),
          ),
        ],
      }),
    ],
  },
  {
    id: "server-error",
    cause: "server_error",
    broken: "The application throws at each request.",
    checks: [
      shop({ frequencySeconds: 30, locations: 6, course: [well(10), broken(5, status(500, "Oops"))] }),
    ],
  },
  {
    id: "server-error-first-failure",
    cause: "server_error",
    broken: "The gateway lost its backend.",
    checks: [shop({ frequencySeconds: 900, course: [well(10), broken(1, status(502, "Bad gateway"))] })],
  },
  {
    id: "server-error-partly-recovered",
    cause: "server_error",
    broken:
      "The gateway lost its backend everywhere; since two minutes three of five locations get answers again.",
    checks: [
      shop({
        locations: 5,
        course: [
          well(12),
          broken(8, status(502, "Bad gateway")),
          broken(2, status(502, "Bad gateway"), [0, 3]),
        ],
      }),
    ],
  },
  {
    id: "server-error-long-after-deployment",
    cause: "server_error",
    broken: "The database behind the shop is full; the deployment five hours before is unrelated.",
    checks: [
      shop({ frequencySeconds: 300, course: [well(70), broken(3, status(500, "Oops"))], locations: 2 }),
    ],
    deployments: [{ service: "shop", version: "2.4.1", minutesAgo: 320 }],
  },
];
