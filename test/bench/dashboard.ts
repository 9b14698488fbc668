/** What the dashboard costs the service and the browser, part by part. */
import { dashboardPageBench } from "./dashboard-page.ts";
import { liveBench } from "./live.ts";

export async function dashboardBench(): Promise<void> {
  console.log("\n### the list of checks\n");
  await dashboardPageBench();
  console.log("\n### live updates\n");
  await liveBench();
}
