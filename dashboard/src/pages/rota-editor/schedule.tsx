/** Who of a rota is on duty now, and the next handovers. */
import { useQuery } from "@tanstack/react-query";
import { rotaScheduleQuery } from "../../api/queries/rotas.ts";
import { wallTimeText } from "../../time/format.ts";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

const HANDOVERS_SHOWN = 10;

/** Shows them, in the rota's own zone. */
export function Schedule({ id, zone }: { id: string; zone: string }) {
  const query = useQuery(rotaScheduleQuery(id));
  return (
    <Panel title="On duty">
      <Loaded query={query}>
        {({ schedule: [now, ...next] }) => (
          <>
            {now && (
              <p role="status">
                Now: <Text>{now.member}</Text>, until{" "}
                <time dateTime={now.to}>{wallTimeText(now.to, zone)}</time>
                {now.isOverride ? ", by an override" : ""}.
              </p>
            )}
            <ol className="plain" aria-label="Next handovers">
              {next.slice(0, HANDOVERS_SHOWN).map(({ from, member, isOverride }) => (
                <li key={from}>
                  <time dateTime={from}>{wallTimeText(from, zone)}</time> <Text>{member}</Text>
                  {isOverride && <span className="quiet"> by an override</span>}
                </li>
              ))}
            </ol>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
