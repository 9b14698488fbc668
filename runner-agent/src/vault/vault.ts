/**
 * Runs checks that refer to secrets of their team: opens the values that came sealed with the check, puts them in their
 * places, and hides them in what the run reports. The values are in memory only; a check is stored as it came.
 */
import { checkTypes, DomainError, fillVaultReferences } from "@svc/contract";
import { foreignKeyProblem } from "@svc/contract/certificates";
import type { ProbeOutcome, ProbeRequest } from "@svc/probes";
import * as z from "zod";
import type { SecretsKey } from "../disk/secrets-key.ts";
import { type MaskText, maskOutcome, valueMasker } from "./value-masker.ts";

/** A check as it is assigned. */
interface SealedCheck {
  /** Values of the secrets that the configuration refers to, sealed to this agent, base64; undefined: it refers to none. */
  readonly sealedSecrets: string | undefined;
}

/** A configuration with its values, or the reason why it can't have them. */
type FilledConfig = { config: unknown; mask: MaskText } | { problem: string } | { unopened: string };

/** Fills secrets into checks right before their runs. Keeps no opened value longer than its check. */
export class Vault {
  readonly #key: SecretsKey;
  readonly #nowMs: () => number;
  /** By check, as it is now: another value of a secret makes another object. */
  readonly #filled = new WeakMap<SealedCheck, FilledConfig>();

  /** @param nowMs Unix ms of the corrected clock */
  constructor(key: SecretsKey, nowMs: () => number) {
    this.#key = key;
    this.#nowMs = nowMs;
  }

  /** Carries out a run, with the values of the secrets that the check refers to. A check without secrets is run as it is. */
  run(
    check: SealedCheck,
    request: ProbeRequest,
    probe: (request: ProbeRequest) => Promise<ProbeOutcome>,
  ): Promise<ProbeOutcome> {
    const { sealedSecrets } = check;
    return sealedSecrets === undefined ? probe(request) : this.#runFilled(check, request, probe);
  }

  async #runFilled(
    check: SealedCheck,
    request: ProbeRequest,
    probe: (request: ProbeRequest) => Promise<ProbeOutcome>,
  ): Promise<ProbeOutcome> {
    const filled = this.#filledOf(check, request, check.sealedSecrets ?? "");
    if ("unopened" in filled) return { kind: "fault", reason: "unsupported", message: filled.unopened };
    if ("problem" in filled) return this.#errorResult(filled.problem);
    return maskOutcome(await probe({ ...request, config: filled.config }), filled.mask);
  }

  #filledOf(check: SealedCheck, request: ProbeRequest, sealed: string): FilledConfig {
    let filled = this.#filled.get(check);
    if (filled === undefined) {
      filled = this.#fill(request, sealed);
      this.#filled.set(check, filled);
    }
    return filled;
  }

  #fill({ checkId, type, config }: ProbeRequest, sealed: string): FilledConfig {
    let values: Map<string, string>;
    try {
      values = new Map(Object.entries(JSON.parse(this.#key.open(Buffer.from(sealed, "base64"), checkId))));
    } catch {
      return { unopened: "the secrets of the check were not sealed to this agent's key" };
    }
    const mask = valueMasker(values.values());
    const filled = fillAndParse({ type, config: config as Record<string, unknown>, values });
    return "problem" in filled ? { problem: mask(filled.problem) } : { ...filled, mask };
  }

  /** The values are the user's own: a slot given back would only be missing, and nobody would learn why. */
  #errorResult(errorMessage: string): ProbeOutcome {
    return {
      kind: "result",
      status: "error",
      startedAtMs: this.#nowMs(),
      responseTimeUs: 0,
      elapsedUs: 0,
      phases: {},
      detail: { errorCategory: "protocol", errorMessage },
    };
  }
}

const NOT_VALID = "with the values of its secrets the configuration is not valid";

function fillAndParse(
  input: Parameters<typeof fillVaultReferences>[0],
): { config: unknown } | { problem: string } {
  try {
    const config: unknown = checkTypes
      .get(input.type as never)
      .configSchema.parse(fillVaultReferences(input));
    const problem = foreignKeyProblem(config as Record<string, unknown>);
    return problem === undefined ? { config } : { problem: `${NOT_VALID}: ${problem}` };
  } catch (error) {
    if (error instanceof DomainError) return { problem: error.message };
    if (error instanceof z.ZodError)
      return {
        problem: `${NOT_VALID}: ${listIssues(error)}`,
      };
    throw error;
  }
}

function listIssues({ issues }: z.ZodError): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join(".")}: ${message}`)
    .join("; ");
}
