import { parseQuantity, type Quantity } from '@/lib/kube/quantity';
import { type Container, type PodSpec } from '@/sandbox/controllers/objects/pod';

/** Amounts by the name of the resource, in thousandths of its unit. */
export type Reserved = ReadonlyMap<string, bigint>;

/**
 * What the scheduler reserves for a pod: the sum over its containers, or what an init container needs alone
 * if that is more.
 * https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
export function requestsOf(spec: PodSpec): Reserved {
  const amounts = known.get(spec) ?? summedUp(spec);
  known.set(spec, amounts);
  return amounts;
}

/** Cached, since each new pod is compared with all others. */
const known = new WeakMap<PodSpec, Reserved>();

function summedUp({ containers, initContainers, overhead }: PodSpec): Reserved {
  const sidecars = (initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const running = total([...containers, ...sidecars].map(requested));
  const starting = (initContainers ?? []).filter((container) => !sidecars.includes(container)).map(requested);
  const peak = starting.reduce(larger, running);
  return total([peak, amountsOf(overhead)]);
}

export function amountsOf(quantities: Readonly<Record<string, number | string>> | undefined): Reserved {
  return new Map(
    Object.entries(quantities ?? {}).flatMap(([name, text]) => {
      const quantity = parseQuantity(text);
      return quantity === undefined ? [] : [[name, milliOf(quantity)] as const];
    }),
  );
}

export function total(all: readonly Reserved[]): Map<string, bigint> {
  const sum = new Map<string, bigint>();
  for (const amounts of all)
    for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0n) + amount);
  return sum;
}

function requested({ resources }: Container): Reserved {
  return amountsOf(resources?.requests);
}

function larger(a: Reserved, b: Reserved): Reserved {
  const result = new Map(a);
  for (const [name, amount] of b) if (amount > (result.get(name) ?? 0n)) result.set(name, amount);
  return result;
}

function milliOf({ digits, exponent }: Quantity): bigint {
  const shift = exponent + 3;
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
}
