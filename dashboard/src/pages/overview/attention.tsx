/** What nobody is called for, but somebody should look at: each with the one thing to do about it. */
import { pagePath } from "@svc/contract";
import { Link } from "wouter";
import type { OverviewAnswer } from "../../api/queries/overview.ts";
import { Empty, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

type AttentionItem = OverviewAnswer["attention"][number];
type Kind = AttentionItem["kind"];

/** What each kind says of one and of several subjects, and where its action leads. */
const KINDS: Readonly<
  Record<Kind, { one: string; several: string; action: string; href: (subjectId: string) => string }>
> = {
  check_failing_long: {
    one: "check has been failing for more than 7 days",
    several: "checks have been failing for more than 7 days",
    action: "See why",
    href: checkPath,
  },
  check_never_ran: {
    one: "check never ran",
    several: "checks never ran",
    action: "See its slots",
    href: (id) => `${checkPath(id)}?tab=slots`,
  },
  check_without_rule: {
    one: "check has no alert rule",
    several: "checks have no alert rule",
    action: "Choose checks",
    href: () => pagePath("checks", {}),
  },
  rule_without_channel: {
    one: "alert rule has no channel that can deliver",
    several: "alert rules have no channel that can deliver",
    action: "See the channels",
    href: () => pagePath("channels", {}),
  },
  channel_failing: {
    one: "channel did not deliver the last three times",
    several: "channels did not deliver the last three times",
    action: "See its deliveries",
    href: (id) => pagePath("channel", { id }),
  },
  location_with_one_runner: {
    one: "private location has a single runner",
    several: "private locations have a single runner",
    action: "Add a runner",
    href: (id) => pagePath("location", { id }),
  },
  location_near_capacity: {
    one: "location has runners of which more than 80 % is taken",
    several: "locations have runners of which more than 80 % is taken",
    action: "See what takes most",
    href: (id) => pagePath("location", { id }),
  },
};

/** Shows the items. */
export function Attention({ attention }: { attention: readonly AttentionItem[] }) {
  return (
    <Panel title="Needs attention">
      {attention.length === 0 ? (
        <Empty>Nothing else needs attention.</Empty>
      ) : (
        <ul className="cards">
          {attention.map((item) => (
            <Item key={item.kind} item={item} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Item({ item: { kind, count, subjects } }: { item: AttentionItem }) {
  const { one, several, action, href } = KINDS[kind];
  const names = subjects.map(({ name }) => name).join(", ");
  const others = count - subjects.length;
  return (
    <li className="overview-item">
      <div>
        {count} {count === 1 ? one : several}
        <span className="quiet">
          : <Text>{names}</Text>
          {others > 0 && `, ${others} more`}
        </span>
      </div>
      <Link href={href(subjects[0]?.id ?? "")}>{action}</Link>
    </li>
  );
}

function checkPath(id: string): string {
  return pagePath("check", { id });
}
