/** The job thread, bundled as a file of its own: does the work of every kind of job whose cost a team chooses. */
import { parentPort } from "node:worker_threads";
import { generationJob, planGeneration } from "../checks/api-specs/generation-job.ts";
import { baselineJob, parseBaseline } from "../checks/deploy-baselines/baseline-job.ts";
import { expandRecurrence, recurrenceJob } from "../checks/maintenance/recurrence-job.ts";
import { configJob, writeConfig } from "../configs/config-job.ts";
import {
  fragmentJob,
  fragmentNamesJob,
  judgeFragmentText,
  readFragmentNames,
} from "../configs/fragment-jobs.ts";
import { planProposal, proposalPlanJob, proposalReadJob, readProposal } from "../configs/proposal-jobs.ts";
import { checkTemplates, renderTemplate } from "../outbox/channels/incident-template.ts";
import { checkTemplatesJob, renderTemplateJob } from "../outbox/channels/template-jobs.ts";
import { serveJobs, threadWork } from "../platform/threads/serve-jobs.ts";
import { checkEvidence, evidenceJob } from "../results/ingest/evidence-job.ts";

if (!parentPort) throw new Error("job-thread runs in a worker thread only");
serveJobs(parentPort, [
  threadWork(baselineJob, parseBaseline),
  threadWork(generationJob, planGeneration),
  threadWork(recurrenceJob, expandRecurrence),
  threadWork(renderTemplateJob, ({ template, context }) => renderTemplate(template, context)),
  threadWork(checkTemplatesJob, checkTemplates),
  threadWork(evidenceJob, checkEvidence),
  threadWork(configJob, writeConfig),
  threadWork(fragmentNamesJob, readFragmentNames),
  threadWork(fragmentJob, judgeFragmentText),
  threadWork(proposalReadJob, (text) => readProposal(text)),
  threadWork(proposalPlanJob, (input) => planProposal(input)),
]);
