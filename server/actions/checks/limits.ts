import 'server-only';
import { type JsonObject } from '@/lib/kube/json';
import {
  amountOf,
  type Amounts,
  containerResources,
  podAmounts,
  type Resources,
} from '@/lib/kube/pod-resources';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { finding, type Finding } from '@/lib/workloads/plan';
import { type CheckInput, listAs } from '@/server/actions/checks/check';

/** A LimitRange's entry for one type of object. */
interface Limit {
  range: string;
  type: string;
  limit: JsonObject;
}

export interface LimitRanges {
  limits: readonly Limit[];
  defaults: Resources;
}

export async function readLimitRanges(input: CheckInput): Promise<LimitRanges> {
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
export function checkLimits({ template, called }: CheckInput, { limits, defaults }: LimitRanges): Finding[] {
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
