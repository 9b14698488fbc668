/** Checks with which nothing is wrong, though something about them may look as if. */
import type { Scenario } from "../scenario.ts";
import { send } from "../world/site.ts";
import { answering, broken, cutOff, notListening, ordersApi, shop, slowShop, status, well } from "./parts.ts";

/** The scenarios. */
export const lookalikes: Scenario[] = [
  {
    id: "well",
    cause: "nothing_wrong",
    broken: "Nothing.",
    checks: [shop({ conditions: [], course: [well(25)] })],
  },
  {
    id: "well-one-blip",
    cause: "nothing_wrong",
    broken: "One run at one location failed eight minutes ago; all is well since.",
    checks: [shop({ conditions: [], course: [well(12), broken(1, cutOff, [1]), well(8)] })],
  },
  {
    id: "well-after-deployment",
    cause: "nothing_wrong",
    broken: "Nothing: a version was deployed four minutes ago and works.",
    checks: [ordersApi({ conditions: [], locations: 2, course: [well(25)] })],
    deployments: [{ service: "orders", version: "8", minutesAgo: 4 }],
  },
  {
    id: "well-again",
    cause: "nothing_wrong",
    broken: "The server was down for ten minutes an hour ago; it is well again.",
    checks: [
      shop({
        frequencySeconds: 300,
        conditions: [],
        course: [well(10), broken(2, notListening), well(12)],
      }),
    ],
  },
  {
    id: "well-one-slow-run",
    cause: "nothing_wrong",
    broken: "Single runs were slow, as garbage collections make them.",
    checks: [
      slowShop({
        conditions: [],
        locations: 2,
        course: [
          well(12),
          broken(
            1,
            answering(
              (_request, response) => void setTimeout(() => send(response, "text/html", "<h1>Hi</h1>"), 400),
            ),
          ),
          well(10),
        ],
      }),
    ],
  },
  {
    id: "well-two-slots-missed",
    cause: "nothing_wrong",
    broken: "A runner was replaced: two slots were not run.",
    checks: [
      shop({ conditions: [], course: [well(20), { slots: 2, at: [0], unrun: "runner_lost" }, well(8)] }),
    ],
  },
  {
    id: "well-two-errors-long-ago",
    cause: "nothing_wrong",
    broken: "Two single errors within hours, on a check every 15 minutes.",
    checks: [
      shop({
        frequencySeconds: 900,
        conditions: [],
        locations: 1,
        course: [
          well(6),
          broken(1, status(502, "Bad gateway")),
          well(8),
          broken(1, status(502, "Bad gateway")),
          well(9),
        ],
      }),
    ],
  },
];
