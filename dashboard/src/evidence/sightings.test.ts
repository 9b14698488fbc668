import { expect, it } from "vitest";
import { expiryState, kindsOf, type Sighting, trustOf } from "./sightings.ts";

const sighting = (locationId: string, other: Partial<Sighting> = {}): Sighting => ({
  locationId,
  fingerprintSha256: "aa",
  subject: "CN=shop",
  issuer: "CN=ca",
  validFrom: "2026-01-01T00:00:00.000Z",
  validTo: "2027-01-01T00:00:00.000Z",
  isTrusted: true,
  isSelfSigned: false,
  protocol: "TLSv1.3",
  changedAt: "2026-01-02T00:00:00.000Z",
  ...other,
});

it("locations that see one certificate stand together, and those that see another apart", () => {
  const kinds = kindsOf([
    sighting("loc_1", { fingerprintSha256: "bb" }),
    sighting("loc_2"),
    sighting("loc_3", { changedAt: "2026-02-02T00:00:00.000Z" }),
    sighting("loc_4", { protocol: "TLSv1.2" }),
  ]);
  expect(kinds.map(({ locationIds }) => locationIds)).toEqual([["loc_2", "loc_3"], ["loc_1"], ["loc_4"]]);
  expect(kinds[0]?.newest.changedAt).toBe("2026-02-02T00:00:00.000Z");
});

it.each([
  [90, "90 days left", "good"],
  [30, "30 days left", "good"],
  [29, "29 days left", "slow"],
  [7, "7 days left", "slow"],
  [6, "6 days left", "failing"],
  [1, "1 day left", "failing"],
  [0, "Ends today", "failing"],
  [-1, "Ended 1 day ago", "failing"],
])("%i days: %s", (daysLeft, word, mark) => {
  expect(expiryState(daysLeft)).toEqual({ word, mark });
});

it("a certificate is trusted, signed by itself, or not trusted", () => {
  expect(trustOf({ isTrusted: true, isSelfSigned: true }).word).toBe("Trusted");
  expect(trustOf({ isTrusted: false, isSelfSigned: true }).word).toBe("Self-signed");
  expect(trustOf({ isTrusted: false, isSelfSigned: false }).word).toBe("Not trusted");
});
