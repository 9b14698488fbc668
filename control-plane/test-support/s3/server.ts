/** A server that stands in for S3: one bucket in memory, path style, that checks the signature of every request. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { partsOf, type S3Account, signatureFault } from "./signature.ts";

/** An object of the bucket. */
interface StoredObject {
  text: string;
  contentType: string | undefined;
  cacheControl: string | undefined;
}

/** How a request is answered in place of what it asks for. "hang": not at all. */
type Trouble = "hang" | { status: number; code: string };

/** The running server. */
export interface S3Server {
  origin: string;
  account: S3Account;
  /** By key. */
  objects: Map<string, StoredObject>;
  /** Requests whose signatures held, as "PUT key", in the order in which they came. */
  requests: string[];
  /** Decides on the trouble of a request, as it stands in `requests`. The request waits for the decision. */
  trouble: (request: string) => Trouble | undefined | Promise<Trouble | undefined>;
  /** Requests without an answer now. */
  readonly open: number;
}

export const BUCKET = "status-bucket";

/** Starts the server on a free loopback port until the test ends. @param nowMs its clock, Unix ms */
export async function anS3Server(nowMs: () => number, account: Partial<S3Account> = {}): Promise<S3Server> {
  let open = 0;
  const server = http.createServer(async (request, response) => {
    open++;
    response.on("close", () => open--);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = "", url: target = "", headers } = request;
    const signed = { method, target, headers: headers as Record<string, string>, body };
    const fault = signatureFault(signed, s3.account, nowMs());
    if (fault) return refuse(response, 403, fault);
    const { path, query } = partsOf(target);
    const [, bucket, ...names] = path.split("/").map(decodeURIComponent);
    const key = names.join("/");
    const line = `${method} ${key === "" ? `?prefix=${new Map(query).get("prefix")}` : key}`;
    s3.requests.push(line);
    const trouble = await s3.trouble(line);
    if (trouble === "hang") return;
    if (trouble) return refuse(response, trouble.status, trouble.code);
    if (bucket !== BUCKET) return refuse(response, 404, "NoSuchBucket");
    if (key === "") return list(response, s3.objects, new Map(query));
    if (method === "PUT") {
      const { "content-type": contentType, "cache-control": cacheControl } = headers;
      s3.objects.set(key, { text: body.toString("utf8"), contentType, cacheControl });
      return response.writeHead(200).end();
    }
    if (method === "DELETE") {
      s3.objects.delete(key);
      return response.writeHead(204).end();
    }
    const found = s3.objects.get(key);
    if (!found) return refuse(response, 404, "NoSuchKey");
    return response.writeHead(200).end(found.text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const s3: S3Server = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account: { accessKeyId: "AKIDTEST", secretAccessKey: "s3cr/et+key=", region: "us-east-1", ...account },
    objects: new Map(),
    requests: [],
    trouble: () => undefined,
    get open() {
      return open;
    },
  };
  return s3;
}

function refuse(response: http.ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { "content-type": "application/xml" })
    .end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>No.</Message></Error>`);
}

function list(response: http.ServerResponse, objects: S3Server["objects"], query: Map<string, string>): void {
  if (query.get("list-type") !== "2") {
    refuse(response, 400, "InvalidArgument");
    return;
  }
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(query.get("prefix") ?? ""))
    .slice(0, Number(query.get("max-keys") ?? 1_000));
  const contents = keys.map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key></Contents>`).join("");
  response
    .writeHead(200, { "content-type": "application/xml" })
    .end(
      `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><KeyCount>${keys.length}</KeyCount>${contents}</ListBucketResult>`,
    );
}
