import { newId } from "@svc/contract";
import { expect, test } from "vitest";
import { CheckIdColumn } from "./check-id-column.ts";

const SMALLEST = `chk_${"0".repeat(26)}`;
const LARGEST = `chk_7${"z".repeat(25)}`;
const IDS = [
  ...Array.from({ length: 100 }, () => newId("check")),
  SMALLEST,
  LARGEST,
  "chk_1",
  "",
  `chk_8${"z".repeat(25)}`,
  `chk_${"0".repeat(25)}U`,
  `chk_${"0".repeat(25)}é`,
  `chx_${"0".repeat(26)}`,
];

test("ids come back as they were, and each is found in its own row only", () => {
  const column = new CheckIdColumn();
  for (const [row, id] of IDS.entries()) column.set(row, id);
  expect(IDS.map((_, row) => column.get(row))).toEqual(IDS);
  for (const [row, id] of IDS.entries()) {
    const { hash, isIt } = column.lookFor(id);
    expect(hash).toBe(column.hashOf(row));
    expect([...IDS.keys()].filter(isIt)).toEqual([row]);
  }
});

test("a row that gets another id has that one only", () => {
  const column = new CheckIdColumn();
  for (const [before, after] of [
    ["chk_1", LARGEST],
    [LARGEST, "chk_1"],
  ] as const) {
    column.set(0, before);
    column.set(0, after);
    expect(column.get(0)).toBe(after);
    expect(column.lookFor(before).isIt(0)).toBe(false);
    expect(column.lookFor(after).isIt(0)).toBe(true);
  }
});
