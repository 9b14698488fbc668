import { channelTypes, conditionTypes, factTypes, telemetryEventTypes } from "@svc/contract";
import { expect, it } from "vitest";
import { conditionRules } from "./alerting/conditions/registry.ts";
import { channelSenders } from "./outbox/channels/registry.ts";
import { factStores } from "./results/ingest/facts/registry.ts";
import { derivedEvents } from "./telemetry/derived-events/registry.ts";

it.each([
  ["condition", conditionRules, conditionTypes],
  ["channel", channelSenders, channelTypes],
  ["result fact", factStores, factTypes],
])("every %s of the contract works here, and no other", (_, works, described) => {
  expect([...works.types].sort()).toEqual([...described.types].sort());
});

it("every derived event has its words in the contract", () => {
  expect(derivedEvents.types.filter((type) => !telemetryEventTypes.find(type))).toEqual([]);
});
