import type { JsonObject } from '@/lib/kube/json';
import { parseQuantity } from '@/lib/kube/quantity';
import { podTemplatesOf } from '@/lib/kube/pod-templates';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';

/** Amounts by name as a quota names them: `requests.cpu`, `limits.memory`, in units (cores, bytes). */
export type Amounts = ReadonlyMap<string, number>;

/** Requests and limits, such as the defaults of a LimitRange of type Container. */
export interface Resources {
  requests: JsonObject;
  limits: JsonObject;
}

interface ContainerAmounts {
  container: string;
  init: boolean;
  /** An init container that keeps running. */
  sidecar: boolean;
  amounts: Amounts;
}

/** A quantity as a plain number, exact enough for an estimate; undefined if it is none. */
export function amountOf(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const quantity = parseQuantity(value);
  return quantity === undefined ? undefined : Number(quantity.digits) * 10 ** quantity.exponent;
}

/**
 * The amounts of each container; a limit without a request is the request too, as the API server defaults
 * it.
 */
export function containerAmounts(template: JsonObject, defaults?: Resources): ContainerAmounts[] {
  return podTemplatesOf(template).flatMap((part) => containerAmountsOfPart(part.template, defaults));
}

function containerAmountsOfPart(part: JsonObject, defaults?: Resources): ContainerAmounts[] {
  return (['initContainers', 'containers'] as const).flatMap((list) =>
    objectsAt(part, 'spec', list).map((container) => {
      const limits = objectAt(container, 'resources', 'limits');
      const requests = objectAt(container, 'resources', 'requests');
      const init = list === 'initContainers';
      return {
        container: textAt(container, 'name') ?? '',
        init,
        sidecar: init && container.restartPolicy === 'Always',
        amounts: amountsOf({
          requests: { ...defaults?.requests, ...limits, ...requests },
          limits: { ...defaults?.limits, ...limits },
        }),
      };
    }),
  );
}

function amountsOf(resources: Resources): Amounts {
  const amounts = new Map<string, number>();
  for (const member of ['requests', 'limits'] as const) {
    for (const [name, value] of Object.entries(resources[member])) {
      const amount = amountOf(value);
      if (amount !== undefined) amounts.set(`${member}.${name}`, amount);
    }
  }
  return amounts;
}

/** The usage that a quota counts for one pod; where leaders and workers differ, the larger amount of each. */
export function podAmounts(template: JsonObject, defaults?: Resources): Amounts {
  const most = new Map<string, number>();
  for (const part of podTemplatesOf(template)) {
    for (const [name, amount] of amountsOfPart(part.template, defaults))
      most.set(name, Math.max(amount, most.get(name) ?? 0));
  }
  return most;
}

/**
 * The usage that a quota counts for one pod: all containers and sidecars together, or the largest init
 * container where that is more.
 * https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
function amountsOfPart(template: JsonObject, defaults?: Resources): Amounts {
  const containers = containerAmountsOfPart(template, defaults);
  const overhead = objectAt(template, 'spec', 'overhead') ?? {};
  const sums = new Map<string, number>();
  for (const name of new Set(containers.flatMap(({ amounts }) => [...amounts.keys()]))) {
    const of = ({ amounts }: ContainerAmounts) => amounts.get(name) ?? 0;
    const running = containers
      .filter(({ init, sidecar }) => !init || sidecar)
      .reduce((sum, container) => sum + of(container), 0);
    const largest = Math.max(0, ...containers.filter(({ init, sidecar }) => init && !sidecar).map(of));
    const resource = name.slice(name.indexOf('.') + 1);
    sums.set(name, Math.max(running, largest) + (amountOf(overhead[resource]) ?? 0));
  }
  return sums;
}
