/** A name server on 127.0.0.1:53, which the resolver of the recorder's namespace asks. It answers as its mode says. */
import dgram from "node:dgram";
import { setTimeout as sleepMs } from "node:timers/promises";

/** How questions are answered. */
export type NameServerMode =
  /** Every name has this address. */
  | { kind: "address"; address: string; delayMs?: number }
  | { kind: "no_such_name" }
  | { kind: "server_failure"; delayMs?: number }
  /** No question is answered, not even those about the root. */
  | { kind: "silent" };

const CODES = { ok: 0, serverFailure: 2, noSuchName: 3 };
const TYPE_A = 1;

/** A running name server; `mode` holds from the next question on. */
export interface NameServer {
  mode: NameServerMode;
  close(): void;
}

/** Starts the server. */
export async function startNameServer(): Promise<NameServer> {
  const socket = dgram.createSocket("udp4");
  const server: NameServer = {
    mode: { kind: "address", address: "127.0.0.1" },
    close: () => socket.close(),
  };
  socket.on("message", async (question, from) => {
    const { mode } = server;
    if (mode.kind === "silent") return;
    const isRoot = question[12] === 0;
    if ("delayMs" in mode && mode.delayMs && !isRoot) await sleepMs(mode.delayMs);
    socket.send(isRoot ? answerTo(question, CODES.ok) : answerOf(mode, question), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(53, "127.0.0.1", resolve));
  return server;
}

function answerOf(mode: Exclude<NameServerMode, { kind: "silent" }>, question: Buffer): Buffer {
  if (mode.kind === "no_such_name") return answerTo(question, CODES.noSuchName);
  if (mode.kind === "server_failure") return answerTo(question, CODES.serverFailure);
  const type = question.readUInt16BE(endOfName(question) + 1);
  return answerTo(question, CODES.ok, type === TYPE_A ? mode.address : undefined);
}

/** Returns the answer to a question: its own head and question, and an address where there is one. */
function answerTo(question: Buffer, code: number, address?: string): Buffer {
  const end = endOfName(question) + 5;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(address === undefined ? 0 : 1, 6);
  head.writeUInt32BE(0, 8);
  if (address === undefined) return head;
  // A pointer to the question's name, type A, class IN, no time to live, four bytes.
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]);
  return Buffer.concat([head, record]);
}

/** Returns the position of the empty label at the end of the question's name. */
function endOfName(question: Buffer): number {
  let at = 12;
  while (at < question.length && question[at] !== 0) at += (question[at] ?? 0) + 1;
  return at;
}
