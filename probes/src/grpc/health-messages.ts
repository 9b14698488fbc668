/** The messages of the health protocol (grpc.health.v1, `Check`), in the wire format of Protocol Buffers. */
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** Path of the method `Check`. */
export const CHECK_PATH = "/grpc.health.v1.Health/Check";

/** Names of HealthCheckResponse.ServingStatus, by number. */
const SERVING_STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

/** Returns a HealthCheckRequest. @param service empty: the server as a whole */
export function healthRequest(service: string): Uint8Array {
  const writer = new BinaryWriter();
  if (service !== "") writer.tag(1, WireType.LengthDelimited).string(service);
  return writer.finish();
}

/**
 * Returns the name of the status in a HealthCheckResponse, or its number where that has no name.
 * @throws Error when the message is none
 */
export function servingStatusIn(message: Uint8Array): string {
  const reader = new BinaryReader(message);
  let status = 0;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1 && wireType === WireType.Varint) status = reader.int32();
    else reader.skip(wireType, field);
  }
  return SERVING_STATUSES[status] ?? String(status);
}
