import type { StatusPage } from "@svc/contract";
import type { DesiredStatusPage } from "../config/desired.ts";
import { isDescribable } from "../is-describable.ts";
import { compareResource, planAbsent } from "./compare-resource.ts";
import { changedAt, remoteStatusPageFields, statusPageFields } from "./compared-fields.ts";
import type { CheckIndex, LeftAlone, PlanInput, Prunable, StatusPageChange } from "./planned-change.ts";

/** Plans the status pages, by slug. */
export function planStatusPages(
  input: PlanInput,
  checks: CheckIndex,
): { changes: StatusPageChange[]; prunable: Prunable[]; leftAlone: LeftAlone[] } {
  const { desired, remote } = input;
  const planned = desired.statusPages.map((page): StatusPageChange => {
    const existing = remote.statusPages.find(({ slug }) => slug === page.slug);
    if (existing) return comparedPage({ input, checks }, page, existing);
    return {
      kind: "status_page",
      type: "create",
      name: page.slug,
      remoteId: null,
      fieldChanges: [],
      desired: page,
    };
  });
  const wanted = new Set(desired.statusPages.map(({ slug }) => slug));
  const absent = remote.statusPages
    .filter(({ slug }) => !wanted.has(slug))
    .map((page) => ({ resource: { ...page, name: page.slug }, reason: reasonToStay(input, page) }));
  const { deletions, prunable, leftAlone } = planAbsent(input, "status_page", absent);
  return {
    changes: [...planned, ...deletions.map((step): StatusPageChange => ({ ...step, kind: "status_page" }))],
    prunable,
    leftAlone,
  };
}

function comparedPage(
  { input, checks }: { input: PlanInput; checks: CheckIndex },
  desired: DesiredStatusPage,
  existing: StatusPage,
): StatusPageChange {
  const step = compareResource(input, {
    kind: "status_page",
    name: desired.slug,
    remoteId: existing.id,
    updatedAt: changedAt(existing),
    before: remoteStatusPageFields(existing, { check: checks.nameOf }),
    after: statusPageFields(desired),
    // The component of a check that is deleted and created again goes with the former check.
    isForced: existing.components.some(({ checkId }) => checkId !== undefined && checks.isDeleted(checkId)),
  });
  return { ...step, kind: "status_page", desired };
}

/** Returns why no deploy deletes the page: pull leaves it out, since no config can describe a check that it shows. */
function reasonToStay({ remote }: PlanInput, { components }: StatusPage): string | undefined {
  const shown = new Set(components.map(({ checkId }) => checkId));
  const check = remote.checks.find((one) => shown.has(one.id) && !isDescribable(one));
  return check && `it shows "${check.name}", which a config can't describe`;
}
