/** Words by which pages, badges and feeds name states and statuses. */
import type { ComponentState, NoticeStatus } from "@svc/contract";

/** States of components. */
export const STATE_WORDS: Record<ComponentState, string> = {
  operational: "Operational",
  degraded: "Degraded",
  outage: "Outage",
  maintenance: "Maintenance",
  unknown: "Unknown",
};

/** States of a page as a whole. */
export const PAGE_WORDS: Record<ComponentState, string> = {
  operational: "All components are operational",
  degraded: "Some components are degraded",
  outage: "Some components have an outage",
  maintenance: "Maintenance is under way",
  unknown: "The state of some components is not known",
};

/** Statuses of updates. */
export const NOTICE_WORDS: Record<NoticeStatus, string> = {
  investigating: "Investigating",
  identified: "Identified",
  monitoring: "Monitoring",
  resolved: "Resolved",
  scheduled: "Scheduled",
  in_progress: "In progress",
  completed: "Completed",
};
