import type { AddressInfo } from "node:net";
import net from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { aDnsServer } from "../test-support/dns-server.ts";
import type { Connect } from "./dial.ts";
import { createEgress, type Egress } from "./egress.ts";
import { EgressDenied } from "./egress-denied.ts";
import { judgeLookup, type ResolverHealth } from "./system-resolver.ts";

/** Records what would have been dialled, and dials nothing. */
function recorder(): { dialled: string[]; connect: Connect } {
  const dialled: string[] = [];
  return {
    dialled,
    connect({ host, port }) {
      dialled.push(`${host}:${port}`);
      const socket = new net.Socket();
      process.nextTick(() => socket.destroy(Object.assign(new Error("recorded"), { code: "ECONNREFUSED" })));
      return socket;
    },
  };
}

async function connectTo(egress: Egress, url: string): Promise<net.Socket> {
  const { hostname, port } = new URL(url);
  return egress.dial({ hostname, addresses: await egress.pin(hostname), port: Number(port || 80) });
}

async function aServer(host = "127.0.0.1"): Promise<number> {
  const server = net.createServer((socket) => socket.on("error", () => {}).end());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe("a denied address", () => {
  it.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.01/",
    "http://127.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://10.1.2.3/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://0.0.0.0/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://localhost/",
    "http://x.localhost./",
    "http://metadata.google.internal/",
  ])("is not dialled: %s", async (url) => {
    const { dialled, connect } = recorder();
    let lookups = 0;
    const egress = createEgress({
      allowPrivate: false,
      connect,
      resolve: async () => {
        lookups++;
        return [{ address: "93.184.215.14", family: 4 }];
      },
    });
    expect(() => egress.assertUrlAllowed(new URL(url))).toThrow(EgressDenied);
    await expect(connectTo(egress, url)).rejects.toThrow(EgressDenied);
    expect(dialled).toEqual([]);
    expect(lookups).toBe(0);
  });

  it.each([
    ["169.254.169.254"],
    ["fd00:ec2::254"],
    ["100.100.100.200"],
    ["169.254.170.2"],
    ["169.254.129.3"],
    ["fd00:a9fe:a9fe::1"],
    ["::ffff:169.254.169.254"],
  ])("of a cloud's metadata is not dialled even where private ones are: %s", async (address) => {
    const { dialled, connect } = recorder();
    const family = address.includes(":") ? 6 : 4;
    const egress = createEgress({ allowPrivate: true, connect, resolve: async () => [{ address, family }] });
    const literal = family === 6 ? `http://[${address}]/` : `http://${address}/`;
    await expect(connectTo(egress, literal)).rejects.toThrow(
      /metadata service, which checks may never reach/,
    );
    await expect(connectTo(egress, "http://innocent.example/")).rejects.toThrow(EgressDenied);
    expect(dialled).toEqual([]);
  });

  it("among others of a name refuses the name", async () => {
    const { dialled, connect } = recorder();
    const mixed = async () => [
      { address: "93.184.215.14", family: 4 },
      { address: "10.0.0.5", family: 4 },
    ];
    const egress = createEgress({ allowPrivate: false, connect, resolve: mixed });
    await expect(connectTo(egress, "http://mixed.example/")).rejects.toThrow(
      "connecting to mixed.example is not allowed: a private address; set SVC_EGRESS_PRIVATE=allow on the runner",
    );
    expect(dialled).toEqual([]);
  });

  it("at the other end of a connection is noticed and hung up on", async () => {
    const port = await aServer();
    let socket: net.Socket | undefined;
    // A dialler that goes astray stands for a network that translates addresses.
    const connect: Connect = () => {
      socket = net.connect(port, "127.0.0.1");
      return socket;
    };
    const egress = createEgress({ allowPrivate: false, connect });
    await expect(connectTo(egress, "http://93.184.215.14/")).rejects.toThrow(
      /^connecting to 93\.184\.215\.14 is not allowed: a loopback address/,
    );
    expect(socket?.destroyed).toBe(true);
  });

  it("is named together with the way to allow it, unless nothing allows it", () => {
    const egress = createEgress({ allowPrivate: false, remedy: "set X=allow" });
    const denial = (url: string) => {
      try {
        egress.assertUrlAllowed(new URL(url));
      } catch (error) {
        return (error as EgressDenied).message;
      }
      return undefined;
    };
    expect(denial("http://10.0.0.1/")).toBe(
      "connecting to 10.0.0.1 is not allowed: a private address; set X=allow",
    );
    expect(denial("http://224.0.0.1/")).toMatch(/a multicast address; this can't be changed/);
    expect(denial("ftp://example.com/")).toMatch(/scheme is ftp; only http and https/);
    expect(denial("http://example.com/")).toBeUndefined();
  });
});

describe("a name whose addresses change between lookups", () => {
  it("is looked up once, and the address that was judged is the one dialled", async () => {
    const dns = await aDnsServer(({ family, nth }) =>
      family === 6 ? [] : [nth === 0 ? "93.184.215.14" : "127.0.0.1"],
    );
    const { dialled, connect } = recorder();
    const egress = createEgress({ allowPrivate: false, connect, resolve: dns.resolve });
    await expect(connectTo(egress, "http://rebind.example:8080/")).rejects.toThrow(/connection refused/);
    expect(dialled).toEqual(["93.184.215.14:8080"]);
    expect(dns.questions.filter((question) => question === "rebind.example A")).toHaveLength(1);
    await expect(connectTo(egress, "http://rebind.example:8080/")).rejects.toThrow(EgressDenied);
    expect(dialled).toHaveLength(1);
  });

  it("is refused when one family is harmless and the other is not", async () => {
    const dns = await aDnsServer(({ family }) => (family === 4 ? ["93.184.215.14"] : ["::1"]));
    const { dialled, connect } = recorder();
    const egress = createEgress({ allowPrivate: false, connect, resolve: dns.resolve });
    await expect(connectTo(egress, "http://two.example/")).rejects.toThrow(
      /^connecting to two\.example is not allowed: a loopback address/,
    );
    expect(dialled).toEqual([]);
  });
});

describe("dial", () => {
  it("connects by the second address when the first refuses", async () => {
    const port = await aServer();
    const resolve = async () => [
      { address: "::1", family: 6 },
      { address: "127.0.0.1", family: 4 },
    ];
    const egress = createEgress({ allowPrivate: true, resolve });
    const socket = await connectTo(egress, `http://two.example:${port}/`);
    expect(socket.remoteAddress).toBe("127.0.0.1");
    socket.destroy();
  });

  it("does not wait for an address that is silent, nor gives it up", async () => {
    const port = await aServer();
    const silent = new net.Socket();
    const connect: Connect = ({ host }) => (host === "192.168.0.1" ? silent : net.connect(port, host));
    const resolve = async () => [
      { address: "192.168.0.1", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ];
    const egress = createEgress({ allowPrivate: true, connect, resolve });
    const socket = await connectTo(egress, `http://two.example:${port}/`);
    expect(socket.remoteAddress).toBe("127.0.0.1");
    expect(silent.destroyed).toBe(true);
    socket.destroy();
  });

  it("keeps a slow address in the race when the others fail", async () => {
    const port = await aServer();
    const slow = new net.Socket();
    const connect: Connect = ({ host }) => {
      if (host === "192.168.0.1") {
        return slow;
      }
      const failing = new net.Socket();
      process.nextTick(() => {
        failing.destroy(Object.assign(new Error("no"), { code: "ECONNREFUSED" }));
        slow.connect(port, "127.0.0.1");
      });
      return failing;
    };
    const resolve = async () => [
      { address: "192.168.0.1", family: 4 },
      { address: "192.168.0.2", family: 4 },
    ];
    const egress = createEgress({ allowPrivate: true, connect, resolve });
    expect(await connectTo(egress, "http://two.example/")).toBe(slow);
    slow.destroy();
  });

  it("names every address that failed, and their codes", async () => {
    const { connect, dialled } = recorder();
    const resolve = async () => [
      { address: "192.168.0.1", family: 4 },
      { address: "192.168.0.2", family: 4 },
      { address: "fd00::1", family: 6 },
    ];
    const egress = createEgress({ allowPrivate: true, connect, resolve });
    await expect(connectTo(egress, "http://three.example/")).rejects.toMatchObject({
      message:
        "connection refused at 192.168.0.1:80; connection refused at [fd00::1]:80; connection refused at 192.168.0.2:80",
      codes: ["ECONNREFUSED", "ECONNREFUSED", "ECONNREFUSED"],
    });
    expect(dialled).toEqual(["192.168.0.1:80", "fd00::1:80", "192.168.0.2:80"]);
  });

  it("ends all attempts when the signal aborts", async () => {
    const pending = new net.Socket();
    const egress = createEgress({ allowPrivate: true, connect: () => pending });
    const controller = new AbortController();
    const target = { hostname: "192.168.0.1", addresses: await egress.pin("192.168.0.1"), port: 80 };
    const dialling = egress.dial(target, controller.signal);
    controller.abort(new Error("stop"));
    await expect(dialling).rejects.toThrow("stop");
    expect(pending.destroyed).toBe(true);
    await expect(egress.dial({ ...target, hostname: "x" }, controller.signal)).rejects.toThrow("stop");
  });
});

describe("lookup for libraries", () => {
  const egress = createEgress({
    allowPrivate: false,
    resolve: async (name) => [
      { address: name === "bad.example" ? "10.0.0.1" : "93.184.215.14", family: 4 },
      { address: "2606:4700::1", family: 6 },
    ],
  });
  const lookup = (name: string, options: { all?: boolean; family?: number }) =>
    new Promise<unknown>((resolve, reject) =>
      egress.lookup(name, options, (error, address, family) =>
        error ? reject(error) : resolve(options.all ? address : [address, family]),
      ),
    );

  it("gives the judged addresses in the form asked for", async () => {
    expect(await lookup("good.example", { all: true })).toHaveLength(2);
    expect(await lookup("good.example", {})).toEqual(["93.184.215.14", 4]);
    expect(await lookup("good.example", { family: 6 })).toEqual(["2606:4700::1", 6]);
  });

  it("refuses a name with a denied address", async () => {
    await expect(lookup("bad.example", {})).rejects.toThrow(EgressDenied);
  });
});

describe("judgeLookup", () => {
  it.each<[string, (name: string) => string[] | undefined | "silence", ResolverHealth]>([
    ["a name that does not exist", () => undefined, "ok"],
    ["a name that is answered after all", () => ["93.184.215.14"], "saturated"],
    ["a name without addresses of the family", () => [], "saturated"],
    ["a name whose own servers are silent", (name) => (name === "a.example" ? "silence" : undefined), "ok"],
    ["a silent name server", () => "silence", "unreachable"],
  ])("blames for %s", async (_, answer, health) => {
    const dns = await aDnsServer(({ name }) => answer(name));
    expect(await judgeLookup("a.example", [dns.server])).toBe(health);
  });

  it("blames for a name server that is not there", async () => {
    expect(await judgeLookup("a.example", ["127.0.0.1:1"])).toBe("unreachable");
  });
});
