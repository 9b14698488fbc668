import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DatabaseServers } from "../../control-plane/src/platform/db/database-servers.ts";
import {
  debianPrograms,
  startReplicatedServers,
} from "../../control-plane/test-support/replicated-servers.ts";
import { anAuthority } from "../../probes/test-support/certificates.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { until } from "../harness/wait.ts";

test.skipIf(!debianPrograms())(
  "the certificate of each server of a database is held against that server's own name",
  async () => {
    const servers = await startReplicatedServers();
    const { path: folder, remove } = temporaryFolder();
    try {
      const { primary } = servers;
      const standby = await servers.addStandby("second");
      const authority = await anAuthority();
      const rootFile = join(folder, "root.pem");
      writeFileSync(rootFile, authority.certificate);
      // Each server is right by one name only.
      await primary.useTls(await authority.issue({ names: ["localhost"] }));
      await standby.useTls(await authority.issue({ names: ["127.0.0.1"] }));
      const [primaryPort, standbyPort] = [primary, standby].map(({ address }) => address.split(":")[1]);
      const query = `sslmode=verify-full&sslrootcert=${encodeURIComponent(rootFile)}`;
      const connect = (hosts: string) =>
        DatabaseServers.of(`postgres://postgres@${hosts}/shop?${query}`).connect({});

      await until("the primary offers TLS", async () => {
        const client = await connect(`127.0.0.1:${standbyPort},localhost:${primaryPort}`);
        const { rows } = await client.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
        await client.end();
        return rows[0].ssl === true;
      });
      const refusal = await connect(`localhost:${standbyPort},127.0.0.1:${primaryPort}`).catch(
        (error) => error,
      );
      expect(refusal.message).toMatch(/localhost:\d+ \(.*does not match certificate's altnames/);
      expect(refusal.message).toMatch(/127\.0\.0\.1:\d+ \(.*127\.0\.0\.1 is not in the cert's list/);
    } finally {
      servers.end();
      remove();
    }
  },
);
