/**
 * The one way out to a user-given address. A name is resolved once, each of its addresses is judged, and only judged
 * addresses are dialled: there is no second lookup that could answer differently (DNS rebinding).
 */
import type dgram from "node:dgram";
import type dns from "node:dns";
import type net from "node:net";
import { addressDenial } from "./address-policy.ts";
import { openDatagram } from "./datagram.ts";
import { type Connect, dial, type PinnedAddress, type StopSignal } from "./dial.ts";
import { EgressDenied } from "./egress-denied.ts";
import { addressOfHost, comparableHostName, hostNameDenial, isLocalhostName } from "./host-policy.ts";
import {
  type Resolve,
  type ResolverHealth,
  resolveBySystem,
  systemResolverHealth,
} from "./system-resolver.ts";

/** The policy of a way out, and replacements for its parts. */
export interface EgressOptions {
  /** True when private, loopback and link-local addresses may be reached. Cloud metadata services never may. */
  allowPrivate: boolean;
  /** Sentence in the message of a denial that says how to allow the connection. */
  remedy?: string;
  /** Default: the operating system's resolver (hosts file included). */
  resolve?: Resolve;
  /** Health of `resolve`. Default: the operating system's resolver is asked; another `resolve` counts as healthy. */
  resolverHealth?: (hostname: string) => Promise<ResolverHealth>;
  /** Default: net.connect. */
  connect?: Connect;
}

/** Target of a connection: a host, its pinned addresses and a port. */
interface DialTarget {
  /** The host's name, for messages. */
  hostname: string;
  addresses: readonly PinnedAddress[];
  port: number;
}

/** A way out under one policy. */
export interface Egress {
  readonly allowPrivate: boolean;
  /**
   * Refuses a URL whose scheme, host name or literal address is not allowed. Looks nothing up.
   * @throws EgressDenied
   */
  assertUrlAllowed(url: URL): void;
  /** Resolves with the addresses of a host, all of them allowed. Rejects with EgressDenied or the resolver's error. */
  pin(hostname: string): Promise<PinnedAddress[]>;
  /**
   * Returns the addresses of a host that is an address itself; undefined for names.
   * @throws EgressDenied
   */
  pinLiteral(hostname: string): PinnedAddress[] | undefined;
  /** Connects to one of the pinned addresses and judges the peer's address. Rejects with EgressDenied or DialError. */
  dial(target: DialTarget, signal?: StopSignal): Promise<net.Socket>;
  /**
   * Opens a UDP socket that is connected to the first of the pinned addresses. Rejects with the system's error. The caller
   * closes the socket.
   */
  openDatagram(target: DialTarget): Promise<dgram.Socket>;
  /** Resolves with the cause of a failed lookup: the name, or this machine's resolver. Takes up to about 2 s. */
  resolverHealth(hostname: string): Promise<ResolverHealth>;
  /**
   * A `lookup` for libraries that dial themselves. Their callers must call `assertUrlAllowed` first, since literals are
   * not looked up.
   */
  readonly lookup: net.LookupFunction;
}

const DEFAULT_REMEDY = "set SVC_EGRESS_PRIVATE=allow on the runner, or use a private location, to reach it";
const NEVER = "this can't be changed";

/** Returns the way out under one policy. It holds no sockets, and its calls may overlap. */
export function createEgress(options: EgressOptions): Egress {
  const { allowPrivate, remedy = DEFAULT_REMEDY, resolve = resolveBySystem, connect } = options;
  const ownHealth = async (): Promise<ResolverHealth> => "ok";
  const { resolverHealth = options.resolve ? ownHealth : systemResolverHealth } = options;

  const refuse = (host: string, address: string | undefined, reason: string): EgressDenied => {
    const wouldHelp = !allowPrivate && isOpenedByAllowPrivate(host, address);
    return new EgressDenied({ host, address, reason, remedy: wouldHelp ? remedy : NEVER });
  };
  const denialOf = remembered((address) => addressDenial(address, { allowPrivate }));
  const assertAddress = (host: string, address: string) => {
    const reason = denialOf(address);
    if (reason) throw refuse(host, address, reason);
  };
  const literalOf = remembered(addressOfHost);
  const pinLiteral = (hostname: string): PinnedAddress[] | undefined => {
    const literal = literalOf(hostname);
    if (literal === undefined) return undefined;
    assertAddress(literal, literal);
    return [{ address: literal, family: literal.includes(":") ? 6 : 4 }];
  };
  const assertName = (hostname: string) => {
    const reason = hostNameDenial(hostname, { allowPrivate });
    if (reason) throw refuse(hostname, undefined, reason);
  };
  const pin = async (hostname: string): Promise<PinnedAddress[]> => {
    const literal = pinLiteral(hostname);
    if (literal) return literal;
    assertName(hostname);
    const found = await resolve(lookupName(hostname));
    if (found.length === 0)
      throw Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" });
    // One denied address refuses the name: rebinding attacks answer with a mixture, and chance must not decide.
    for (const { address } of found) assertAddress(hostname, address);
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  };

  return {
    allowPrivate,
    pinLiteral,
    pin,
    resolverHealth,
    assertUrlAllowed(url) {
      if (url.protocol !== "http:" && url.protocol !== "https:")
        throw new EgressDenied({
          host: url.host,
          reason: `the URL's scheme is ${url.protocol.slice(0, -1)}`,
          remedy: "only http and https are allowed",
        });
      if (!pinLiteral(url.hostname)) assertName(url.hostname);
    },
    async dial({ hostname, addresses, port }, signal) {
      const socket = await dial(addresses, port, { signal, connect });
      const { remoteAddress } = socket;
      // Undefined when the peer has gone already, as the first read or write will show.
      const reason = remoteAddress === undefined ? undefined : denialOf(remoteAddress);
      if (remoteAddress !== undefined && reason) {
        socket.destroy();
        throw refuse(hostname, remoteAddress, reason);
      }
      return socket;
    },
    async openDatagram({ hostname, addresses, port }) {
      const [first] = addresses;
      if (!first) throw new Error(`${hostname} has no address`);
      // Addresses are pinned before, but none may be dialled that was not judged by this policy.
      assertAddress(hostname, first.address);
      return openDatagram(first, port);
    },
    lookup(hostname, lookupOptions, callback) {
      pin(hostname).then(
        (pinned) => answerLookup(pinned, lookupOptions, callback),
        (error: NodeJS.ErrnoException) => callback(error, "", 0),
      );
    },
  };
}

/** Most hosts or addresses that are remembered: few are asked for again and again, and parsing an address is expensive. */
const REMEMBERED_MAX = 10_000;

/** Returns the function with a memory of what it returned. */
function remembered<T>(find: (text: string) => T | undefined): (text: string) => T | undefined {
  const known = new Map<string, T | undefined>();
  return (text) => {
    if (known.has(text)) return known.get(text);
    const found = find(text);
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(text, found);
    return found;
  };
}

/** Returns the name to look up: RFC 6761 lets no resolver decide about names below localhost. */
function lookupName(hostname: string): string {
  return isLocalhostName(comparableHostName(hostname)) ? "localhost" : hostname;
}

function isOpenedByAllowPrivate(host: string, address: string | undefined): boolean {
  const policy = { allowPrivate: true };
  return (
    (address === undefined ? hostNameDenial(host, policy) : addressDenial(address, policy)) === undefined
  );
}

function answerLookup(
  pinned: readonly PinnedAddress[],
  options: dns.LookupOptions,
  callback: Parameters<net.LookupFunction>[2],
): void {
  const wanted =
    options.family === 4 || options.family === "IPv4"
      ? 4
      : options.family === 6 || options.family === "IPv6"
        ? 6
        : 0;
  const usable = wanted === 0 ? pinned : pinned.filter(({ family }) => family === wanted);
  const [first] = usable;
  if (!first) callback(Object.assign(new Error("no address of this family"), { code: "ENOTFOUND" }), "", 0);
  else if (options.all) callback(null, [...usable]);
  else callback(null, first.address, first.family);
}
