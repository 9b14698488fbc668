/** Tests DNS checks against a name server on loopback: types of records, transports, judgement, and what a server can't do. */
import dns from "node:dns";
import packet from "dns-packet";
import { describe, expect, it, onTestFinished } from "vitest";
import { aContext, expectFault } from "../../test-support/builders.ts";
import { anAuthority } from "../../test-support/certificates.ts";
import { type Answering, framed, httpsNameServer, nameServer } from "../../test-support/name-server.ts";
import { aRequestOf, runOf } from "../../test-support/run-of.ts";
import { closedPort, rawServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";

const NAME = "shop.example";
const NXDOMAIN = 3;
const REFUSED = 5;

const run = (config: Record<string, unknown>, options: Parameters<typeof runOf>[2] = {}) =>
  runOf("dns", { domain: NAME, timeoutMs: 3_000, ...config }, options);

const a = (data: string, name = NAME): packet.Answer => ({ type: "A", name, ttl: 300, data });
const ADDRESSES: Answering = () => ({ answers: [a("192.0.2.1"), a("192.0.2.2")] });

describe("a DNS run", () => {
  it.each<[string, packet.Answer, string]>([
    ["A", a("192.0.2.1"), "192.0.2.1"],
    ["AAAA", { type: "AAAA", name: NAME, data: "2001:db8:0:0::1" }, "2001:db8::1"],
    ["CNAME", { type: "CNAME", name: NAME, data: "Www.Shop.Example" }, "www.shop.example."],
    ["NS", { type: "NS", name: NAME, data: "ns1.example" }, "NS1.example"],
    ["MX", { type: "MX", name: NAME, data: { preference: 10, exchange: "mx.example" } }, "10 mx.example."],
    ["TXT", { type: "TXT", name: NAME, data: ["v=spf1 ", "-all"] }, "v=spf1 -all"],
    [
      "SOA",
      {
        type: "SOA",
        name: NAME,
        data: {
          mname: "ns1.example",
          rname: "ops.example",
          serial: 7,
          refresh: 1,
          retry: 2,
          expire: 3,
          minimum: 4,
        },
      },
      "ns1.example ops.example 7 1 2 3 4",
    ],
    [
      "CAA",
      { type: "CAA", name: NAME, data: { flags: 0, tag: "issue", value: "ca.example" } },
      '0 issue "ca.example"',
    ],
    [
      "SRV",
      { type: "SRV", name: NAME, data: { priority: 1, weight: 2, port: 5060, target: "sip.example" } },
      "1 2 5060 sip.example",
    ],
    ["PTR", { type: "PTR", name: NAME, data: "host.example" }, "host.example"],
  ])("asks for %s and compares the answer", async (recordType, answer, expected) => {
    let asked: packet.Question | undefined;
    const { resolver } = await nameServer((question) => {
      asked = question;
      return { answers: [answer] };
    });
    const result = await run({ resolver, recordType, expectEquals: [expected] });
    expect(result).toMatchObject({
      status: "success",
      detail: { dnsJson: { rcode: "NOERROR", answerCount: 1 } },
    });
    expect(asked).toMatchObject({ type: recordType, name: NAME });
    const numbers = expected.match(/^(?:\d+ )*(?=[a-z])/)?.[0] ?? "";
    const nothing =
      {
        A: "192.0.2.99",
        AAAA: "2001:db8::99",
        CAA: '0 issue "nothing.example"',
        SOA: "a.example b.example 9 1 2 3 4",
      }[recordType] ?? `${numbers}nothing.example`;
    const other = await run({ resolver, recordType, expectContains: [nothing] });
    expect(other).toMatchObject({ status: "failure", detail: { errorCategory: "assertion" } });
  });

  it("shows what was answered, by whom, and how long it took", async () => {
    const { resolver } = await nameServer(ADDRESSES);
    const result = await run({ resolver });
    expect(result.detail?.dnsJson).toEqual({
      server: resolver,
      rcode: "NOERROR",
      isAuthoritative: false,
      answers: [
        { type: "A", text: "192.0.2.1", ttlSeconds: 300 },
        { type: "A", text: "192.0.2.2", ttlSeconds: 300 },
      ],
      answerCount: 2,
    });
    expect(Object.keys(result.phases)).toEqual(["ttfbUs"]);
    expect(result.facts).toBeUndefined();
  });

  it.each<[string, object, "success" | "failure", RegExp?]>([
    ["one of both", { expectContains: ["192.0.2.2"] }, "success"],
    ["both in another order", { expectEquals: ["192.0.2.2", "192.0.2.1"] }, "success"],
    [
      "one more",
      { expectEquals: ["192.0.2.2", "192.0.2.1", "192.0.2.3"] },
      "failure",
      /expected "192.0.2.3" among them/,
    ],
    [
      "only one",
      { expectEquals: ["192.0.2.1"] },
      "failure",
      /expected only "192.0.2.1", got "192.0.2.1", "192.0.2.2"/,
    ],
    ["two records", { expectCount: 2 }, "success"],
    ["three records", { expectCount: 3 }, "failure", /expected 3 records/],
    [
      "another rcode",
      { expectedRcode: "NXDOMAIN" },
      "failure",
      /answered NOERROR for shop.example A; expected NXDOMAIN/,
    ],
  ])("that expects %s is judged", async (_, expected, status, message) => {
    const { resolver } = await nameServer(ADDRESSES);
    const result = await run({ resolver, ...expected });
    expect(result.status).toBe(status);
    if (message) expect(result.detail?.errorMessage).toMatch(message);
  });

  it("of a name that does not exist is a failure, unless that is expected", async () => {
    const { resolver } = await nameServer(() => ({ rcode: NXDOMAIN }));
    expect(await run({ resolver })).toMatchObject({ status: "failure", detail: { errorCategory: "dns" } });
    expect((await run({ resolver, expectedRcode: "NXDOMAIN" })).status).toBe("success");
    const refusing = await nameServer(() => ({ rcode: REFUSED }));
    expect((await run({ resolver: refusing.resolver })).detail?.errorMessage).toMatch(/answered REFUSED/);
  });

  it("without a record is a failure, unless none is expected", async () => {
    const { resolver } = await nameServer(() => ({}));
    expect((await run({ resolver })).detail?.errorMessage).toMatch(/at least one record, got no records/);
    expect((await run({ resolver, expectCount: 0 })).status).toBe("success");
  });

  it("counts only records of the type that it asked for", async () => {
    const { resolver } = await nameServer(() => ({
      answers: [{ type: "CNAME", name: NAME, data: "edge.example" }, a("192.0.2.9", "edge.example")],
    }));
    expect((await run({ resolver, expectEquals: ["192.0.2.9"] })).status).toBe("success");
  });

  it("asks for the name of an address", async () => {
    const names: string[] = [];
    const { resolver } = await nameServer(({ name }) => {
      names.push(name);
      return { answers: [{ type: "PTR", name, data: "host.example" }] };
    });
    await run({ resolver, recordType: "PTR", domain: "192.0.2.7" });
    await run({ resolver, recordType: "PTR", domain: "2001:db8::1" });
    expect(names[0]).toBe("7.2.0.192.in-addr.arpa");
    expect(names[1]).toMatch(/^1\.0\.0\.0\..*\.8\.b\.d\.0\.1\.0\.0\.2\.ip6\.arpa$/);
  });

  it("asks again over TCP when a reply over UDP was cut", async () => {
    const { resolver, asked } = await nameServer((_, { over }) =>
      over === "udp" ? { flags: packet.TRUNCATED_RESPONSE } : ADDRESSES({} as never, {} as never),
    );
    const result = await run({ resolver });
    expect([result.status, asked()]).toEqual(["success", 2]);
    expect(Object.keys(result.phases).sort()).toEqual(["tcpConnectUs", "ttfbUs"]);
  });

  it("asks over TCP alone", async () => {
    const { resolver } = await nameServer((_, { over }) =>
      over === "tcp" ? ADDRESSES({} as never, {} as never) : undefined,
    );
    expect((await run({ resolver, transport: "tcp" })).status).toBe("success");
  });

  it("asks over HTTPS, with a server that is trusted, and has its certificate's facts", async () => {
    const authority = await anAuthority();
    const resolver = await httpsNameServer(ADDRESSES, await authority.issue());
    const context = { caCertificates: [authority.certificate] };
    const result = await run({ transport: "https", resolver }, { context });
    expect(result).toMatchObject({ status: "success", facts: { tls: { isTrusted: true } } });
    expect(Object.keys(result.phases)).toContain("tlsHandshakeUs");
    expect(await run({ transport: "https", resolver })).toMatchObject({
      status: "error",
      detail: { errorCategory: "tls" },
    });
  });

  it("sends its question again when a packet is lost", async () => {
    const { resolver } = await nameServer((_, { nth }) =>
      nth === 0 ? undefined : ADDRESSES({} as never, {} as never),
    );
    const result = await run({ resolver, timeoutMs: 10_000 });
    expect(result.status).toBe("success");
    expect(result.responseTimeUs).toBeGreaterThan(1_900_000);
  });

  it("of a silent server is a timeout", async () => {
    const { resolver } = await nameServer(() => undefined);
    expect(await run({ resolver, timeoutMs: 150 })).toMatchObject({
      status: "timeout",
      detail: { errorCategory: "timeout" },
    });
  });

  it("of a port where nothing listens is an error of category connect", async () => {
    const resolver = `127.0.0.1:${await closedPort()}`;
    for (const transport of ["udp", "tcp"])
      expect(await run({ resolver, transport })).toMatchObject({
        status: "error",
        detail: { errorCategory: "connect" },
      });
  });
});

describe("where a DNS run may not go", () => {
  const denied = { context: { allowPrivateAddresses: false } };

  it("a private name server is asked nothing", async () => {
    const { resolver, asked } = await nameServer(ADDRESSES);
    for (const transport of ["udp", "tcp"]) {
      const result = await run({ resolver, transport }, denied);
      expect(result.detail?.errorMessage).toMatch(/is not allowed/);
    }
    expect(asked()).toBe(0);
  });

  it.each([
    ["localhost", "A"],
    ["metadata.google.internal", "A"],
    ["10.1.2.3", "PTR"],
  ])("%s is not asked about", async (domain, recordType) => {
    const result = await run({ domain, recordType }, denied);
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(result.detail?.errorMessage).toMatch(/is not allowed/);
  });
});

/** A reply with the id and the question of a query, and whatever bytes follow. */
function forged(id: number, counts: readonly number[], rest: Buffer): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x8180, 2);
  for (const [index, count] of counts.entries()) header.writeUInt16BE(count, 4 + 2 * index);
  return Buffer.concat([header, rest]);
}

/** `shop.example A IN` as bytes. */
const QUESTION = Buffer.from("0473686f70076578616d706c650000010001", "hex");

it("a private address that the runner's own name servers know is hidden from a run that may not go there", async () => {
  const { resolver } = await nameServer(() => ({ answers: [a("10.1.2.3")] }));
  const before = dns.getServers();
  dns.setServers([resolver]);
  onTestFinished(() => dns.setServers(before));
  expect((await run({})).status).toBe("success");
  const result = await run({}, { context: { allowPrivateAddresses: false } });
  expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
  expect(JSON.stringify(result)).not.toContain("10.1.2.3");
});

it("silence of the runner's own name servers is the runner's fault", async () => {
  const { resolver } = await nameServer(() => undefined);
  const before = dns.getServers();
  dns.setServers([resolver]);
  onTestFinished(() => dns.setServers(before));
  const outcome = await runProbe(aRequestOf("dns", { domain: NAME, timeoutMs: 300 }), aContext());
  expect(expectFault(outcome).reason).toBe("network");
});

describe("a hostile name server", () => {
  it.each<[string, (id: number) => Buffer]>([
    ["that sends garbage", () => Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["that sends nothing in a packet", () => Buffer.alloc(0)],
    [
      "whose name points to itself",
      (id) => forged(id, [0, 1], Buffer.from("c00c00010001000000000004c0000201", "hex")),
    ],
    [
      "whose names point to each other",
      (id) =>
        forged(
          id,
          [1, 1],
          Buffer.concat([QUESTION, Buffer.from("c020c01e00010001000000000004c0000201", "hex")]),
        ),
    ],
    [
      "that announces 65535 records and sends none",
      (id) => forged(id, [1, 65_535, 65_535, 65_535], QUESTION),
    ],
    [
      "that cuts a record short",
      (id) => forged(id, [1, 1], Buffer.concat([QUESTION, Buffer.from("c00c0001", "hex")])),
    ],
    [
      "that answers another question",
      (id) =>
        packet.encode({
          type: "response",
          id,
          questions: [{ type: "A", name: "evil.example" }],
          answers: [a("192.0.2.66", "evil.example")],
        }),
    ],
    [
      "that guesses another id",
      (id) =>
        packet.encode({
          type: "response",
          id: (id + 1) % 65_536,
          questions: [{ type: "A", name: NAME }],
          answers: [a("192.0.2.66")],
        }),
    ],
  ])("%s never becomes an answer", async (_, bytes) => {
    const { resolver } = await nameServer((_question, { id }) => bytes(id));
    const overUdp = await run({ resolver, timeoutMs: 200 });
    expect(overUdp.status).toBe("timeout");
    const overTcp = await run({ resolver, transport: "tcp" });
    expect(overTcp).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
    expect(JSON.stringify([overUdp, overTcp])).not.toContain("192.0.2.66");
  });

  it("that floods with strange packets ends the run", async () => {
    const authority = await anAuthority();
    const resolver = await httpsNameServer(() => Buffer.alloc(70_000, 0xc0), await authority.issue());
    const context = { caCertificates: [authority.certificate] };
    const result = await run({ transport: "https", resolver }, { context });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
  });

  it("whose reply is as long as can be, of names that are all pointers, is read in a moment", async () => {
    const { resolver } = await nameServer((_, { id }) => {
      const record = Buffer.from("c01e00010001000000000004c0000201", "hex");
      const count = 4_000;
      return forged(
        id,
        [1, count],
        Buffer.concat([QUESTION, ...Array.from({ length: count }, () => record)]).subarray(0, 65_535 - 12),
      );
    });
    const startedMs = performance.now();
    const result = await run({ resolver, transport: "tcp", timeoutMs: 20_000 });
    expect(["success", "failure", "error"]).toContain(result.status);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    expect(JSON.stringify(result.detail).length).toBeLessThan(240 * 1024);
  });

  it("that never ends its message over TCP is a timeout, and one that hangs up is an error", async () => {
    const endless = await rawServer((socket) => socket.write(framed(Buffer.alloc(60_000)).subarray(0, 100)));
    expect((await run({ resolver: endless, transport: "tcp", timeoutMs: 200 })).status).toBe("timeout");
    const closing = await rawServer((socket) => socket.end());
    expect((await run({ resolver: closing, transport: "tcp" })).detail?.errorMessage).toMatch(
      /without a reply/,
    );
  });
});
