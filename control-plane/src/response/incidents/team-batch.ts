import type { TeamId } from "@svc/contract";

/** Alerts of one team that are processed in one transaction, at one instant. */
export interface TeamBatch {
  teamId: TeamId;
  /** Unix ms. */
  nowMs: number;
}
