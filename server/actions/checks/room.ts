import 'server-only';
import type { JsonObject } from '@/lib/kube/json';
import {
  amountOf,
  type Amounts,
  containerAmounts,
  podAmounts,
  type Resources,
} from '@/lib/kube/pod-resources';
import { prettyQuantity } from '@/lib/kube/quantity';
import { objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { finding, type Finding } from '@/lib/workloads/plan';
import { type CheckedTemplate, type CheckInput, listAs, runCheck } from '@/server/actions/checks/check';

/**
 * Whether LimitRanges and quotas have room for the pods. A quota counts with the defaults of the LimitRanges, where the
 * viewer is allowed to read these.
 */
export async function checkRoom(input: CheckInput, stored: Promise<CheckedTemplate>): Promise<Finding[]> {
  const ranges = readLimitRanges(input);
  const findings = await Promise.all([
    runCheck('limit_range', 'LimitRanges', async () => checkLimits(await stored, await ranges)),
    runCheck('quota', 'ResourceQuotas', async () =>
      checkQuota(
        input,
        stored,
        await ranges.then(
          ({ defaults }) => defaults,
          () => undefined,
        ),
      ),
    ),
  ]);
  return findings.flat();
}

interface LimitRanges {
  /** Of each entry: the name of its LimitRange, and the type of object that it is for. */
  limits: readonly { range: string; type: string; limit: JsonObject }[];
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

/** The bounds of a LimitRange, and what they are for. */
const bounds = [
  { member: 'max', of: 'limits', allows: 'at most', isOther: 'above', sign: 1 },
  { member: 'min', of: 'requests', allows: 'at least', isOther: 'below', sign: -1 },
] as const;

/**
 * Bounds that the pods of the template break; the API server would then reject each of them.
 * https://kubernetes.io/docs/concepts/policy/limit-range/
 */
function checkLimits({ template, called }: CheckedTemplate, { limits, defaults }: LimitRanges): Finding[] {
  const containers = containerAmounts(template, defaults).map(({ container, amounts }) => ({
    what: `container ${container}`,
    amounts,
  }));
  const pod = { what: 'a pod', amounts: podAmounts(template, defaults) };
  return limits.flatMap(({ range, type, limit }) => {
    const subjects = type === 'Container' ? containers : type === 'Pod' ? [pod] : [];
    return subjects.flatMap(({ what, amounts }) =>
      bounds.flatMap(({ member, of, allows, isOther, sign }) =>
        Object.entries(objectAt(limit, member) ?? {}).flatMap(([name, value]) => {
          const bound = amountOf(value);
          const amount = amounts.get(`${of}.${name}`);
          if (bound === undefined || amount === undefined || (amount - bound) * sign <= 0) return [];
          const given = typeof value === 'string' ? value : bound;
          const message = `LimitRange ${range} allows ${allows} ${given} ${name}, but ${what} of ${called} is ${isOther} that: pods will be rejected.`;
          const remedy = 'Change the LimitRange first, or choose another revision.';
          return [finding('warning', 'limit_range', message, remedy)];
        }),
      ),
    );
  });
}

/**
 * Whether the namespace's quotas have room for the most that the rollout needs beyond the current usage: the
 * surge, and what each pod needs more than the one that it replaces.
 * https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
async function checkQuota(
  input: CheckInput,
  stored: Promise<CheckedTemplate>,
  defaults: Resources | undefined,
): Promise<Finding[]> {
  const quotas = await listAs(input, '/api/v1', 'resourcequotas');
  const checked = await stored;
  const needed = neededOf(input, checked, defaults);
  const findings = quotas.flatMap((quota) =>
    isScoped(quota)
      ? [finding('info', 'quota_unchecked', `${nameOf(quota)} has scopes and was not checked.`)]
      : [...exceededFindings(quota, needed), ...unstatedFindings(quota, checked, defaults)],
  );
  if (findings.length > 0 || quotas.length === 0) return findings;
  const names = quotas.map((quota) => textAt(quota, 'metadata', 'name') ?? '').join(', ');
  return [finding('passed', 'quota_room', `Quota is sufficient (${names}).`)];
}

/** At most, while pods are replaced: pods that run the template already need nothing more. */
function neededOf(
  { current }: CheckInput,
  { template, to }: CheckedTemplate,
  defaults: Resources | undefined,
): Amounts {
  const { desiredPods, surgePods = 0 } = current.kind.settings(current.workload);
  const replaced = Math.max(0, desiredPods - (to?.pods.total ?? 0));
  const surge = Math.min(replaced, surgePods);
  const before = podAmounts(current.currentTemplate, defaults);
  const needed = new Map<string, number>([['pods', surge]]);
  for (const [name, amount] of podAmounts(template, defaults)) {
    const more = Math.max(0, amount - (before.get(name) ?? 0));
    needed.set(name, surge * amount + replaced * more);
  }
  return needed;
}

/** `cpu` and `memory` of a quota mean the requests. */
function memberOf(name: string): string {
  if (name === 'count/pods') return 'pods';
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' ? `requests.${name}` : name;
}

function exceededFindings(quota: JsonObject, needed: Amounts): Finding[] {
  return Object.entries(hardLimitsOf(quota)).flatMap(([name, value]): Finding[] => {
    const limit = amountOf(value);
    const used = amountOf(valueAt(quota, 'status', 'used', name)) ?? 0;
    const need = needed.get(memberOf(name));
    if (limit === undefined || need === undefined || need <= 0 || used + need <= limit) return [];
    return [
      finding(
        'warning',
        'quota_exceeded',
        `${nameOf(quota)} allows ${pretty(limit)} ${name}, ${pretty(used)} are used, and the rollout needs up to ${pretty(need)} more: it may stall.`,
        'Raise the quota or scale something down first.',
      ),
    ];
  });
}

/** A quota on requests or limits rejects pods without them. */
function unstatedFindings(
  quota: JsonObject,
  { called, template }: CheckedTemplate,
  defaults: Resources | undefined,
): Finding[] {
  const containers = containerAmounts(template, defaults);
  return Object.keys(hardLimitsOf(quota)).flatMap((name): Finding[] => {
    const member = memberOf(name);
    if (!/^(requests|limits)\.(cpu|memory)$/.test(member)) return [];
    const lacking = containers.filter(({ amounts }) => !amounts.has(member));
    if (lacking.length === 0) return [];
    return [
      finding(
        'warning',
        'quota_requires',
        `${nameOf(quota)} requires ${member} for every container, but ${lacking.map(({ container }) => container).join(', ')} of ${called} sets none: pods will be rejected.`,
        'Choose another revision, or add a LimitRange with defaults to the namespace.',
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
