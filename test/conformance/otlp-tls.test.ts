/** OTLP over TLS and through the egress policy, against servers that are not ours. */
import { createEgress } from "@svc/egress";
import { expect, it, onTestFinished } from "vitest";
import type { Endpoint } from "../../control-plane/src/telemetry/export/endpoint.ts";
import { send } from "../../control-plane/src/telemetry/export/send.ts";
import { logRecord, resourceOf } from "../../control-plane/src/telemetry/records/otlp.ts";
import { startOtlpGrpc, startOtlpHttp } from "../../control-plane/test-support/otlp/receiver.ts";
import { anAuthority } from "../../probes/test-support/certificates.ts";

const egress = createEgress({ allowPrivate: true });
const record = logRecord({
  eventName: "synthetics.deployment.created",
  severity: "info",
  resource: resourceOf({ "service.name": "synthetics" }),
  attributes: { "synthetics.deployment.service": "shop" },
  atMs: 1_000,
  observedAtMs: 2_000,
});
const payload = { signal: "logs" as const, records: [record] };
const aim = (url: string, more: Partial<Endpoint> = {}): Endpoint => ({
  url,
  protocol: "http/protobuf",
  headers: {},
  caCertificate: null,
  ...more,
});

const around = { nowMs: Date.now };

it.each([
  ["http/protobuf", startOtlpHttp],
  ["http/json", startOtlpHttp],
  ["grpc", startOtlpGrpc],
] as const)(
  "%s over TLS: taken with the authority's certificate, refused without",
  async (protocol, start) => {
    const authority = await anAuthority();
    const receiver = await start(await authority.issue());
    onTestFinished(() => receiver.close());
    const trusted = aim(receiver.url, { protocol, caCertificate: authority.certificate });
    expect(await send(egress, { endpoint: trusted, payload }, around)).toMatchObject({ kind: "delivered" });
    expect(receiver.logs.map(({ name }) => name)).toEqual(["synthetics.deployment.created"]);
    const untrusted = await send(egress, { endpoint: { ...trusted, caCertificate: null }, payload }, around);
    expect(untrusted).toMatchObject({ kind: "held" });
    expect((untrusted as { message: string }).message).toMatch(/certificate/i);
    expect(receiver.requests).toHaveLength(1);
  },
);

it.each(["http/protobuf", "grpc"] as const)(
  "%s: addresses that the policy denies are never dialled",
  async (protocol) => {
    const dialled: string[] = [];
    const guarded = createEgress({
      allowPrivate: false,
      resolve: async () => [{ address: "10.0.0.1", family: 4 }],
      connect: ({ host }) => {
        dialled.push(host);
        throw new Error("dialled");
      },
    });
    for (const url of ["http://127.0.0.1:4318/", "http://169.254.169.254/", "https://inside.example.com/"]) {
      const outcome = await send(guarded, { endpoint: aim(url, { protocol }), payload }, around);
      expect(outcome).toMatchObject({ kind: "held", httpStatus: null, grpcStatus: null });
    }
    expect(dialled).toEqual([]);
  },
);

it("a server that speaks no gRPC is said so", async () => {
  const authority = await anAuthority();
  const receiver = await startOtlpHttp(await authority.issue());
  onTestFinished(() => receiver.close());
  const outcome = await send(
    egress,
    {
      endpoint: aim(receiver.url, { protocol: "grpc", caCertificate: authority.certificate }),
      payload,
    },
    around,
  );
  expect(outcome).toMatchObject({ kind: "held" });
  expect((outcome as { message: string }).message).toMatch(/HTTP\/2|ALPN|no application protocol/i);
});

it("an answer of another type still counts as taken", async () => {
  const receiver = await startOtlpHttp();
  onTestFinished(() => receiver.close());
  receiver.answer = () => ({ status: 200, headers: { "content-type": "text/html" }, body: "<html>" });
  const outcome = await send(egress, { endpoint: aim(receiver.url), payload }, around);
  expect(outcome).toMatchObject({ kind: "delivered" });
  expect((outcome as { warning?: string }).warning).toContain("text/html");
});

it.each([
  ["http/protobuf", startOtlpHttp],
  ["grpc", startOtlpGrpc],
] as const)("%s: an endpoint that hangs is left after its time", async (protocol, start) => {
  const receiver = await start();
  onTestFinished(() => receiver.close());
  receiver.answer = () => "hang";
  const outcome = await send(
    egress,
    { endpoint: aim(receiver.url, { protocol }), payload },
    { ...around, timeoutMs: 300 },
  );
  expect(outcome).toMatchObject({ kind: "held" });
  expect((outcome as { message: string }).message).toMatch(/300 ms|gRPC status 4/);
});
