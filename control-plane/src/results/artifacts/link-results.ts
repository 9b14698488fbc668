/** Puts links to files into results, in place of any that a runner sent. */
import type { Artifact, Result } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { linkTo } from "./links.ts";
import { type RunArtifactRow, readArtifactsOfRuns } from "./store.ts";

/** A result and the key of its run. */
export interface ResultOfRun {
  result: Result;
  run: { locationKey: number; slotMs: number };
}

/** Returns the results of a check with links to their stored pictures and videos; files that are not stored get none. */
export async function linkResults(
  services: Pick<Services, "knex" | "secrets" | "publicUrl" | "clock">,
  checkKey: number,
  results: readonly ResultOfRun[],
): Promise<Result[]> {
  const { knex, secrets, publicUrl, clock } = services;
  const withFiles = results.filter(({ result }) => result.screenshotsJson?.length || result.videoJson);
  const rows =
    withFiles.length === 0
      ? []
      : await readArtifactsOfRuns(
          knex,
          checkKey,
          withFiles.map(({ run }) => run),
        );
  const ids = new Map(rows.map((row) => [keyOf(row, row.sha256), row.id]));
  const nowMs = clock.nowMs();
  return results.map(({ result, run }) => {
    const linked = <T extends Artifact>(artifact: T): T => {
      const { url: _url, urlExpiresAt: _at, ...bare } = artifact;
      const id = ids.get(keyOf(run, artifact.sha256));
      if (id === undefined) return bare as T;
      const { url, expiresAtMs } = linkTo({ secrets, publicUrl: publicUrl() }, id, nowMs);
      return { ...bare, url, urlExpiresAt: new Date(expiresAtMs).toISOString() } as T;
    };
    return {
      ...result,
      ...(result.screenshotsJson ? { screenshotsJson: result.screenshotsJson.map(linked) } : {}),
      ...(result.videoJson ? { videoJson: linked(result.videoJson) } : {}),
    };
  });
}

function keyOf({ locationKey, slotMs }: Omit<RunArtifactRow, "id" | "sha256">, sha256: string): string {
  return `${locationKey}/${slotMs}/${sha256}`;
}
