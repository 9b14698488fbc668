/** Sends the driver's news to the agent, as frames on file descriptor 3. */
import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";
import type * as z from "zod";
import type { newsSchema } from "../protocol/messages.ts";

type NewsInput = z.input<typeof newsSchema>;
export type SendNews = (news: NewsInput, payload?: Buffer) => void;

const NEWS_FD = 3;

/** Opens the descriptor. When it breaks the agent is gone, and the driver ends. */
export function openNews(): SendNews {
  const stream: Writable = createWriteStream("", { fd: NEWS_FD });
  stream.on("error", () => process.exit(1));
  return (news, payload) => {
    stream.write(`${JSON.stringify(payload === undefined ? news : { ...news, bytes: payload.length })}\n`);
    if (payload !== undefined && payload.length > 0) stream.write(payload);
  };
}
