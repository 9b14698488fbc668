/** HTTP/2 written by hand, for attacks that no library would send: frames in odd orders and numbers, over a plain socket. */
import net from "node:net";

/** Types of frames. */
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
};
export const FLAG = { endStream: 1, acknowledge: 1, endHeaders: 4 };

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Returns a frame. */
export function frame(
  type: number,
  flags: number,
  streamId: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** Returns a block of headers, each written out. Names and values have fewer than 127 characters. */
function headerBlock(headers: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(
    headers.map(([name, value]) =>
      Buffer.concat([
        Buffer.of(0, name.length),
        Buffer.from(name),
        Buffer.of(value.length),
        Buffer.from(value),
      ]),
    ),
  );
}

/** Returns the headers of a call of a method of the RunnerService. */
export function callHeaders(method: string, more: readonly (readonly [string, string])[] = []): Buffer {
  return headerBlock([
    [":method", "POST"],
    [":scheme", "http"],
    [":path", `/svc.runner.v1.RunnerService/${method}`],
    [":authority", "127.0.0.1"],
    ["content-type", "application/grpc+proto"],
    ["te", "trailers"],
    ...more,
  ]);
}

/** A connection that sends what a test asks for. */
export interface RawConnection {
  socket: net.Socket;
  /** Resolves once the other side has ended the connection. */
  closed: Promise<void>;
  isClosed(): boolean;
}

/** Connects to a port of 127.0.0.1 and begins HTTP/2. */
export async function connectRaw(port: number): Promise<RawConnection> {
  const socket = net.connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.resume();
  let isClosed = false;
  const closed = new Promise<void>((resolve) =>
    socket.once("close", () => {
      isClosed = true;
      resolve();
    }),
  );
  await new Promise<void>((resolve) => {
    socket.once("connect", resolve);
    socket.once("close", resolve);
  });
  socket.write(Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0)]));
  return { socket, closed, isClosed: () => isClosed };
}

/** Writes a part again and again until the connection ends or the bytes are spent. Respects backpressure. */
export async function flood(connection: RawConnection, part: Buffer, bytesMax: number): Promise<void> {
  const { socket, closed, isClosed } = connection;
  for (let sent = 0; sent < bytesMax && !isClosed(); sent += part.length)
    if (!socket.write(part)) await Promise.race([once(socket, "drain"), closed]);
}

function once(socket: net.Socket, event: string): Promise<void> {
  return new Promise((resolve) => socket.once(event, () => resolve()));
}
