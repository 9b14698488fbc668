/** An assigned check whose configuration is parsed once, when it first runs. */
import { checkTypes, type Retry, retrySchema } from "@svc/contract";
import type { ProbeRequest } from "@svc/probes";
import type { CheckDefinition } from "../model/assignment.ts";

/** A check location of this agent, as it was assigned. */
export class AssignedCheck {
  readonly checkKey: number;
  readonly checkId: string;
  readonly type: string;
  /** Stands for the check's team; 0: unknown. */
  readonly teamNumber: number;
  readonly revision: number;
  readonly periodMs: number;
  readonly phaseMs: number;
  /** Values of the secrets that the configuration refers to, sealed to this agent, base64; undefined: it refers to none. */
  readonly sealedSecrets: string | undefined;
  #configJson: string;
  #retryJson: string;
  #config: unknown;
  #retry: Retry | null = null;
  /** True once a run of it crashed and the operator was warned. */
  hasCrashed = false;
  #isParsed = false;
  #parseError: unknown;

  constructor(definition: CheckDefinition) {
    this.checkKey = definition.checkKey;
    this.checkId = definition.checkId;
    this.type = definition.type;
    this.teamNumber = definition.teamNumber ?? 0;
    this.revision = definition.revision;
    this.periodMs = definition.frequencySeconds * 1000;
    this.phaseMs = definition.phaseMs;
    this.sealedSecrets = definition.sealedSecrets;
    this.#configJson = definition.configJson;
    this.#retryJson = definition.retryJson;
  }

  /**
   * Returns the request to the probe for one slot.
   * @throws Error when this version of the agent does not understand the configuration, now and in every later call
   */
  requestFor(slotMs: number): ProbeRequest {
    if (this.#parseError !== undefined) throw this.#parseError;
    if (!this.#isParsed) this.#parse();
    return {
      checkId: this.checkId,
      type: this.type,
      config: this.#config,
      retry: this.#retry,
      slotMs,
      frequencySeconds: this.periodMs / 1000,
    };
  }

  /** True once `requestFor` has thrown, so that the operator is warned once. */
  get isUnusable(): boolean {
    return this.#parseError !== undefined;
  }

  #parse(): void {
    try {
      this.#parseDocuments();
    } catch (error) {
      this.#parseError = error;
      throw error;
    }
  }

  #parseDocuments(): void {
    const type = checkTypes.find(this.type);
    if (type === undefined) throw new Error(`unknown check type ${this.type}`);
    this.#config = type.configSchema.parse(JSON.parse(this.#configJson));
    this.#retry = this.#retryJson === "" ? null : retrySchema.nullable().parse(JSON.parse(this.#retryJson));
    this.#isParsed = true;
    // With 10,000 checks these texts, not needed again, would be the larger half of the memory.
    this.#configJson = "";
    this.#retryJson = "";
  }
}
