import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { type Hello, HelloSchema, SessionRequestSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { expect, it } from "vitest";
import type { RunnerKeyRow } from "../accounts/identity/credential-store.ts";
import { FleetState } from "../fleet/fleet-state.ts";
import type { LocationRow } from "../fleet/fleet-store.ts";
import { parseHello, servedLocations } from "./hello.ts";

const aLocation = (key: number, status: string) =>
  ({ key, id: `loc_${key}`, name: `location ${key}`, teamId: null, status }) as LocationRow;
const state = new FleetState();
state.setLocations([aLocation(1, "active"), aLocation(2, "deprecated"), aLocation(3, "retired")]);
const HOSTED = { locationKey: null } as RunnerKeyRow;
const served = (...locationIds: string[]) =>
  servedLocations(HOSTED, { locationIds } as unknown as Hello, state).map(({ id }) => id);

it.each([
  ["that asks for none serves all that are not retired", [], ["loc_1", "loc_2"]],
  ["that asks for a retired one serves the others it asks for", ["loc_3", "loc_1"], ["loc_1"]],
])("an agent of the hosted pool %s", (_, wanted, expected) => {
  expect(served(...wanted)).toEqual(expected);
});

it.each([
  ["loc_3", "location_ids: all of these locations are retired"],
  ["loc_4", 'location_ids: "loc_4" is not a hosted location'],
])("an agent that asks for %s alone is refused with the reason", (id, message) => {
  expect(() => served(id)).toThrow(message);
});

it.each([
  ["freshRuns", "fresh_runs is above 1000000"],
  ["browserPages", "browser_pages is above 1000000"],
] as const)("an agent that claims too large a %s is refused", (field, message) => {
  const hello = (value: number) =>
    create(SessionRequestSchema, {
      message: {
        case: "hello",
        value: create(HelloSchema, {
          protocolVersion: 1,
          runnerUuid: randomUUID(),
          processUuid: randomUUID(),
          [field]: value,
        }),
      },
    });
  expect(parseHello(hello(1_000_000))[field]).toBe(1_000_000);
  expect(() => parseHello(hello(1_000_001))).toThrow(message);
});
