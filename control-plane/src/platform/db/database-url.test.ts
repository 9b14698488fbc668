import pg from "pg";
import { describe, expect, it } from "vitest";
import { DatabaseUrlError, parseDatabaseUrl } from "./database-url.ts";

/** Returns what pg makes of each server's URL. */
function serversOf(text: string) {
  return parseDatabaseUrl(text, "writes").servers.map(({ name, url }) => {
    const { host, port, user, password, database } = new pg.Client(url);
    return { name, host, port, user, password, database };
  });
}

describe("a database URL with several hosts", () => {
  it("gives each host its port, and all the account and the database", () => {
    const shared = { user: "svc", password: "pw", database: "shop" };
    expect(serversOf("postgres://svc:pw@one:5433,two,10.0.0.3:6000/shop")).toEqual([
      { name: "one:5433", host: "one", port: 5433, ...shared },
      { name: "two:5432", host: "two", port: 5432, ...shared },
      { name: "10.0.0.3:6000", host: "10.0.0.3", port: 6000, ...shared },
    ]);
  });

  it.each([
    ["p%40ss%2C%2F%3Aw%C3%B6rd", "p@ss,/:wörd"],
    ["with,comma", "with,comma"],
    ["a%2520b", "a%20b"],
  ])("reads the password %s", (written, password) => {
    for (const server of serversOf(`postgresql://svc:${written}@one,two/shop`))
      expect(server).toMatchObject({ user: "svc", password });
  });

  it("takes IPv6 addresses in brackets, with and without a port", () => {
    expect(serversOf("postgres://svc@[::1]:5433,[2001:db8::2]/shop")).toMatchObject([
      { name: "[::1]:5433", host: "::1", port: 5433 },
      { name: "[2001:db8::2]:5432", host: "2001:db8::2", port: 5432 },
    ]);
  });

  it("takes hosts and ports, also folders of sockets, from parameters", () => {
    expect(serversOf("postgres:///shop?host=/run/a,/run/b&port=5432,5433&user=svc")).toMatchObject([
      { name: "/run/a:5432", host: "/run/a", port: 5432, user: "svc", database: "shop" },
      { name: "/run/b:5433", host: "/run/b", port: 5433, user: "svc", database: "shop" },
    ]);
    expect(serversOf("postgres://svc@/shop?host=one,two&port=6000")).toMatchObject([
      { name: "one:6000", host: "one", port: 6000 },
      { name: "two:6000", host: "two", port: 6000 },
    ]);
  });

  it("leaves the other parameters to pg, for each host", () => {
    const { servers } = parseDatabaseUrl(
      "postgres://svc@one,two/shop?sslmode=verify-full&options=-c%20geqo%3Doff",
      "writes",
    );
    for (const { url } of servers) expect(new URL(url).searchParams.get("options")).toBe("-c geqo=off");
    expect(servers.map(({ url }) => new pg.Client(url).ssl)).toEqual([{}, {}]);
  });
});

describe("a database URL with one host", () => {
  it.each([
    "postgres://svc:pw@one:5432/shop",
    "postgres:///shop?host=%2Frun%2Fpostgresql&user=svc",
    "postgres://svc@%2Frun%2Fpostgresql/shop",
    "postgres://one",
    "postgres://svc:100%@one/shop?sslmode=disable",
  ])("%s goes to pg as it is", (url) => {
    expect(parseDatabaseUrl(url, "writes").servers).toMatchObject([{ url }]);
  });
});

describe("target_session_attrs", () => {
  it.each([
    ["writes", "read-write"],
    ["writes", "primary"],
    ["reads", "any"],
    ["reads", "standby"],
  ] as const)("of a URL for %s may be %s", (use, target) => {
    expect(parseDatabaseUrl(`postgres://one,two/shop?target_session_attrs=${target}`, use).target).toBe(
      target,
    );
  });

  it("may be any for one host", () => {
    expect(parseDatabaseUrl("postgres://one/shop?target_session_attrs=any", "writes").target).toBe("any");
  });
});

describe("refusals", () => {
  it.each([
    ["mysql://one/shop", /expected postgres:/],
    ["postgres://svc:geheim@one,two:99999/shop", /port of host 2 /],
    ["postgres://svc:geheim@one,two:0/shop", /port of host 2 /],
    ["postgres://svc:geheim@one,/shop", /host 2 is empty/],
    ["postgres://svc:geheim@one,::1/shop", /host 2 is not of the form/],
    ["postgres://svc:geheim@one,[two]/shop", /host 2 has brackets/],
    ["postgres://svc:geheim@one,two,one:5432/shop", /host one:5432 twice/],
    ["postgres://svc:geheim@1,2,3,4,5,6,7,8,9/shop", /9 hosts; at most 8/],
    ["postgres://svc:geheim@/shop?host=one,two&port=1,2,3", /2 hosts and 3 ports/],
    ["postgres://svc:geheim@one,two/shop?target_session_attrs=any", /would take a standby/],
    [
      "postgres://svc:geheim@one,two/shop?target_session_attrs=prefer-standby",
      /possible are read-write, primary/,
    ],
  ])("%s", (url, reason) => {
    const refusal = (() => {
      try {
        return parseDatabaseUrl(url, "writes");
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(DatabaseUrlError);
    expect((refusal as Error).message).toMatch(reason);
    expect((refusal as Error).message).not.toMatch(/geheim/);
  });
});
