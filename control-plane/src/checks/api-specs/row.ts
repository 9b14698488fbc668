/** Rows of API specs and their form in the API. */
import type { Spec, SpecId, SpecSourceType, TeamId } from "@svc/contract";

/** A row of `api_specs` without its document and operations, which are read only where they are needed. */
export interface SpecRow {
  id: SpecId;
  teamId: TeamId;
  name: string;
  sourceType: SpecSourceType;
  sourceUrl: string | null;
  title: string;
  version: string;
  openapiVersion: string;
  operationCount: number;
  contentSha256: string;
  createdAt: string;
  updatedAt: string | null;
}

export function specFromRow({ teamId, contentSha256, ...row }: SpecRow): Spec {
  return row;
}
