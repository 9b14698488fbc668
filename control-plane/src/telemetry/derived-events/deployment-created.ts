import type { DeploymentId } from "@svc/contract";
import { ATTR } from "../records/attributes.ts";
import { defineDerivedEvent } from "./define-derived-event.ts";

type Values = {
  id: DeploymentId;
  service: string;
  version: string;
  environment: string | null;
  commitSha: string | null;
  commitMessage: string | null;
  deployedBy: string | null;
  source: string | null;
};

/** Records that a team reported a deployment of its own service. */
export const deploymentCreated = defineDerivedEvent<Values>({
  type: "synthetics.deployment.created",
  attributes: {
    id: ATTR.deploymentId,
    service: ATTR.deploymentService,
    version: ATTR.deploymentVersion,
    environment: ATTR.deploymentEnvironment,
    commitSha: ATTR.deploymentCommitSha,
    commitMessage: ATTR.deploymentCommitMessage,
    deployedBy: ATTR.deploymentDeployedBy,
    source: ATTR.deploymentSource,
  },
  summary: ({ service, version, environment }) =>
    `${service} ${version} was deployed${environment ? ` to ${environment}` : ""}`,
});
