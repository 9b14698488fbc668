/**
 * Catalogue of the service's advisory locks. PostgreSQL has two separate kinds: locks by one 64-bit number (ADVISORY_LOCKS), and
 * locks by two 32-bit numbers, of which the first is the class (ADVISORY_LOCK_CLASSES). A lock of one kind never conflicts with
 * one of the other, so a number may appear in both lists.
 * Replicas of different versions share these locks, so a number never changes its meaning.
 */

/** Locks of one number: work that only one replica may do at a time. */
export const ADVISORY_LOCKS = {
  migrate: 7_301,
  bootstrap: 7_302,
  rollups: 7_303,
  retention: 7_304,
  rollupDays: 7_392,
  purge: 7_305,
  partitions: 7_306,
  notificationPurge: 7_307,
  maintenance: 7_308,
  incidents: 7_309,
  artifacts: 7_310,
  maintenanceExpansion: 7_311,
  firstRuns: 7_312,
  sealing: 7_313,
  locationHealth: 7_314,
  keyExpiry: 7_351,
  missedDispatches: 7_319,
  teamDeletions: 7_315,
  alertsBetweenResults: 7_321,
  alertMutes: 7_322,
  baselines: 7_323,
  sloWarnings: 7_331,
  certificateExpiry: 7_341,
  correlations: 7_342,
  telemetryPurge: 7_343,
  testRuns: 7_352,
  deployPlans: 7_353,
  alertPolicies: 7_354,
  merge: 7_355,
  locationScaling: 7_358,
  hypothesisWordings: 7_359,
  incidentPolicies: 7_370,
  pushes: 7_367,
  /** Shared by all replicas that are there for reports; whoever gets it alone is the first since the service was away. */
  pushAttendance: 7_391,
  heldAlerts: 7_376,
  alertsHeldByLocations: 7_383,
  statusExport: 7_373,
  statusExportS3: 7_390,
  locationOutages: 7_381,
  statusSubscriptions: 7_380,
  reports: 7_379,
} as const;

/** First numbers of two-number locks; the second number says which member of the class is locked. */
export const ADVISORY_LOCK_CLASSES = {
  /** Evaluation of a check's alert rules; second number: the check's key, folded. */
  checkEvaluation: 7_310,
  /** Incidents of a team; second number: a hash of the team's id. */
  teamIncidents: 7_311,
  /** Lock of a team's usage, held while a transaction that adds to it ends; second number: a hash of the team's id. */
  teamUsage: 7_312,
  /** First runs of a team near its budget; second number: a hash of the team's id. */
  teamFirstRuns: 7_313,
  /** Which checks the alert policies of a team hold for; second number: a hash of the team's id. Changes of a check share it. */
  teamAlertPolicies: 7_314,
  /** On which checks those of a team depend; second number: a hash of the team's id. */
  teamDependencies: 7_315,
  /** Requests to subscribe a mail address to status pages; second number: a hash of the address. */
  statusSubscription: 7_320,
} as const;
