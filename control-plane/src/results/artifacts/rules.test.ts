import { MINUTE_MS, newId } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { createSecretBox } from "../../platform/db/secret-box.ts";
import { typeOf } from "./content-type.ts";
import { judgeLink, linkTo } from "./links.ts";
import { parseRange } from "./range.ts";
import { UploadBudget } from "./upload-budget.ts";

const secrets = createSecretBox("a-secret-key-of-at-least-32-characters");

const ARTIFACT = newId("artifact");

describe("a link", () => {
  const nowMs = Date.UTC(2026, 5, 1, 12, 3);
  const { url, expiresAtMs } = linkTo({ secrets, publicUrl: "https://svc.example" }, ARTIFACT, nowMs);
  const query = new URL(url).searchParams;
  const link = {
    id: ARTIFACT,
    expires: Number(query.get("expires")),
    signature: query.get("signature") ?? "",
  };

  test("works for an hour to 70 minutes, up to the last millisecond", () => {
    expect(expiresAtMs).toBe(Date.UTC(2026, 5, 1, 13, 10));
    expect(link.expires).toBe(expiresAtMs);
    expect(judgeLink(secrets, link, expiresAtMs - 1)).toBe("valid");
    expect(judgeLink(secrets, link, expiresAtMs)).toBe("expired");
  });

  test("is the same when it is asked for again within ten minutes", () => {
    const again = (ms: number) => linkTo({ secrets, publicUrl: "https://svc.example" }, ARTIFACT, ms).url;
    expect(again(nowMs + 6 * MINUTE_MS)).toBe(url);
    expect(again(nowMs + 7 * MINUTE_MS)).not.toBe(url);
  });

  test.each([
    ["for another file", { ...link, id: newId("artifact") }],
    ["with a later expiry", { ...link, expires: link.expires + 1 }],
    ["with a shorter signature", { ...link, signature: link.signature.slice(0, -4) }],
    ["without a signature", { ...link, signature: "" }],
  ])("%s is forged", (_name, forged) => {
    expect(judgeLink(secrets, forged, nowMs)).toBe("forged");
  });

  test("signed under the former secret key still works", () => {
    const after = createSecretBox("another-secret-key-of-at-least-32-chars", [
      "a-secret-key-of-at-least-32-characters",
    ]);
    expect(judgeLink(after, link, nowMs)).toBe("valid");
  });

  test("of a service with another secret key is forged", () => {
    const others = createSecretBox("another-secret-key-of-at-least-32-chars");
    expect(judgeLink(others, link, nowMs)).toBe("forged");
  });
});

describe("a file's type", () => {
  test.each([
    ["ffd8ffe000104a464946", "image/jpeg"],
    ["89504e470d0a1a0a0000", "image/png"],
    [`1a45dfa39f4286810142f7810142f2810442f381084282847765626d`, "video/webm"],
    [`1a45dfa39f4286810142f7810142f28104428288${Buffer.from("matroska").toString("hex")}`, undefined],
    [Buffer.from("<!doctype html>").toString("hex"), undefined],
    [Buffer.from("<svg xmlns=''>").toString("hex"), undefined],
    ["ffd8", undefined],
    ["", undefined],
  ])("%s is %s", (hex, type) => {
    expect(typeOf(Buffer.from(hex, "hex"))).toBe(type);
  });
});

describe("a range of 100 bytes", () => {
  test.each([
    [undefined, "whole"],
    ["bytes=0-", { start: 0, end: 99 }],
    ["bytes=10-19", { start: 10, end: 19 }],
    ["bytes=99-500", { start: 99, end: 99 }],
    ["bytes=-10", { start: 90, end: 99 }],
    ["bytes=-500", { start: 0, end: 99 }],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=9-1", "whole"],
    ["bytes=-", "whole"],
    ["bytes=0-1,5-6", "whole"],
    ["lines=0-1", "whole"],
  ])("%s is %j", (header, range) => {
    expect(parseRange(header, 100)).toEqual(range);
  });
});

const HOSTED_A = { runnerKeyId: "rkey_a", teamId: null };
const HOSTED_B = { runnerKeyId: "rkey_b", teamId: null };

describe("the budget of uploads", () => {
  test("a key has four at a time, whatever others have", () => {
    const budget = new UploadBudget();
    const releases = [1, 2, 3, 4].map(() => budget.reserve(HOSTED_A, 1));
    expect(() => budget.reserve(HOSTED_A, 1)).toThrow("4 uploads at a time");
    budget.reserve(HOSTED_B, 1);
    releases[0]?.();
    budget.reserve(HOSTED_A, 1);
  });

  test("running uploads together stay within the bytes of the budget", () => {
    const budget = new UploadBudget(100);
    const release = budget.reserve(HOSTED_A, 60);
    expect(() => budget.reserve(HOSTED_B, 41)).toThrow("try again");
    release();
    budget.reserve(HOSTED_B, 100);
  });

  test("a team with many keys has a quarter of the bytes", () => {
    const budget = new UploadBudget(100);
    const ofTeam = (runnerKeyId: string) => ({ runnerKeyId, teamId: "team_a" });
    budget.reserve(ofTeam("rkey_a"), 10);
    budget.reserve(ofTeam("rkey_b"), 15);
    expect(() => budget.reserve(ofTeam("rkey_c"), 1)).toThrow("try again");
    budget.reserve(HOSTED_A, 75);
  });

  test("teams that hold all bytes keep a team without an upload not out", () => {
    const budget = new UploadBudget(100);
    for (const team of ["a", "b", "c", "d"]) budget.reserve({ runnerKeyId: team, teamId: team }, 25);
    const late = { runnerKeyId: "late", teamId: "late" };
    const release = budget.reserve(late, 25);
    expect(() => budget.reserve(late, 1)).toThrow("try again");
    release();
    budget.reserve(late, 25);
  });
});
