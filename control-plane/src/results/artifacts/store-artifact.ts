/** Stores a file of a run. */
import { randomUUID } from "node:crypto";
import { DomainError } from "@svc/contract";
import type { Knex } from "knex";
import { isUniqueViolation } from "../../platform/db/errors.ts";
import type { Services } from "../../platform/services.ts";
import type { BlobStore } from "./blob-store.ts";
import type { ArtifactType } from "./content-type.ts";
import {
  insertArtifact,
  insertPendingBlob,
  markStored,
  type RunOfTeam,
  readRunUse,
  readTeamBytes,
  useBlob,
} from "./store.ts";

/** Limits of one run. An agent sends at most 50 pictures and a video, together 32 MiB. */
const RUN_FILES_MAX = 60;
const RUN_BYTES_MAX = 40 * 1024 * 1024;

/** A checked file: its bytes, their SHA-256 and their type. */
export interface ArtifactContent {
  content: Buffer;
  sha256: Buffer;
  contentType: ArtifactType;
}

/**
 * Stores the file, unless the team has an equal content already, and adds it to the run. Calls that repeat or overlap are
 * harmless.
 * @throws DomainError `limit_exceeded`: the run or the team has too many files
 * @throws DomainError `unavailable`: the upload must be repeated
 */
export async function storeArtifact(
  { services, blobs }: { services: Pick<Services, "knex" | "config">; blobs: BlobStore },
  run: RunOfTeam,
  file: ArtifactContent,
): Promise<void> {
  const { knex, config } = services;
  if (await linkStored(knex, run, file)) return;
  await assertRunWithinLimits(knex, run, file);
  const teamBytesMax = config.artifactTeamBytesMax;
  if ((await readTeamBytes(knex, run.teamId)) + file.content.length > teamBytesMax)
    throw new DomainError(
      "limit_exceeded",
      `the team's pictures and videos have ${teamBytesMax} bytes together (SVC_ARTIFACT_TEAM_BYTES_MAX)`,
    );
  const key = randomUUID();
  const { sha256, contentType, content } = file;
  await insertPendingBlob(knex, { key, teamId: run.teamId, sha256, bytes: content.length, contentType });
  await blobs.write(key, content);
  try {
    await knex.transaction(async (trx) => {
      if (!(await markStored(trx, key))) throw mustRepeat();
      await insertArtifact(trx, run, key);
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Another upload of an equal content was faster; this copy is never used, so the sweep removes it.
    if (!(await linkStored(knex, run, file))) throw mustRepeat();
  }
}

/**
 * Adds a content that the team has to the run.
 * @returns false when the team does not have it
 */
function linkStored(knex: Knex, run: RunOfTeam, file: ArtifactContent): Promise<boolean> {
  return knex.transaction(async (trx) => {
    const key = await useBlob(trx, run.teamId, file.sha256);
    if (key === undefined) return false;
    await assertRunWithinLimits(trx, run, file);
    await insertArtifact(trx, run, key);
    return true;
  });
}

async function assertRunWithinLimits(db: Knex, run: RunOfTeam, { content }: ArtifactContent): Promise<void> {
  const { files, bytes } = await readRunUse(db, run);
  if (files >= RUN_FILES_MAX)
    throw new DomainError("limit_exceeded", `a run has at most ${RUN_FILES_MAX} pictures and videos`);
  if (bytes + content.length > RUN_BYTES_MAX)
    throw new DomainError(
      "limit_exceeded",
      `a run's pictures and videos have at most ${RUN_BYTES_MAX} bytes`,
    );
}

function mustRepeat(): DomainError {
  return new DomainError("unavailable", "the file could not be kept; send it again");
}
