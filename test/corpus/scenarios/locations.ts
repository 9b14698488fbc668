/** Outages that only some locations see, and locations whose runners fail. */
import type { Scenario } from "../scenario.ts";
import { broken, cutOff, notListening, shop, well } from "./parts.ts";

/** The scenarios. */
export const locations: Scenario[] = [
  {
    id: "one-location-cut-off",
    cause: "location",
    broken: "A carrier near one of three locations lost its route to the target.",
    checks: [shop({ course: [well(15), broken(4, cutOff, [2])] })],
  },
  {
    id: "one-location-of-six-refused",
    cause: "location",
    broken: "The firewall refuses the addresses of one of six locations.",
    checks: [shop({ frequencySeconds: 300, locations: 6, course: [well(10), broken(6, notListening, [4])] })],
  },
  {
    id: "two-of-three-locations-cut-off",
    cause: "location",
    broken: "A submarine cable broke: two of three locations lost their route.",
    checks: [shop({ course: [well(12), broken(4, cutOff, [1, 2])] })],
  },
  {
    id: "one-location-cut-off-after-deployment",
    cause: "location",
    broken:
      "A carrier near one of four locations lost its route, some minutes after an unrelated deployment.",
    checks: [shop({ locations: 4, course: [well(12), broken(4, cutOff, [1])] })],
    deployments: [{ service: "shop", version: "2.4.1", minutesAgo: 9 }],
  },
  {
    id: "one-location-first-failure",
    cause: "location",
    broken: "The way from one of five locations was cut a moment ago.",
    checks: [shop({ locations: 5, course: [well(10), broken(1, cutOff, [3])] })],
  },
  {
    id: "no-runner-at-one-location",
    cause: "runner",
    broken: "The only runner of a location was switched off.",
    checks: [
      shop({ conditions: ["missed_runs"], course: [well(30), { slots: 15, at: [1], unrun: "no_runner" }] }),
    ],
  },
  {
    id: "runner-out-of-memory",
    cause: "runner",
    broken: "The runner of one location is killed for its memory again and again.",
    checks: [
      shop({
        frequencySeconds: 30,
        locations: 2,
        conditions: ["missed_runs"],
        course: Array.from({ length: 8 }, () => [
          well(3),
          { slots: 2, at: [0], unrun: "runner_oom" as const },
        ]).flat(),
      }),
    ],
  },
  {
    id: "runners-of-all-locations-gone",
    cause: "runner",
    broken: "All runners were stopped for an upgrade and not started again.",
    checks: [
      shop({
        frequencySeconds: 300,
        conditions: ["missed_runs"],
        course: [well(20), { slots: 12, unrun: "no_runner" }],
      }),
    ],
  },
];
