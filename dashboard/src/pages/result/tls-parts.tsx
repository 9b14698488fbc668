/** The version of TLS and the certificates that a run of a TLS check met. */
import type { resultRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { instantText } from "../../time/format.ts";
import { Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the part that the result has. */
export function TlsParts({ result: { tlsJson } }: { result: Pick<Shown, "tlsJson"> }) {
  if (!tlsJson) return null;
  const { protocol, cipher, chain } = tlsJson;
  return (
    <Panel title="Certificates that the server sent">
      <p>
        Over <Text>{protocol}</Text> with <Text>{cipher}</Text>
      </p>
      <Table
        name="Certificates that the server sent"
        rows={chain}
        keyOf={({ fingerprintSha256 }) => fingerprintSha256}
        columns={[
          { title: "Subject", cell: ({ subject }) => <Text>{subject}</Text> },
          { title: "Issuer", cell: ({ issuer }) => <Text>{issuer}</Text> },
          { title: "Valid from", cell: ({ validFrom }) => instantText(validFrom) },
          { title: "Valid to", cell: ({ validTo }) => instantText(validTo) },
        ]}
      />
    </Panel>
  );
}
