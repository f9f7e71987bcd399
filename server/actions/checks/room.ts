import 'server-only';
import { AppError } from '@/lib/errors';
import { resolveAmount } from '@/lib/kube/amount';
import { type JsonObject } from '@/lib/kube/json';
import {
  amountOf,
  type Amounts,
  containerResources,
  podAmounts,
  type Resources,
} from '@/lib/kube/pod-resources';
import { prettyQuantity } from '@/lib/kube/quantity';
import { objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { finding, type Finding } from '@/lib/workloads/plan';
import { type Workload } from '@/lib/history/workload';
import { type CheckInput, listAs, runCheck, uncheckedFinding } from '@/server/actions/checks/check';

/**
 * Whether LimitRanges and quotas have room for the pods. A quota counts with the defaults of the LimitRanges, where the
 * viewer is allowed to read these.
 */
export async function checkRoom(input: CheckInput): Promise<Finding[]> {
  const ranges = await readLimitRanges(input).catch((error: unknown) => {
    if (error instanceof AppError) return error;
    throw error;
  });
  const [limits, defaults] =
    ranges instanceof AppError
      ? [[uncheckedFinding('limit_range', 'LimitRanges', ranges)], undefined]
      : [checkLimits(input, ranges), ranges.defaults];
  const quota = await runCheck('quota', 'Whether the quota has room', () => checkQuota(input, defaults));
  return [...limits, ...quota];
}

/** A LimitRange's entry for one type of object. */
interface Limit {
  range: string;
  type: string;
  limit: JsonObject;
}

interface LimitRanges {
  limits: readonly Limit[];
  defaults: Resources;
}

async function readLimitRanges(input: CheckInput): Promise<LimitRanges> {
  const ranges = await listAs(input, '/api/v1', 'limitranges');
  const limits = ranges.flatMap((range) =>
    objectsAt(range, 'spec', 'limits').map((limit) => ({
      range: textAt(range, 'metadata', 'name') ?? '',
      type: textAt(limit, 'type') ?? '',
      limit,
    })),
  );
  const defaults = { requests: {}, limits: {} };
  for (const { type, limit } of limits) {
    if (type !== 'Container') continue;
    Object.assign(defaults.limits, limit.default);
    Object.assign(defaults.requests, limit.defaultRequest);
  }
  return { limits, defaults };
}

/**
 * Bounds that the pods of the template break; the API server would then reject each of them.
 * https://kubernetes.io/docs/concepts/policy/limit-range/
 */
function checkLimits({ template, called }: CheckInput, { limits, defaults }: LimitRanges): Finding[] {
  const perContainer = containerResources(template, defaults).map((container) => ({
    what: `container ${container.container}`,
    requests: amountsOf(container.requests),
    limits: amountsOf(container.limits),
  }));
  const pod = podAmounts(template, defaults);
  const wholePod = {
    what: 'a pod',
    requests: withPrefix(pod, 'requests.'),
    limits: withPrefix(pod, 'limits.'),
  };
  return limits.flatMap(({ range, type, limit }) => {
    const subjects = type === 'Container' ? perContainer : type === 'Pod' ? [wholePod] : [];
    return subjects.flatMap((subject) =>
      [
        ...violationsOf(subject.limits, objectAt(limit, 'max'), 'above'),
        ...violationsOf(subject.requests, objectAt(limit, 'min'), 'below'),
      ].map(({ name, bound, side }) =>
        finding(
          'warning',
          'limit_range',
          `LimitRange ${range} allows ${side === 'above' ? 'at most' : 'at least'} ${bound} ${name}; ${subject.what} of ${called} is ${side} it: its pods will be refused.`,
          'Change the LimitRange first, or choose another revision.',
        ),
      ),
    );
  });
}

function violationsOf(amounts: Amounts, bounds: JsonObject | undefined, side: 'above' | 'below') {
  return Object.entries(bounds ?? {}).flatMap(([name, value]) => {
    const bound = amountOf(value);
    const amount = amounts.get(name);
    if (bound === undefined || amount === undefined) return [];
    return (side === 'above' ? amount > bound : amount < bound)
      ? [{ name, bound: typeof value === 'string' ? value : String(bound), side }]
      : [];
  });
}

function amountsOf(resources: JsonObject): Amounts {
  return new Map(
    Object.entries(resources).flatMap(([name, value]) => {
      const amount = amountOf(value);
      return amount === undefined ? [] : [[name, amount] as const];
    }),
  );
}

function withPrefix(amounts: Amounts, prefix: string): Amounts {
  const entries = [...amounts].filter(([name]) => name.startsWith(prefix));
  return new Map(entries.map(([name, amount]) => [name.slice(prefix.length), amount]));
}

/**
 * Whether the namespace's quotas have room for the most that the rollout needs beyond the current usage: the
 * surge, and what each pod needs more than the one that it replaces.
 * https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
async function checkQuota(input: CheckInput, defaults: Resources | undefined): Promise<Finding[]> {
  const quotas = await listAs(input, '/api/v1', 'resourcequotas');
  const needed = neededOf(input, defaults);
  const findings = quotas.flatMap((quota) =>
    isScoped(quota)
      ? [finding('info', 'quota_unchecked', `${nameOf(quota)} counts only some pods and was not checked.`)]
      : [...exceededFindings(quota, needed), ...unstatedFindings(quota, input, defaults)],
  );
  if (findings.length > 0 || quotas.length === 0) return findings;
  const names = quotas.map((quota) => textAt(quota, 'metadata', 'name') ?? '').join(', ');
  return [finding('passed', 'quota_room', `The quota has room for the rollout (${names}).`)];
}

/** How many pods more than desired may run at once, as Deployments and the other kinds specify it. */
function surgeOf({ spec }: Pick<Workload, 'spec'>, desired: number): number {
  for (const member of ['strategy', 'updateStrategy']) {
    const surge = valueAt(spec, member, 'rollingUpdate', 'maxSurge');
    if (surge !== undefined && textAt(spec, member, 'type') === 'RollingUpdate')
      return resolveAmount(surge, desired, Math.ceil);
  }
  return 0;
}

/** At most, while pods are replaced: pods that run the template already need nothing more. */
function neededOf({ current, template, to }: CheckInput, defaults: Resources | undefined): Amounts {
  const desired = current.kind.desiredPods(current.workload);
  const replaced = Math.max(0, desired - (to?.pods.total ?? 0));
  const { kind, workload } = current;
  const surge = Math.min(replaced, kind.surgePods?.(workload) ?? surgeOf(workload, desired));
  const before = podAmounts(current.template, defaults);
  const needed = new Map<string, number>([['pods', surge]]);
  for (const [name, amount] of podAmounts(template, defaults)) {
    const more = Math.max(0, amount - (before.get(name) ?? 0));
    needed.set(name, surge * amount + replaced * more);
  }
  return needed;
}

/** `cpu` and `memory` of a quota mean the requests. */
function memberOf(name: string): string {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' ? `requests.${name}` : name;
}

function exceededFindings(quota: JsonObject, needed: Amounts): Finding[] {
  return Object.entries(hardLimitsOf(quota)).flatMap(([name, value]): Finding[] => {
    const limit = amountOf(value);
    const used = amountOf(valueAt(quota, 'status', 'used', name)) ?? 0;
    const need = needed.get(memberOf(name)) ?? (name === 'count/pods' ? needed.get('pods') : undefined);
    if (limit === undefined || need === undefined || need <= 0 || used + need <= limit) return [];
    return [
      finding(
        'warning',
        'quota_exceeded',
        `${nameOf(quota)} allows ${pretty(limit)} ${name}, ${pretty(used)} are used, and the rollout needs up to ${pretty(need)} more: it may stop half way.`,
        'Make room first: raise the quota, or scale something down.',
      ),
    ];
  });
}

/** A quota on requests or limits rejects pods without them. */
function unstatedFindings(
  quota: JsonObject,
  { called, template }: CheckInput,
  defaults: Resources | undefined,
): Finding[] {
  const containers = containerResources(template, defaults);
  return Object.keys(hardLimitsOf(quota)).flatMap((name): Finding[] => {
    const [, kind, resource] = /^(requests|limits)\.(cpu|memory)$/.exec(memberOf(name)) ?? [];
    if ((kind !== 'requests' && kind !== 'limits') || resource === undefined) return [];
    const lacking = containers.filter((container) => container[kind][resource] === undefined);
    if (lacking.length === 0) return [];
    return [
      finding(
        'warning',
        'quota_requires',
        `${nameOf(quota)} asks every container for ${kind}.${resource}, and ${lacking.map(({ container }) => container).join(', ')} of ${called} states none: its pods will be refused.`,
        'Choose another revision, or give the namespace a LimitRange with defaults.',
      ),
    ];
  });
}

function isScoped(quota: JsonObject): boolean {
  return (
    valueAt(quota, 'spec', 'scopes') !== undefined || valueAt(quota, 'spec', 'scopeSelector') !== undefined
  );
}

function nameOf(quota: JsonObject): string {
  return `ResourceQuota ${textAt(quota, 'metadata', 'name') ?? ''}`;
}

function hardLimitsOf(quota: JsonObject): JsonObject {
  return objectAt(quota, 'status', 'hard') ?? objectAt(quota, 'spec', 'hard') ?? {};
}

function pretty(amount: number): string {
  return prettyQuantity(String(Math.round(amount * 1000) / 1000)) ?? String(amount);
}
