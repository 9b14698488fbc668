/** A target in a process of its own: 512 bytes over http, or over https with a P-256 certificate made for the run. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningProcess, startNode } from "../harness/process.ts";
import { until } from "../harness/wait.ts";

export interface TargetProcess {
  httpUrl: string;
  httpsUrl: string;
  /** The certificate to trust. */
  caFile: string;
  process: RunningProcess;
}

const SOURCE = `
  const { readFileSync } = require("node:fs");
  const delayMs = Number(process.env.DELAY_MS);
  const body = Buffer.alloc(512, "x");
  const answer = (request, response) => {
    const send = () => { response.writeHead(200, { "content-type": "text/plain", "content-length": 512 }); response.end(body); };
    if (delayMs > 0) setTimeout(send, delayMs); else send();
  };
  const http = require("node:http").createServer(answer);
  const https = require("node:https").createServer(
    { key: readFileSync(process.env.KEY_FILE), cert: readFileSync(process.env.CERT_FILE) }, answer);
  http.listen(0, "127.0.0.1", () => https.listen(0, "127.0.0.1", () =>
    console.log("ports " + http.address().port + " " + https.address().port)));
`;

/** Starts the target; answers come after `delayMs`. Its files go into `folder`. */
export async function startTargetProcess(folder: string, delayMs = 0): Promise<TargetProcess> {
  const keyFile = join(folder, "target.key");
  const caFile = join(folder, "target.crt");
  execFileSync("openssl", [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "30",
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1",
    "-keyout",
    keyFile,
    "-out",
    caFile,
  ]);
  const script = join(folder, "target.cjs");
  writeFileSync(script, SOURCE);
  const process = startNode([script], { KEY_FILE: keyFile, CERT_FILE: caFile, DELAY_MS: String(delayMs) });
  const [, httpPort, httpsPort] = await until("the target listens", () =>
    /ports (\d+) (\d+)/.exec(process.output()),
  );
  return {
    httpUrl: `http://127.0.0.1:${httpPort}/`,
    httpsUrl: `https://127.0.0.1:${httpsPort}/`,
    caFile,
    process,
  };
}
