import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunnerSealer } from "../../control-plane/src/fleet/runner-sealer.ts";
import { openSecretsKey } from "../../runner-agent/src/disk/secrets-key.ts";

let folders: string[];
beforeEach(() => {
  folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), "svc-sealed-")));
});
afterEach(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});
const keyIn = (index: number) => openSecretsKey(folders[index] as string);

test("an agent opens what the control plane sealed to its key, also after a restart of either", () => {
  for (const text of ["", "value", "ä\u2028\u0000", "x".repeat(65_536)]) {
    const sealed = createRunnerSealer(keyIn(0).publicKey).seal(text, "chk_a");
    expect(keyIn(0).open(sealed, "chk_a")).toBe(text);
  }
});

test("nothing opens with another agent's key, for another check, or altered", () => {
  const sealer = createRunnerSealer(keyIn(0).publicKey);
  const sealed = sealer.seal("value", "chk_a");
  expect(sealed.includes("value")).toBe(false);
  expect(sealer.seal("value", "chk_a").equals(sealed)).toBe(false);
  expect(() => keyIn(1).open(sealed, "chk_a")).toThrow();
  expect(() => keyIn(0).open(sealed, "chk_b")).toThrow();
  for (let at = 0; at < sealed.length; at++) {
    const altered = Buffer.from(sealed);
    altered[at] = (altered[at] as number) ^ 1;
    expect(() => keyIn(0).open(altered, "chk_a")).toThrow();
  }
});
