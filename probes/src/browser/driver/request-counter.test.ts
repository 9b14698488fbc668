import { describe, expect, it } from "vitest";
import { RequestCounter, type RequestEnd } from "./request-counter.ts";

const CDN = "https://cdn.example.com/x.js";

describe("requests of a run", () => {
  it.each<[string, RequestEnd, { total: number; good: number } | undefined]>([
    ["answered 200", { httpStatusCode: 200 }, { total: 1, good: 1 }],
    ["answered 304", { httpStatusCode: 304 }, { total: 1, good: 1 }],
    ["answered 404", { httpStatusCode: 404 }, { total: 1, good: 1 }],
    [
      "answered 404, the body dropped",
      { httpStatusCode: 404, errorText: "net::ERR_ABORTED" },
      { total: 1, good: 1 },
    ],
    ["answered 500", { httpStatusCode: 500 }, { total: 1, good: 0 }],
    [
      "answered 500, the body dropped",
      { httpStatusCode: 500, errorText: "net::ERR_ABORTED" },
      { total: 1, good: 0 },
    ],
    ["refused", { httpStatusCode: null, errorText: "net::ERR_CONNECTION_REFUSED" }, { total: 1, good: 0 }],
    [
      "of an unknown name",
      { httpStatusCode: null, errorText: "net::ERR_NAME_NOT_RESOLVED" },
      { total: 1, good: 0 },
    ],
    [
      "cut off in the body",
      { httpStatusCode: 200, errorText: "net::ERR_CONNECTION_RESET" },
      { total: 1, good: 0 },
    ],
    ["cancelled", { httpStatusCode: null, errorText: "net::ERR_ABORTED" }, undefined],
    ["cancelled in the body", { httpStatusCode: 200, errorText: "net::ERR_ABORTED" }, undefined],
    ["blocked", { httpStatusCode: null, errorText: "net::ERR_BLOCKED_BY_CLIENT" }, undefined],
    [
      "of a runner without network",
      { httpStatusCode: null, errorText: "net::ERR_INTERNET_DISCONNECTED" },
      undefined,
    ],
  ])("%s", (_title, end, counts) => {
    const counter = new RequestCounter();
    const request = {};
    counter.begin(request, CDN, 0);
    counter.end(request, end);
    counter.end(request, end);
    expect(counter.conclude(60_000)).toEqual(counts ? [{ host: "cdn.example.com", ...counts }] : []);
  });

  it("that hang as the run ends are not good; those that just began don't count", () => {
    const counter = new RequestCounter();
    counter.begin({}, "https://hung.example.com/", 7_000);
    counter.begin({}, "https://fresh.example.com/", 7_001);
    expect(counter.conclude(10_000)).toEqual([{ host: "hung.example.com", total: 1, good: 0 }]);
  });

  it("to no host don't count", () => {
    const counter = new RequestCounter();
    for (const url of ["data:text/plain,x", "blob:https://a.example/1", "about:blank", "https://", "x"]) {
      const request = {};
      counter.begin(request, url, 0);
      counter.end(request, { httpStatusCode: 200 });
    }
    expect(counter.conclude(0)).toEqual([]);
  });

  it("of a page with 10,000 hosts are counted for the first 300, each in full; the others are numbered", () => {
    const counter = new RequestCounter();
    for (const round of [0, 1])
      for (let host = 0; host < 10_000; host++) {
        const request = {};
        counter.begin(request, `https://h${host}.example.com/${round}`, 0);
        counter.end(request, { httpStatusCode: 200 });
      }
    const counts = counter.conclude(0);
    expect(counts).toHaveLength(300);
    expect(counts.every(({ total, good }) => total === 2 && good === 2)).toBe(true);
    expect(counter.leftOut).toBe(19_400);
  });

  it("of an earlier context of the run are taken over, those that are open included", () => {
    const before = new RequestCounter();
    const [ended, open] = [{}, {}];
    before.begin(ended, CDN, 0);
    before.end(ended, { httpStatusCode: 200 });
    before.begin(open, CDN, 0);
    const counter = new RequestCounter();
    counter.adopt(before);
    counter.end(open, { httpStatusCode: 503 });
    expect(counter.conclude(0)).toEqual([{ host: "cdn.example.com", total: 2, good: 1 }]);
  });
});
