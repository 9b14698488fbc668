/** Delivers documents to runners: only to those that have to judge by them. */
import { create } from "@bufbuild/protobuf";
import { isId, notFound } from "@svc/contract";
import {
  type GetApiSpecRequest,
  type GetApiSpecResponse,
  GetApiSpecResponseSchema,
} from "@svc/proto/svc/runner/v1/runner_pb";
import type { RunnerKeyRow } from "../../accounts/identity/credential-store.ts";
import type { Services } from "../../platform/services.ts";
import { findContentForRunner } from "./store.ts";

/** Size of a part: small enough to go between the session's messages, large enough for few parts. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Yields the compressed document in parts, to a runner whose key serves a location with a check that uses the spec.
 * @throws DomainError `not_found` (also when the spec has another document by now)
 */
export async function* deliverSpec(
  services: Services,
  { specId, contentSha256 }: GetApiSpecRequest,
  key: RunnerKeyRow,
): AsyncGenerator<GetApiSpecResponse> {
  const content = isId("spec", specId)
    ? await findContentForRunner(services.knex, { specId, contentSha256, locationKey: key.locationKey })
    : undefined;
  if (!content) throw notFound("Spec");
  for (let at = 0; at < content.byteLength; at += CHUNK_BYTES)
    yield create(GetApiSpecResponseSchema, { chunk: content.subarray(at, at + CHUNK_BYTES) });
}
