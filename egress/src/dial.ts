/**
 * Opens a TCP connection to one of several checked addresses (happy eyeballs, RFC 8305). Unlike with net's
 * autoSelectFamily, a slow attempt goes on when the next one starts, and the first to connect wins: a slow but healthy
 * address is never given up for a dead one.
 */
import net from "node:net";

/** An address that the policy has passed. */
export interface PinnedAddress {
  address: string;
  family: 4 | 6;
}

/** Starts one connection attempt. Replaceable, so that a test can record the dialled addresses. */
export type Connect = (target: { host: string; port: number; family: 4 | 6 }) => net.Socket;

/** The parts of an AbortSignal that end a wait. A listener is called at most once. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** RFC 8305, section 5: recommended delay between attempts. */
const ATTEMPT_DELAY_MS = 250;

const connectTcp: Connect = ({ host, port, family }) => net.connect({ host, port, family });

/** Says that no address could be connected to. `code` is that of the first attempt. */
export class DialError extends Error {
  readonly code: string | undefined;
  /** Codes of all attempts, in their order. */
  readonly codes: readonly (string | undefined)[];

  constructor(attempts: readonly { address: string; port: number; error: NodeJS.ErrnoException }[]) {
    const [first] = attempts;
    super(
      attempts
        .map(({ address, port, error }) => `${describe(error)} at ${endpoint(address, port)}`)
        .join("; "),
      { cause: first?.error },
    );
    this.name = "DialError";
    this.code = first?.error.code;
    this.codes = attempts.map(({ error }) => error.code);
  }
}

/**
 * Connects to the first address that answers.
 * @param addresses at least one; tried with alternating families, 250 ms apart or as soon as one fails
 * @returns the connected socket (paused, without listeners); all other attempts are destroyed
 * @throws DialError when every address failed; the signal's reason when it aborts first
 */
export function dial(
  addresses: readonly PinnedAddress[],
  port: number,
  options: { signal?: StopSignal | undefined; connect?: Connect | undefined } = {},
): Promise<net.Socket> {
  const { signal, connect = connectTcp } = options;
  return new Promise((resolve, reject) => {
    const queue = alternateFamilies(addresses);
    const open = new Set<net.Socket>();
    const failures: { address: string; port: number; error: NodeJS.ErrnoException }[] = [];
    let timer: NodeJS.Timeout | undefined;

    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      for (const socket of open) discard(socket);
    };
    const onAbort = () => {
      finish();
      reject(signal?.reason);
    };
    const startNext = () => {
      clearTimeout(timer);
      const target = queue.shift();
      if (!target) return;
      const socket = connect({ host: target.address, port, family: target.family });
      open.add(socket);
      const onError = (error: NodeJS.ErrnoException) => {
        open.delete(socket);
        discard(socket);
        failures.push({ address: target.address, port, error });
        if (queue.length > 0) startNext();
        else if (open.size === 0) {
          finish();
          reject(new DialError(failures));
        }
      };
      socket.once("error", onError);
      socket.once("connect", () => {
        open.delete(socket);
        socket.removeListener("error", onError);
        // The caller adds its listeners a few ticks later; an error in between must not end the process.
        socket.on("error", ignore);
        finish();
        resolve(socket);
      });
      if (queue.length > 0) timer = setTimeout(startNext, ATTEMPT_DELAY_MS);
    };

    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    startNext();
  });
}

/** Returns the addresses in the resolver's order, but with alternating families, beginning with the first one's. */
function alternateFamilies(addresses: readonly PinnedAddress[]): PinnedAddress[] {
  const first = addresses[0]?.family;
  const same = addresses.filter(({ family }) => family === first);
  const other = addresses.filter(({ family }) => family !== first);
  const ordered: PinnedAddress[] = [];
  for (let index = 0; index < Math.max(same.length, other.length); index++) {
    const a = same[index];
    const b = other[index];
    if (a) ordered.push(a);
    if (b) ordered.push(b);
  }
  return ordered;
}

function discard(socket: net.Socket): void {
  socket.on("error", ignore); // a late error of an attempt that no longer matters
  socket.destroy();
}

function ignore(): void {}

function describe(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "ECONNREFUSED":
      return "connection refused";
    case "ECONNRESET":
      return "connection reset";
    case "ETIMEDOUT":
      return "connection attempt timed out";
    case "EHOSTUNREACH":
      return "no route to host";
    case "ENETUNREACH":
      return "network unreachable";
    default:
      return error.code ?? error.message;
  }
}

function endpoint(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
