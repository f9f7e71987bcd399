import 'server-only';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type Finding } from '@/lib/workloads/plan';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { type CheckInput, readAs } from '@/server/actions/checks/check';
import {
  amountOf,
  containerResources,
  type Defaults,
  podAmounts,
} from '@/server/actions/checks/pod-resources';

/** A LimitRange's entry for one type of object. */
interface Limit {
  range: string;
  type: string;
  limit: JsonObject;
}

export interface LimitRanges {
  limits: readonly Limit[];
  defaults: Defaults;
}

export async function readLimitRanges(input: CheckInput): Promise<LimitRanges> {
  const { namespace } = input.current.workload;
  const list = await readAs(input, `/api/v1/namespaces/${encodeURIComponent(namespace)}/limitranges`);
  const limits = objectsAt(list, 'items').flatMap((range) =>
    objectsAt(range, 'spec', 'limits').map((limit) => ({
      range: textAt(range, 'metadata', 'name') ?? '',
      type: textAt(limit, 'type') ?? '',
      limit,
    })),
  );
  const containers = limits.filter(({ type }) => type === 'Container');
  const defaults = { requests: {}, limits: {} };
  for (const { limit } of containers) {
    Object.assign(defaults.limits, limit.default);
    Object.assign(defaults.requests, limit.defaultRequest);
  }
  return { limits, defaults };
}

/**
 * Bounds that the pods of the template break; the API server would then reject each of them.
 * https://kubernetes.io/docs/concepts/policy/limit-range/
 */
export function checkLimits({ template, called }: CheckInput, { limits, defaults }: LimitRanges): Finding[] {
  const perContainer = containerResources(template, defaults).map(
    ({ container, requests, limits: upper }) => ({
      what: `container ${container}`,
      requests: amountsOf(requests),
      limits: amountsOf(upper),
    }),
  );
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
      ].map(({ name, bound, side }): Finding => ({
        severity: 'warning',
        code: 'limit_range',
        message: `LimitRange ${range} allows ${side === 'above' ? 'at most' : 'at least'} ${bound} ${name}; ${subject.what} of ${called} is ${side} it: its pods will be refused.`,
        action: 'Change the LimitRange first, or choose another revision.',
      })),
    );
  });
}

function violationsOf(
  amounts: ReadonlyMap<string, number>,
  bounds: JsonObject | undefined,
  side: 'above' | 'below',
) {
  return Object.entries(isJsonObject(bounds) ? bounds : {}).flatMap(([name, value]) => {
    const bound = amountOf(value);
    const amount = amounts.get(name);
    if (bound === undefined || amount === undefined) return [];
    return (side === 'above' ? amount > bound : amount < bound)
      ? [{ name, bound: typeof value === 'string' ? value : String(bound), side }]
      : [];
  });
}

function amountsOf(resources: JsonObject): Map<string, number> {
  return new Map(
    Object.entries(resources).flatMap(([name, value]) => {
      const amount = amountOf(value);
      return amount === undefined ? [] : [[name, amount] as const];
    }),
  );
}

function withPrefix(amounts: ReadonlyMap<string, number>, prefix: string): Map<string, number> {
  const entries = [...amounts].filter(([name]) => name.startsWith(prefix));
  return new Map(entries.map(([name, amount]) => [name.slice(prefix.length), amount]));
}
