import { readdirSync } from "node:fs";
import { join } from "node:path";
import { channelTypes } from "@svc/contract";
import { expect, it } from "vitest";
import { CHANNEL_SENDERS } from "./registry.ts";

const CONTRACT_FOLDER = join(import.meta.dirname, "../../../../contract/src/channels");

it("each channel type of the contract has a sender in a file of the same name, and no sender is without a type", () => {
  expect(Object.keys(CHANNEL_SENDERS).sort()).toEqual([...channelTypes.types].sort());
  const members = readdirSync(CONTRACT_FOLDER).filter(
    (file) => !/registry|define-channel|mask-|test/.test(file),
  );
  expect(readdirSync(import.meta.dirname)).toEqual(expect.arrayContaining(members));
});
