import { RUN_FAULTS } from "@svc/contract";
import { FaultReason } from "@svc/proto/svc/runner/v1/runner_pb";
import { expect, it } from "vitest";

it("every fault that the wire can name is in the table of faults, under its number", () => {
  const named = Object.entries(FaultReason).filter(
    ([name, number]) => typeof number === "number" && name !== "UNSPECIFIED",
  );
  const table = Object.entries(RUN_FAULTS).map(([name, { wireNumber }]) => [name.toUpperCase(), wireNumber]);
  expect(table).toEqual(named);
});
