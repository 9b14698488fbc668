/** Receives a file from a runner: checks that the run is the runner's, that the content is as announced, and the budgets. */

import { createHash } from "node:crypto";
import { checkTypes, DomainError, MINUTE_MS, SECOND_MS } from "@svc/contract";
import type { ArtifactHeader, PutArtifactRequest } from "@svc/proto/svc/runner/v1/runner_pb";
import type { RunnerKeyRow } from "../../accounts/identity/credential-store.ts";
import type { FleetState } from "../../fleet/fleet-state.ts";
import { monotonicMs } from "../../platform/clock.ts";
import type { Services } from "../../platform/services.ts";
import { judgeKey } from "../ingest/judge.ts";
import { findManualRuns } from "../ingest/store.ts";
import { retainedFrom } from "../retention/retain.ts";
import type { BlobStore } from "./blob-store.ts";
import { typeOf } from "./content-type.ts";
import type { RunOfTeam } from "./store.ts";
import { storeArtifact } from "./store-artifact.ts";
import type { UploadBudget } from "./upload-budget.ts";

/** Largest file; agents have an equal limit. A video of two minutes has a few MiB. */
const FILE_BYTES_MAX = 24 * 1024 * 1024;
/** Time for the header to come, and from there to the last part. */
const HEADER_TIMEOUT_MS = 10 * SECOND_MS;
const UPLOAD_TIMEOUT_MS = MINUTE_MS;

/** The parts of the service that receive files. */
export interface ReceiveParts {
  services: Services;
  blobs: BlobStore;
  budget: UploadBudget;
  state: FleetState;
  /** Reads changes of the fleet from the database. */
  refreshFleet: () => Promise<void>;
}

/**
 * Receives and stores one file. Sending it again is harmless.
 * @throws DomainError `invalid`, `limit_exceeded` or `unavailable`
 * @throws DomainError `forbidden`: not a run of the key's location
 */
export async function receiveArtifact(
  parts: ReceiveParts,
  requests: AsyncIterable<PutArtifactRequest>,
  key: RunnerKeyRow,
): Promise<void> {
  const incoming = requests[Symbol.asyncIterator]();
  const header = headerOf(await nextPart(incoming, monotonicMs() + HEADER_TIMEOUT_MS));
  const deadlineMs = monotonicMs() + UPLOAD_TIMEOUT_MS;
  const run = await judgeRun(parts, header, key);
  const uploader = { runnerKeyId: key.id, teamId: key.locationKey === null ? null : run.teamId };
  const release = parts.budget.reserve(uploader, header.bytes);
  try {
    const content = await readContent(incoming, header, deadlineMs);
    const sha256 = createHash("sha256").update(content).digest();
    if (!sha256.equals(header.sha256)) throw invalid("sha256: the content has another hash");
    const contentType = typeOf(content);
    if (!contentType) throw invalid("content: expected a JPEG or PNG picture or a WebM video");
    await storeArtifact(parts, run, { content, sha256, contentType });
  } finally {
    release();
  }
}

function headerOf(request: PutArtifactRequest | undefined): ArtifactHeader {
  if (request?.part.case !== "header") throw invalid("the header comes first");
  const header = request.part.value;
  if (header.sha256.length !== 32) throw invalid("sha256: expected 32 bytes");
  if (header.bytes < 1 || header.bytes > FILE_BYTES_MAX)
    throw invalid(`bytes is ${header.bytes}; smallest is 1, largest is ${FILE_BYTES_MAX}`);
  return header;
}

/** Returns the run when the key's runners may report it, by the rules for results. */
async function judgeRun(
  { services, state, refreshFleet }: ReceiveParts,
  header: ArtifactHeader,
  key: RunnerKeyRow,
): Promise<RunOfTeam> {
  const run = {
    checkKey: Number(header.checkKey),
    locationKey: header.locationKey,
    slotMs: Number(header.slotMs),
  };
  const source = { runnerKey: 0, locationKeys: key.locationKey === null ? null : new Set([key.locationKey]) };
  const judge = () => {
    const nowMs = services.clock.nowMs();
    const retainedFromMs = retainedFrom(nowMs, services.config.retentionDays);
    return judgeKey(run, source, { state, nowMs, retainedFromMs });
  };
  let judgement = judge();
  if (judgement.kind === "unsure") {
    await refreshFleet().catch((cause) => {
      throw new DomainError("unavailable", "the control plane can't reach its database; try again", {
        cause,
      });
    });
    judgement = judge();
  }
  if (judgement.kind === "unsure" && judgement.about !== "check") {
    if ((await findManualRuns(services.knex, [run])).has(0)) judgement = { kind: "accepted" };
  }
  const check = state.check(run.checkKey);
  if (judgement.kind !== "accepted") throw new DomainError("forbidden", judgement.reason);
  if (!check || !checkTypes.find(check.type)?.keepsArtifacts)
    throw new DomainError("forbidden", "only browser checks have artifacts");
  return { ...run, teamId: check.teamId };
}

async function readContent(
  incoming: AsyncIterator<PutArtifactRequest>,
  header: ArtifactHeader,
  deadlineMs: number,
): Promise<Buffer> {
  const content = Buffer.alloc(header.bytes);
  let length = 0;
  for (;;) {
    const request = await nextPart(incoming, deadlineMs);
    if (request === undefined) break;
    if (request.part.case !== "chunk") throw invalid("parts of the content follow the header");
    if (length + request.part.value.length > header.bytes) throw invalid("bytes: the content is longer");
    content.set(request.part.value, length);
    length += request.part.value.length;
  }
  if (length < header.bytes) throw invalid(`bytes is ${header.bytes}, but ${length} came`);
  return content;
}

/**
 * Returns the next message, or undefined at the end.
 * @throws DomainError `unavailable` when it does not come in time
 */
async function nextPart(
  incoming: AsyncIterator<PutArtifactRequest>,
  deadlineMs: number,
): Promise<PutArtifactRequest | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new DomainError("unavailable", "the upload took too long"));
    timer = setTimeout(giveUp, Math.max(0, deadlineMs - monotonicMs()));
  });
  try {
    const { value, done } = await Promise.race([incoming.next(), timeout]);
    return done ? undefined : value;
  } finally {
    clearTimeout(timer);
  }
}

function invalid(message: string): DomainError {
  return new DomainError("invalid", message);
}
