/** Sends the driver's messages to the agent, as frames on file descriptor 3. */
import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";
import type * as z from "zod";
import type { driverMessageSchema } from "../protocol/messages.ts";

type MessageInput = z.input<typeof driverMessageSchema>;
/** Sends one message to the agent, with the raw bytes that follow it where its type has any. */
export type SendMessage = (message: MessageInput, payload?: Buffer) => void;

const NEWS_FD = 3;

/** Opens the descriptor. When it breaks the agent is gone, and the driver ends. */
export function openMessages(): SendMessage {
  const stream: Writable = createWriteStream("", { fd: NEWS_FD });
  stream.on("error", () => process.exit(1));
  return (message, payload) => {
    stream.write(
      `${JSON.stringify(payload === undefined ? message : { ...message, bytes: payload.length })}\n`,
    );
    if (payload !== undefined && payload.length > 0) stream.write(payload);
  };
}
