import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResultDetail } from "@svc/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ArtifactFolder, type KeptArtifact } from "./artifact-folder.ts";
import { ArtifactSender } from "./artifact-sender.ts";
import { RunArtifacts } from "./run-artifacts.ts";
import { UploadConnections } from "./upload-connections.ts";

const SLOT_MS = 1_800_000_000_000;
const RUN = { checkKey: 1, locationKey: 2, slotMs: SLOT_MS };
const takenAt = new Date(SLOT_MS).toISOString();

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "svc-artifacts-")), "artifacts");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

const hashOf = (content: string) => createHash("sha256").update(content).digest("hex");
const artifact = (content: string, changes: Partial<KeptArtifact> = {}): KeptArtifact => ({
  ...RUN,
  sha256: hashOf(content),
  ...changes,
});
/** A picture as a probe hands it over, and as a result names it. */
const picture = (content: string) => ({
  sha256: hashOf(content),
  contentType: "image/jpeg" as const,
  content: Buffer.from(content),
  checkId: "chk_1",
  slotMs: SLOT_MS,
});
const naming = (...contents: string[]): ResultDetail => ({
  screenshotsJson: contents.map((content) => ({
    sha256: hashOf(content),
    contentType: "image/jpeg",
    bytes: content.length,
    takenAt,
    step: null,
  })),
});

/** A keeper whose uploads answer by `answer`, with a timer that the test fires and a clock that it sets. */
function aKeeper(answer: (content: string) => string | undefined = () => undefined, bytesMax = 1000) {
  const state = {
    nowMs: SLOT_MS,
    arrived: [] as string[],
    warnings: [] as string[],
    timers: [] as (() => void)[],
  };
  const kept = new ArtifactFolder(folder, bytesMax);
  const sender = new ArtifactSender({
    folder: kept,
    upload: async (_artifact, content) => {
      const refusal = answer(content.toString());
      if (refusal === undefined) state.arrived.push(content.toString());
      return refusal;
    },
    nowMs: () => state.nowMs,
    random: () => 0.5,
    setTimer: (callback) => {
      state.timers.push(callback);
      return () => {};
    },
    warn: (message) => state.warnings.push(message),
  });
  return { keeper: new RunArtifacts(kept, sender), sender, kept, state };
}

const away = () => {
  throw new Error("the control plane is away");
};

describe("the files of a run", () => {
  it("are on disk when the run ends, and gone once they have arrived", async () => {
    const { keeper, sender, state } = aKeeper();
    expect(await keeper.sinkFor(RUN).keep(picture("a"))).toBe(true);
    expect(readdirSync(folder)).toEqual([`1-2-${SLOT_MS}-${hashOf("a")}`]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    keeper.runEnded(RUN, naming("a"));
    await sender.idle();
    expect(state.arrived).toEqual(["a"]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("that the result does not name are removed, and so are those of a run that is given back", async () => {
    const { keeper, sender, state } = aKeeper();
    const sink = keeper.sinkFor(RUN);
    for (const content of ["a", "b"]) await sink.keep(picture(content));
    keeper.runEnded(RUN, naming("b"));
    const other = { ...RUN, slotMs: SLOT_MS + 1 };
    await keeper.sinkFor(other).keep(picture("c"));
    keeper.runEnded(other, undefined);
    await sender.idle();
    await vi.waitFor(() => expect(readdirSync(folder)).toEqual([]), { timeout: 60_000 });
    expect(state.arrived).toEqual(["b"]);
  });

  it("are refused when the folder is full, up to the last byte, and accepted again when it has space", async () => {
    const { keeper, sender } = aKeeper(undefined, 10);
    const sink = keeper.sinkFor(RUN);
    expect(await sink.keep(picture("123456"))).toBe(true);
    expect(await sink.keep(picture("12345"))).toBe(false);
    expect(await sink.keep(picture("1234"))).toBe(true);
    keeper.runEnded(RUN, naming("123456"));
    await sender.idle();
    await vi.waitFor(async () => expect(await sink.keep(picture("1234567890"))).toBe(true), {
      timeout: 60_000,
    });
  });

  it("that a killed process left are sent by the next one, oldest first; half written ones are removed", async () => {
    const before = new ArtifactFolder(folder, 1000);
    await before.keep(artifact("new", { slotMs: SLOT_MS + 1 }), Buffer.from("new"));
    await before.keep(artifact("old"), Buffer.from("old"));
    writeFileSync(join(folder, `1-2-${SLOT_MS}-${hashOf("half")}.new`), "ha");
    const { keeper, sender, kept, state } = aKeeper();
    expect(kept.bytes).toBe(6);
    keeper.start();
    await sender.idle();
    expect(state.arrived.sort()).toEqual(["new", "old"]);
    expect(readdirSync(folder)).toEqual([]);
    expect(kept.bytes).toBe(0);
  });
});

describe("sending", () => {
  it("is tried again until the control plane is there", async () => {
    let isAway = true;
    const { keeper, sender, state } = aKeeper(() => (isAway ? away() : undefined));
    await keeper.sinkFor(RUN).keep(picture("a"));
    keeper.runEnded(RUN, naming("a"));
    await vi.waitFor(() => expect(state.timers).toHaveLength(1), { timeout: 60_000 });
    expect(readdirSync(folder)).toHaveLength(1);
    isAway = false;
    state.timers[0]?.();
    await sender.idle();
    expect(state.arrived).toEqual(["a"]);
  });

  it("is given up after a day, with a line in the log", async () => {
    const { keeper, sender, state } = aKeeper(away);
    await keeper.sinkFor(RUN).keep(picture("a"));
    state.nowMs = SLOT_MS + 86_400_000;
    keeper.runEnded(RUN, naming("a"));
    await sender.idle();
    expect(state.warnings).toEqual(["a picture or video was given up: the control plane is away"]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("of a file that is refused for good is not tried again, and does not stop other files", async () => {
    const { keeper, sender, state } = aKeeper((content) => (content === "a" ? "too many" : undefined));
    const sink = keeper.sinkFor(RUN);
    for (const content of ["a", "b"]) await sink.keep(picture(content));
    keeper.runEnded(RUN, naming("a", "b"));
    await sender.idle();
    expect(state.arrived).toEqual(["b"]);
    expect(state.warnings).toEqual(["a picture or video was not stored: too many"]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("the connection for uploads", () => {
  function connections() {
    const state = { opened: 0, closed: [] as number[], timers: new Set<() => void>() };
    const uploads = new UploadConnections(
      () => {
        const number = ++state.opened;
        return { number, close: () => void state.closed.push(number) };
      },
      (callback) => {
        state.timers.add(callback);
        return () => state.timers.delete(callback);
      },
    );
    return { uploads, state };
  }

  it("is shared by files at the same time and soon after each other, and closed when none follows", () => {
    const { uploads, state } = connections();
    const [a, b] = [uploads.acquire(), uploads.acquire()];
    uploads.release(a);
    uploads.release(b);
    uploads.release(uploads.acquire());
    expect(state).toMatchObject({ opened: 1, closed: [] });
    expect(state.timers.size).toBe(1);
    for (const fire of state.timers) fire();
    expect(state.closed).toEqual([1]);
    uploads.acquire();
    expect(state.opened).toBe(2);
  });

  it("that broke is not used again, and closed after its last user", () => {
    const { uploads, state } = connections();
    const [a, b] = [uploads.acquire(), uploads.acquire()];
    uploads.release(a, { isBroken: true });
    uploads.acquire();
    expect(state).toMatchObject({ opened: 2, closed: [] });
    uploads.release(b, { isBroken: true });
    expect(state.closed).toEqual([1]);
  });
});
