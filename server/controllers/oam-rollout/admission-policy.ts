import 'server-only';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { AppError, messageOf } from '@/lib/errors';
import { deepEqual, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { pathTo } from '@/server/cluster/request-guard';
import type { Transport } from '@/server/cluster/transport';
import { type Clock, repeat } from '@/server/shared/clock';
import type { Logger } from '@/server/shared/log';

interface AdmissionPolicyOptions {
  readonly transport: Pick<Transport, 'json'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What is known of the policy. Times in milliseconds since the epoch. */
export type AdmissionState =
  | { readonly is: 'unchecked' | 'enforced'; readonly since: number }
  | { readonly is: 'missing'; readonly since: number; readonly problem: string };

const FILE = 'deploy/oam-rollout/policy.yaml';
const ADVICE = `Rollouts are left alone until ${FILE} is applied.`;
const CHECK_MS = 10_000;
/** How long an answer counts when the API server gives no other. */
const VALID_MS = 30_000;

const json = z.custom<Json>();
const policySchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.looseObject({
    failurePolicy: z.string().default('Fail'),
    paramKind: json.optional(),
    matchConstraints: z.looseObject({ resourceRules: z.array(z.looseObject({})).default([]) }),
    matchConditions: z.array(json).default([]),
    variables: z.array(json).default([]),
    validations: z.array(json).default([]),
  }),
});
type Policy = z.infer<typeof policySchema>;
const bindingSchema = z.object({
  spec: z.object({
    policyName: z.string(),
    validationActions: z.array(z.string()),
    matchResources: json.optional(),
    paramRef: json.optional(),
  }),
});
type Binding = z.infer<typeof bindingSchema>;

/**
 * Watches whether the API server asks, at admission, if the author of a Rollout may write its workloads: by a policy with
 * everything that the file of this version has, and a binding that denies. Without them the controller must not act, since
 * it would lend its permissions to anyone who may create Rollouts.
 */
export class AdmissionPolicy {
  readonly #options: AdmissionPolicyOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #required: Policy | undefined;
  #enforcedAt = -Infinity;
  #state: AdmissionState;

  constructor(options: AdmissionPolicyOptions) {
    this.#options = options;
    this.#state = { is: 'unchecked', since: options.clock.now() };
  }

  get state(): AdmissionState {
    return this.#state;
  }

  /** Whether the controller is allowed to act now. */
  get isEnforced(): boolean {
    return this.#state.is === 'enforced' && this.#options.clock.now() < this.#enforcedAt + VALID_MS;
  }

  start(): void {
    const { signal } = this.#stopping;
    this.#running = repeat(() => this.check(), CHECK_MS, this.#options.clock, signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Reads both objects once. Never throws: what keeps the controller from acting is the state. */
  async check(): Promise<void> {
    const now = this.#options.clock.now();
    try {
      const problem = await this.#findProblem();
      if (problem === undefined) this.#enforcedAt = now;
      this.#setProblem(problem);
    } catch (error) {
      // One failed request says nothing about the policy, which was there a moment ago.
      if (!this.isEnforced) this.#setProblem(describeFailure(error));
    }
  }

  async #findProblem(): Promise<string | undefined> {
    const required = (this.#required ??= readRequired());
    const [policies, bindings] = await Promise.all([
      this.#list('validatingadmissionpolicies', policySchema),
      this.#list('validatingadmissionpolicybindings', bindingSchema),
    ]);
    const complete = policies.filter((policy) => hasAllOf(policy, required));
    if (complete.length === 0)
      return `The cluster has no ValidatingAdmissionPolicy with the rules of this version of Shiplog for OAM Rollouts. ${ADVICE}`;
    const names = complete.map(({ metadata }) => metadata.name);
    if (bindings.some((binding) => names.includes(binding.spec.policyName) && isUnlimited(binding)))
      return undefined;
    return `ValidatingAdmissionPolicy ${names.join(', ')} has no ValidatingAdmissionPolicyBinding that denies in every namespace. ${ADVICE}`;
  }

  /** Those of another form are not ours. */
  async #list<T>(plural: string, schema: z.ZodType<T>): Promise<T[]> {
    const path = pathTo('apis', 'admissionregistration.k8s.io', 'v1', plural);
    const answer = await this.#options.transport.json({ method: 'GET', path });
    const { items } = z.object({ items: z.array(z.unknown()) }).parse(answer);
    return items.flatMap((item) => schema.safeParse(item).data ?? []);
  }

  #setProblem(problem: string | undefined): void {
    const { log, clock } = this.#options;
    const before = this.#state;
    const isSame =
      before.is === 'missing'
        ? before.problem === problem
        : before.is === 'enforced' && problem === undefined;
    if (isSame) return;
    const since = clock.now();
    if (problem === undefined) {
      this.#state = { is: 'enforced', since };
      log.info('the admission policy of OAM Rollouts is in place: the controller acts');
      return;
    }
    this.#state = { is: 'missing', since, problem };
    log.error('the controller of OAM Rollouts does not act', { reason: problem });
  }
}

/** The file of this version, which the build puts beside the server. */
function readRequired(): Policy {
  const text = readFileSync(join(process.cwd(), FILE), 'utf8');
  return policySchema.parse(parseAllDocuments(text)[0]?.toJS());
}

/** Whether it rejects at least what the required one rejects. Another validation makes it stricter, a condition does not. */
function hasAllOf({ spec }: Policy, { spec: required }: Policy): boolean {
  return (
    spec.failurePolicy === required.failurePolicy &&
    spec.paramKind === undefined &&
    spec.matchConditions.length === 0 &&
    deepEqual(
      withoutDefaults(spec.matchConstraints as JsonObject),
      required.matchConstraints as JsonObject,
    ) &&
    required.variables.every((variable) => spec.variables.some((entry) => deepEqual(entry, variable))) &&
    required.validations.every((validation) => spec.validations.some((entry) => deepEqual(entry, validation)))
  );
}

function isUnlimited({ spec }: Binding): boolean {
  const limits = isJsonObject(spec.matchResources) ? withoutDefaults(spec.matchResources) : {};
  return (
    spec.validationActions.includes('Deny') && spec.paramRef === undefined && Object.keys(limits).length === 0
  );
}

/** Without what the API server adds by itself. */
function withoutDefaults(match: JsonObject): JsonObject {
  const isDefault = ([name, value]: [string, Json | undefined]) =>
    (name === 'matchPolicy' && value === 'Equivalent') ||
    (name === 'scope' && value === '*') ||
    (name.endsWith('Selector') && isJsonObject(value) && Object.keys(value).length === 0);
  const rest: JsonObject = {};
  for (const entry of Object.entries(match)) {
    const [name, value] = entry;
    if (isDefault(entry)) continue;
    rest[name] = Array.isArray(value)
      ? value.map((item) => (isJsonObject(item) ? withoutDefaults(item) : item))
      : value;
  }
  return rest;
}

function describeFailure(error: unknown): string {
  const status = error instanceof AppError ? error.details.status : undefined;
  if (status === 404)
    return 'The API server has no ValidatingAdmissionPolicies (Kubernetes 1.30 has), so Rollouts are left alone.';
  if (status === 403)
    return 'Shiplog is not allowed to list admission policies, so Rollouts are left alone. Bind deploy/rbac/oam-rollout.yaml to its account.';
  return `The admission policies of the cluster can't be read, so Rollouts are left alone: ${messageOf(error)}`;
}
