/** Words for rotas. */
import type { Handover, Rota, RotaDuty } from "@svc/contract";
import type { Output } from "../../output/output.ts";

/** Returns when a rota is handed over, in words. */
export function handoverText(handover: Handover): string {
  switch (handover.type) {
    case "weekly":
      return `each ${handover.weekday[0]?.toUpperCase()}${handover.weekday.slice(1)} at ${handover.time}`;
    case "daily":
      return `${handover.everyDays === 1 ? "each day" : `every ${handover.everyDays} days`} at ${handover.time}`;
    case "hourly":
      return handover.everyHours === 1 ? "each hour" : `every ${handover.everyHours} hours`;
  }
}

/** Returns who is on duty now and until when, in words. */
export function onDutyText({ onDuty }: Pick<Rota, "onDuty">): string {
  return `${onDuty.member} until ${onDuty.to}${onDuty.isOverride ? " (override)" : ""}`;
}

/** Prints who is on duty, one line for each time. */
export function printSchedule(out: Output, schedule: readonly RotaDuty[]): void {
  out.table(
    [
      { title: "FROM", value: ({ from }) => from },
      { title: "TO", value: ({ to }) => to },
      { title: "ON DUTY", value: ({ member }) => member },
      { title: "BY", value: ({ isOverride }) => (isOverride ? "override" : "turn") },
    ],
    schedule,
  );
}
