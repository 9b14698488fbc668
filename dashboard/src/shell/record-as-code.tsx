/** A record as code: what `svc` would read of it, to be copied into a project. */
import { useQuery } from "@tanstack/react-query";
import { type RecordKind, recordAsCodeQuery } from "../api/queries/as-code.ts";
import { ConfigFiles } from "../ui/config-files.tsx";
import { Empty, Loaded, Panel } from "../ui/panel.tsx";
import { Text } from "../ui/text.tsx";

/** Where the entry of a record stands in a config. */
const BELONGS: Readonly<Record<RecordKind, string>> = {
  alertPolicy: "The policy stands under alertPolicies; it names its checks by their labels.",
  alertRule: "The rule stands under alerts of its monitor.",
  channel: "The channel stands under alertChannels; rules and SLOs name it with an @ before its name.",
  maintenanceWindow:
    "The window stands under maintenanceWindows, which a config of one file has. svc pull does not write windows: add it by hand.",
  rota: "The rota stands under rotas; steps of incidentPolicy name it.",
  statusPage: "The page stands under statusPages, and names its monitors. Notices are no part of a config.",
  slo: "The SLO stands under slos, and names its monitor or its third party.",
};

/** Shows the files of the record's config, and the secrets that they refer to. */
export function RecordAsCode({ kind, id }: { kind: RecordKind; id: string }) {
  const query = useQuery(recordAsCodeQuery(kind, id));
  return (
    <Panel title="As code">
      <Loaded query={query}>
        {({ project, files, secrets, reason, note }) => (
          <>
            {project !== null && (
              <p>
                Managed by project <Text>{project}</Text>: change it there. A change made here is drift for
                its next deploy.
              </p>
            )}
            {reason === null ? <p>{BELONGS[kind]}</p> : <Empty>{reason}</Empty>}
            {note !== null && <p role="note">{note}</p>}
            <ConfigFiles files={files} secrets={secrets} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}
