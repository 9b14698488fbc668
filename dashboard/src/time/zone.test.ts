import { expect, it } from "vitest";
import { instantOfWall, midnightMs } from "./zone.ts";

it.each([
  ["2026-11-20T14:00:00Z", "Europe/Berlin", "2026-11-20T13:00:00.000Z"],
  ["2026-07-20T14:00:00Z", "Europe/Berlin", "2026-07-20T12:00:00.000Z"],
  ["2026-07-20T14:00:00Z", "UTC", "2026-07-20T14:00:00.000Z"],
  ["2026-07-20T14:00:00Z", "Asia/Kathmandu", "2026-07-20T08:15:00.000Z"],
  ["2026-07-20T14:00:00Z", "Pacific/Kiritimati", "2026-07-20T00:00:00.000Z"],
  // The clock goes from 02:00 to 03:00, and back from 03:00 to 02:00.
  ["2026-03-29T02:30:00Z", "Europe/Berlin", "2026-03-29T00:30:00.000Z"],
  ["2026-10-25T02:30:00Z", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
])("the clock shows %s in %s", (wall, zone, instant) => {
  expect(new Date(instantOfWall(Date.parse(wall), zone)).toISOString()).toBe(instant);
});

it.each([
  ["2026-11-23T15:30:00Z", "UTC", "2026-11-23T00:00:00.000Z"],
  ["2026-11-23T23:30:00Z", "Europe/Berlin", "2026-11-23T23:00:00.000Z"],
  ["2026-11-23T03:30:00Z", "America/New_York", "2026-11-22T05:00:00.000Z"],
  ["2026-03-29T12:00:00Z", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
  ["2026-10-25T12:00:00Z", "Europe/Berlin", "2026-10-24T22:00:00.000Z"],
])("the day of %s begins in %s", (at, zone, begin) => {
  expect(new Date(midnightMs(Date.parse(at), zone)).toISOString()).toBe(begin);
});
