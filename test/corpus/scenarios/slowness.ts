/** Targets that answer, but slowly. */
import type { Scenario } from "../scenario.ts";
import { send } from "../world/site.ts";
import type { World } from "../world/world.ts";
import { answering, broken, slowShop, well } from "./parts.ts";

const lateAnswer = (delayMs: number) =>
  answering(
    (_request, response) => void setTimeout(() => send(response, "text/html", "<h1>Welcome</h1>"), delayMs),
  );
const slowBody = answering((_request, response) => {
  response.writeHead(200);
  response.write("<h1>");
  setTimeout(() => response.end("Welcome</h1>"), 300);
});

/** The scenarios. */
export const slowness: Scenario[] = [
  {
    id: "slow-lookup",
    cause: "slow_lookup",
    broken: "The name servers take a quarter of a second for each answer.",
    checks: [
      slowShop({
        course: [
          well(18),
          broken(6, (world) => {
            world.names = { kind: "address", address: "127.0.0.1", delayMs: 250 };
          }),
        ],
      }),
    ],
  },
  {
    id: "slow-connect",
    cause: "slow_connect",
    broken: "The network carries connection attempts 300 ms late.",
    checks: [
      slowShop({
        locations: 2,
        course: [
          well(18),
          broken(6, (world) => {
            world.connectDelayMs = 300;
          }),
        ],
      }),
    ],
  },
  {
    id: "slow-handshake",
    cause: "slow_handshake",
    broken: "The server has no CPU time left for handshakes.",
    checks: [
      slowShop({
        frequencySeconds: 300,
        course: [
          well(16),
          broken(7, ({ site }) => {
            site.handshakeDelayMs = 260;
          }),
        ],
      }),
    ],
  },
  {
    id: "slow-first-byte",
    cause: "slow_first_byte",
    broken: "A query without an index makes every page wait.",
    checks: [slowShop({ course: [well(20), broken(6, lateAnswer(350))] })],
  },
  {
    id: "slow-first-byte-just-begun",
    cause: "slow_first_byte",
    broken: "The application became slow three runs ago.",
    checks: [slowShop({ locations: 4, course: [well(20), broken(3, lateAnswer(600))] })],
  },
  {
    id: "slow-first-byte-for-hours",
    cause: "slow_first_byte",
    broken: "The application has been slow for three hours.",
    checks: [
      slowShop({ frequencySeconds: 300, locations: 1, course: [well(30), broken(36, lateAnswer(300))] }),
    ],
  },
  {
    id: "slow-transfer",
    cause: "slow_transfer",
    broken: "The uplink is full: bodies trickle.",
    checks: [slowShop({ frequencySeconds: 30, course: [well(18), broken(6, slowBody)] })],
  },
  {
    id: "slow-after-deployment",
    cause: "deployment",
    broken: "The version that was deployed six minutes ago asks the database once per article.",
    checks: [slowShop({ course: [well(20), broken(6, lateAnswer(400))] })],
    deployments: [{ service: "shop", version: "2.5.0", minutesAgo: 7 }],
  },
  {
    id: "slow-lookup-after-deployment",
    cause: "slow_lookup",
    broken:
      "The name servers became slow; a deployment of the shop some minutes before has nothing to do with it.",
    checks: [
      slowShop({
        course: [
          well(18),
          broken(6, (world: World) => {
            world.names = { kind: "address", address: "127.0.0.1", delayMs: 300 };
          }),
        ],
      }),
    ],
    deployments: [{ service: "shop", version: "2.5.0", minutesAgo: 9 }],
  },
];
