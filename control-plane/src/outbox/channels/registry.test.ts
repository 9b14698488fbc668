import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type ChannelConfig, channelTypes } from "@svc/contract";
import { expect, it } from "vitest";
import { aNotification, anIncidentNotification, aSendContext } from "../../../test-support/notifications.ts";
import { type AnySender, channelSenders, sendNotification } from "./registry.ts";

const CONTRACT_FOLDER = join(import.meta.dirname, "../../../../contract/src/channels");

it("each channel type of the contract has a sender in a file of the same name, and no sender is without a type", () => {
  expect([...channelSenders.types].sort()).toEqual([...channelTypes.types].sort());
  const members = readdirSync(CONTRACT_FOLDER).filter(
    (file) => !/registry|define-channel|mask-|test/.test(file),
  );
  expect(readdirSync(import.meta.dirname)).toEqual(expect.arrayContaining(members));
});

it("a sender of a new type needs no more than to render an announcement and to send it", async () => {
  const sent: string[] = [];
  const pigeon: AnySender = {
    type: "pigeon",
    render: ({ title }) => title,
    send: async (message) => {
      sent.push(String(message));
      return { httpStatus: null };
    },
  };
  const sender = channelSenders.with(pigeon).get("pigeon") as AnySender;
  const config = { type: "pigeon" } as unknown as ChannelConfig;
  for (const notification of [aNotification(), anIncidentNotification("opened")])
    await sendNotification({ config, notification }, aSendContext(), sender);
  expect(sent).toEqual([
    "[CRITICAL] Home page: alert triggered",
    "[CRITICAL] Example check: status 503, expected 200: incident opened",
  ]);
});
