/**
 * The service grpc.health.v1, for load balancers and orchestrators that probe the runners' port. Its two messages, a string
 * and an enum, are read and written by hand rather than generated. Check answers SERVING for the whole server and for the
 * RunnerService, NOT_FOUND for another name.
 */
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { RunnerService } from "@svc/proto/svc/runner/v1/runner_pb";

const PATH = "/grpc.health.v1.Health/";
const SERVING = Buffer.of(0, 0, 0, 0, 2, 0x08, 1);
const NOT_SERVING = Buffer.of(0, 0, 0, 0, 2, 0x08, 2);
const GRPC_OK = "0";
const GRPC_NOT_FOUND = "5";
const GRPC_UNIMPLEMENTED = "12";
const REQUEST_BYTES_MAX = 1024;

/** True when the request is for the health service. */
export function isHealthRequest(request: Http2ServerRequest): boolean {
  return request.url.startsWith(PATH);
}

/** Answers a request for the health service. Methods other than Check are unimplemented. */
export function answerHealth(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  { isServing }: { isServing: boolean },
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= REQUEST_BYTES_MAX) chunks.push(chunk);
  });
  request.on("end", () => {
    const isCheck = request.url === `${PATH}Check`;
    const service = serviceOf(Buffer.concat(chunks));
    const isKnown = service === "" || service === RunnerService.typeName;
    response.writeHead(200, { "content-type": "application/grpc" });
    if (isCheck && isKnown) response.write(isServing ? SERVING : NOT_SERVING);
    response.addTrailers({
      "grpc-status": isCheck ? (isKnown ? GRPC_OK : GRPC_NOT_FOUND) : GRPC_UNIMPLEMENTED,
    });
    response.end();
  });
}

/** Reads HealthCheckRequest.service (field 1, shorter than 128 bytes) from one uncompressed frame. */
function serviceOf(frame: Buffer): string {
  const message = frame.subarray(5);
  return message[0] === 0x0a ? message.subarray(2, 2 + (message[1] ?? 0)).toString("utf8") : "";
}
