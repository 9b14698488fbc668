/** Rows of API specs and their form in the API. */
import { maskUrl, type Spec, type SpecId, type SpecSourceType, type TeamId } from "@svc/contract";
import type { SecretBox } from "../../platform/db/secret-box.ts";

/** A row of `api_specs` without its document and operations, which are read only where they are needed. */
export interface SpecRow {
  id: SpecId;
  teamId: TeamId;
  name: string;
  sourceType: SpecSourceType;
  /** URL of the document, without the credentials among its query parameters; null: it was uploaded. */
  sourceUrl: string | null;
  /** The URL as it was given, sealed; null: it holds no credential. */
  sourceUrlSealed: Buffer | null;
  title: string;
  version: string;
  openapiVersion: string;
  operationCount: number;
  contentSha256: string;
  createdAt: string;
  updatedAt: string | null;
}

/**
 * Returns the columns of a document's URL: the part that may be seen, and the whole one, sealed, when it holds a
 * credential.
 */
export function sourceUrlColumns(
  secrets: SecretBox,
  { specId, sourceUrl }: { specId: SpecId; sourceUrl: string | null },
): Pick<SpecRow, "sourceUrl" | "sourceUrlSealed"> {
  const shown = sourceUrl === null ? null : maskUrl(sourceUrl);
  const isSealed = sourceUrl !== null && shown !== sourceUrl;
  return { sourceUrl: shown, sourceUrlSealed: isSealed ? secrets.seal(sourceUrl, specId) : null };
}

/**
 * Returns the URL of a spec's document as it was given; null: the document was uploaded.
 * @throws Error when the URL was sealed under a key that is not known
 */
export function sourceUrlFromRow(
  secrets: SecretBox,
  { id, sourceUrl, sourceUrlSealed }: Pick<SpecRow, "id" | "sourceUrl" | "sourceUrlSealed">,
): string | null {
  return sourceUrlSealed === null ? sourceUrl : secrets.open(sourceUrlSealed, id);
}

/** Returns an API spec as the API shows it. Throws where its URL was sealed under a key that is not known. */
export function specFromRow(secrets: SecretBox, row: SpecRow): Spec {
  const { teamId, contentSha256, sourceUrlSealed, ...shown } = row;
  return { ...shown, sourceUrl: sourceUrlFromRow(secrets, row) };
}
