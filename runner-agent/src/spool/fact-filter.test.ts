import { describe, expect, it } from "vitest";
import { aRecord } from "../../test-support/builders.ts";
import { FactFilter } from "./fact-filter.ts";

const HOUR = 3_600_000;
const TLS = { tls: { host: "a", fingerprintSha256: "1" } };
const RENEWED = { tls: { host: "a", fingerprintSha256: "2" } };

describe("facts", () => {
  it("are forwarded when they are new or changed, per check, location and kind", () => {
    const filter = new FactFilter();
    const kinds = (checkKey: number, locationKey: number, facts: Record<string, unknown> | undefined) =>
      filter
        .selectChanged({ checkKey: checkKey, locationKey: locationKey }, facts, 0)
        .map(({ kind }) => kind);
    expect(kinds(1, 1, TLS)).toEqual(["tls"]);
    expect(kinds(1, 1, TLS)).toEqual([]);
    expect(kinds(1, 2, TLS)).toEqual(["tls"]);
    expect(kinds(2, 1, TLS)).toEqual(["tls"]);
    expect(kinds(1, 1, { ...TLS, http: { version: "2" } })).toEqual(["http"]);
    expect(kinds(1, 1, RENEWED)).toEqual(["tls"]);
    expect(kinds(1, 1, TLS)).toEqual(["tls"]);
    expect(kinds(1, 1, undefined)).toEqual([]);
  });

  it("are not forwarded again when a run reports the identical object or an equal one", () => {
    const filter = new FactFilter();
    const again = () => filter.selectChanged({ checkKey: 1, locationKey: 1 }, TLS, 0).length;
    const equal = () => filter.selectChanged({ checkKey: 1, locationKey: 1 }, structuredClone(TLS), 0).length;
    expect([again(), again(), equal(), equal(), again()]).toEqual([1, 0, 0, 0, 0]);
  });

  it("of each run are forwarded with each, equal or not", () => {
    const filter = new FactFilter();
    const facts = { requests: { hosts: [{ host: "cdn.example.com", total: 2, good: 1 }] } };
    const again = () => filter.selectChanged({ checkKey: 1, locationKey: 1 }, facts, 0).length;
    expect([again(), again(), again()]).toEqual([1, 1, 1]);
  });

  it("that were not delivered are forwarded again", () => {
    const filter = new FactFilter();
    const facts = filter.selectChanged({ checkKey: 1, locationKey: 1 }, TLS, 0);
    filter.forget(aRecord({ facts }));
    expect(filter.selectChanged({ checkKey: 1, locationKey: 1 }, TLS, 0)).toHaveLength(1);
  });

  it("of a check that another runner had in between are forwarded again", () => {
    const filter = new FactFilter();
    filter.selectChanged({ checkKey: 1, locationKey: 1 }, TLS, 0);
    filter.selectChanged({ checkKey: 1, locationKey: 2 }, TLS, 0);
    filter.forgetCheckLocation({ checkKey: 1, locationKey: 1 });
    expect(filter.selectChanged({ checkKey: 1, locationKey: 1 }, TLS, 0)).toHaveLength(1);
    expect(filter.selectChanged({ checkKey: 1, locationKey: 2 }, TLS, 0)).toHaveLength(0);
  });

  it("are repeated once a day", () => {
    const filter = new FactFilter();
    filter.selectChanged({ checkKey: 1, locationKey: 1 }, TLS, 0);
    expect(filter.selectChanged({ checkKey: 1, locationKey: 1 }, TLS, 23 * HOUR)).toHaveLength(0);
    expect(filter.selectChanged({ checkKey: 1, locationKey: 1 }, TLS, 24 * HOUR)).toHaveLength(1);
    expect(filter.selectChanged({ checkKey: 1, locationKey: 1 }, TLS, 25 * HOUR)).toHaveLength(0);
  });
});
