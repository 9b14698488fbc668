import { readdirSync } from "node:fs";
import { CHANNEL_TYPE_NAMES } from "@svc/contract";
import { expect, it } from "vitest";
import { CHANNEL_SENDERS } from "./registry.ts";

it("each channel type of the contract has a sender in a file of its own name, and no sender is without a type", () => {
  const files = readdirSync(import.meta.dirname);
  expect(Object.keys(CHANNEL_SENDERS).sort()).toEqual([...CHANNEL_TYPE_NAMES].sort());
  for (const type of CHANNEL_TYPE_NAMES) expect(files).toContain(`${type}.ts`);
});
