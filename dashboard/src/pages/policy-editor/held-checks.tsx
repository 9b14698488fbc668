/** The checks for which the policy of a form would hold, and why others that have its labels get no rule. */
import { previewAlertPolicySchema } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { policyPreviewQuery } from "../../api/queries/rules.ts";
import { countText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the checks. Conditions that are not filled in yet are left out of the judgement. */
export function HeldChecks({ draft }: { draft: Readonly<Record<string, unknown>> }) {
  const { labels, conditions } = draft;
  const whole = previewAlertPolicySchema.safeParse({ labels, conditions });
  const wanted = whole.success ? whole : previewAlertPolicySchema.safeParse({ labels });
  return (
    <Panel title="Checks it holds for">
      {wanted.success ? (
        <Held preview={wanted.data} />
      ) : (
        <p className="hint">Name the labels that a check needs: the checks that have them stand here then.</p>
      )}
    </Panel>
  );
}

function Held({ preview }: { preview: Parameters<typeof policyPreviewQuery>[0] }) {
  const query = useQuery(policyPreviewQuery(preview));
  return (
    <Loaded query={query}>
      {({ checkCount, checks }) => (
        <>
          <p role="status">
            {checkCount === 0
              ? "No check has all of these labels yet. The policy holds for each that gets them."
              : `${countText(checkCount, "check")} ${checkCount === 1 ? "has" : "have"} these labels.`}
          </p>
          <ul className="plain" aria-label="Checks with the labels">
            {checks.map(({ id, name, refusal }) => (
              <li key={id}>
                <PageLink page="check" parameters={{ id }}>
                  <Text>{name}</Text>
                </PageLink>
                {refusal !== null && (
                  <span className="quiet">
                    {" "}
                    gets no rule: <Text>{refusal}</Text>
                  </span>
                )}
              </li>
            ))}
          </ul>
          {checkCount > checks.length && <p className="quiet">and {checkCount - checks.length} more</p>}
        </>
      )}
    </Loaded>
  );
}
