/** Reads how long a gRPC server asks to wait: google.rpc.RetryInfo within the google.rpc.Status of its trailers. Pure. */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

const RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";

/**
 * Returns the delay that the server asks for, in ms; undefined when it asks for none.
 * @param detailsBase64 the trailer grpc-status-details-bin
 */
export function retryDelayOf(detailsBase64: string): number | undefined {
  if (detailsBase64 === "") return undefined;
  try {
    // Status.details = 3, Any.type_url = 1, Any.value = 2, RetryInfo.retry_delay = 1.
    for (const detail of fieldsOf(Buffer.from(detailsBase64, "base64"), 3)) {
      const [type] = fieldsOf(detail, 1);
      const [info] = fieldsOf(detail, 2);
      if (!type || !info || Buffer.from(type).toString() !== RETRY_INFO) continue;
      const [duration] = fieldsOf(info, 1);
      if (duration) return durationMs(duration);
    }
  } catch {
    // A trailer that can't be decoded asks for no delay.
  }
  return undefined;
}

/** Returns the length-delimited fields with this number. */
function fieldsOf(message: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new BinaryReader(message);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted && type === WireType.LengthDelimited) found.push(reader.bytes());
    else reader.skip(type, field);
  }
  return found;
}

function durationMs(duration: Uint8Array): number {
  const reader = new BinaryReader(duration);
  let ms = 0;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) ms += Number(reader.int64()) * 1000;
    else if (field === 2) ms += reader.int32() / 1e6;
    else reader.skip(type, field);
  }
  return Math.max(0, ms);
}
