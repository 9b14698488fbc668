/** Outages of names. */
import type { Scenario } from "../scenario.ts";
import type { World } from "../world/world.ts";
import { broken, shop, well } from "./parts.ts";

const noSuchName = (world: World) => {
  world.names = { kind: "no_such_name" };
};
const serverFailure = (delayMs: number) => (world: World) => {
  world.names = { kind: "server_failure", delayMs };
};

/** The scenarios. */
export const names: Scenario[] = [
  {
    id: "name-record-removed",
    cause: "name_missing",
    broken: "The zone lost the record of shop.example: its name servers answer NXDOMAIN.",
    checks: [shop({ course: [well(20), broken(5, noSuchName)] })],
  },
  {
    id: "name-record-removed-first-failure",
    cause: "name_missing",
    broken: "The registration of the domain lapsed: NXDOMAIN, seen once so far.",
    checks: [shop({ frequencySeconds: 300, locations: 1, course: [well(12), broken(1, noSuchName)] })],
  },
  {
    id: "name-record-removed-after-deployment",
    cause: "name_missing",
    broken:
      "Somebody removed the record; a deployment of the shop three minutes before has nothing to do with it.",
    checks: [shop({ course: [well(20), broken(4, noSuchName)] })],
    deployments: [{ service: "shop", version: "2.4.1", minutesAgo: 7 }],
  },
  {
    id: "name-servers-fail-for-hours",
    cause: "name_server_failure",
    broken: "The zone's name servers answer SERVFAIL, for two and a half hours.",
    checks: [shop({ frequencySeconds: 300, locations: 4, course: [well(6), broken(30, serverFailure(0))] })],
  },
  {
    id: "name-servers-do-not-answer",
    cause: "name_server_failure",
    broken: "The zone's name servers do not answer, so resolvers give up after a while and answer SERVFAIL.",
    checks: [shop({ frequencySeconds: 30, locations: 2, course: [well(15), broken(4, serverFailure(150))] })],
  },
  {
    id: "name-resolver-silent-at-one-location",
    cause: "runner",
    broken: "The resolver of the runner at one location answers nothing; the target is well.",
    checks: [
      shop({
        conditions: ["missed_runs"],
        course: [
          well(12),
          broken(
            5,
            (world) => {
              world.names = { kind: "silent" };
            },
            [1],
          ),
        ],
      }),
    ],
  },
  {
    id: "name-leads-to-a-dead-address",
    cause: "wrong_address",
    broken: "The record was changed to an address at which nothing listens.",
    checks: [
      shop({
        course: [
          well(20),
          broken(6, (world) => {
            world.names = { kind: "address", address: "127.0.0.66" };
          }),
        ],
      }),
    ],
  },
  {
    id: "name-leads-to-another-site",
    cause: "wrong_address",
    broken: "The record was changed to the address of another site, which shows its own certificate.",
    checks: [
      shop({
        locations: 2,
        course: [
          well(20),
          broken(6, ({ site, certificates }) => {
            site.certificate = certificates.otherHost;
          }),
        ],
      }),
    ],
  },
];
