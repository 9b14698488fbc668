/** What the dashboard costs the service, part by part. */
import { liveBench } from "./live.ts";

export async function dashboardBench(): Promise<void> {
  console.log("\n### live updates\n");
  await liveBench();
}
