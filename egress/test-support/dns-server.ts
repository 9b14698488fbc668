/** A DNS server under a test's control. */
import dgram from "node:dgram";
import dns from "node:dns";
import type { AddressInfo } from "node:net";
import packet from "dns-packet";
import { onTestFinished } from "vitest";
import type { Resolve } from "../src/system-resolver.ts";

export interface TestDns {
  /** Questions in their order: name and record type. */
  questions: string[];
  /** `127.0.0.1:port`, as dns.setServers takes it. */
  server: string;
  /** Resolves with the A and AAAA records that this server answers. */
  resolve: Resolve;
}

/**
 * Starts a server on a free loopback port until the test ends.
 * @param answer addresses of a name at its nth question of that type (from 0); undefined: no such name; "silence": no answer
 */
export async function aDnsServer(
  answer: (question: { name: string; family: 4 | 6; nth: number }) => string[] | undefined | "silence",
): Promise<TestDns> {
  const questions: string[] = [];
  const socket = dgram.createSocket("udp4");
  socket.on("message", (message, from) => {
    const query = packet.decode(message);
    const [question] = query.questions ?? [];
    if (!question) return;
    const { name, type } = question;
    const key = `${name} ${type}`;
    const nth = questions.filter((asked) => asked === key).length;
    questions.push(key);
    const addresses = answer({ name, family: type === "AAAA" ? 6 : 4, nth });
    if (addresses === "silence") return;
    const reply = packet.encode({
      type: "response",
      id: query.id ?? 0,
      flags: packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | (addresses ? 0 : 3),
      questions: [question],
      answers: (addresses ?? []).map((data) => ({ type: type as "A", name, ttl: 0, data })),
    });
    socket.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    socket.close();
  });
  const server = `127.0.0.1:${(socket.address() as AddressInfo).port}`;
  const resolver = new dns.promises.Resolver({ timeout: 1_000, tries: 2 });
  resolver.setServers([server]);
  return { questions, server, resolve: (hostname) => resolveBoth(resolver, hostname) };
}

async function resolveBoth(resolver: dns.promises.Resolver, hostname: string) {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
  ];
  if (found.length === 0 && v4.status === "rejected") throw v4.reason;
  return found;
}
