/** The targets of the check types that connect to a port, in a process of their own: TCP, TLS, DNS over UDP, and gRPC. */
import dgram from "node:dgram";
import { readFileSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import grpc from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";

const HOST = "127.0.0.1";

const [, , keyFile = "", certificateFile = ""] = process.argv;
const ignore = () => {};
const tcp = net.createServer((socket) => socket.on("error", ignore).end("220 mail.test ready\r\n"));
const pair = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
const secure = tls.createServer(pair, (socket) => socket.on("error", ignore).end());
secure.on("tlsClientError", ignore);
const dns = dgram.createSocket("udp4");
dns.on("message", (query, { port, address }) => dns.send(answerTo(query), port, address));
const health = new grpc.Server();
new HealthImplementation({ "": "SERVING" }).addToServer(health);

const listen = (server: net.Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, HOST, () => resolve((server.address() as AddressInfo).port));
  });
await new Promise<void>((resolve) => dns.bind(0, HOST, resolve));
const grpcPort = await new Promise<number>((resolve, reject) => {
  health.bindAsync(`${HOST}:0`, grpc.ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  );
});
console.log(`ports ${await listen(tcp)} ${await listen(secure)} ${dns.address().port} ${grpcPort}`);

/** Returns a reply with one address. */
function answerTo(query: Buffer): Buffer {
  const questionEnd = query.indexOf(0, 12) + 5;
  const head = Buffer.concat([query.subarray(0, 2), Buffer.from("81800001000100000000", "hex")]);
  const record = Buffer.from("c00c000100010000003c0004c0000201", "hex");
  return Buffer.concat([head, query.subarray(12, questionEnd), record]);
}
