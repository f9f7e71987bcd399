import { type JsonObject } from '@/lib/kube/json';
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

export interface ContainerResources extends Resources {
  container: string;
  init: boolean;
  /** An init container that keeps running. */
  sidecar: boolean;
}

const classes = ['requests', 'limits'] as const;

/** A quantity as a plain number, exact enough for an estimate; undefined if it is none. */
export function amountOf(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const quantity = parseQuantity(value);
  return quantity === undefined ? undefined : Number(quantity.digits) * 10 ** quantity.exponent;
}

/**
 * The requests of each container; a limit without a request is the request too, as the API server defaults
 * it.
 */
export function containerResources(template: JsonObject, defaults?: Resources): ContainerResources[] {
  return podTemplatesOf(template).flatMap((part) => resourcesOfPart(part.template, defaults));
}

function resourcesOfPart(part: JsonObject, defaults?: Resources): ContainerResources[] {
  return (['initContainers', 'containers'] as const).flatMap((list) =>
    objectsAt(part, 'spec', list).map((container) => {
      const limits = objectAt(container, 'resources', 'limits');
      const requests = objectAt(container, 'resources', 'requests');
      const init = list === 'initContainers';
      return {
        container: textAt(container, 'name') ?? '',
        requests: { ...defaults?.requests, ...limits, ...requests },
        limits: { ...defaults?.limits, ...limits },
        init,
        sidecar: init && container.restartPolicy === 'Always',
      };
    }),
  );
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
  const containers = resourcesOfPart(template, defaults);
  const overhead = objectAt(template, 'spec', 'overhead') ?? {};
  const amounts = new Map<string, number>();
  for (const kind of classes) {
    for (const name of new Set(containers.flatMap((container) => Object.keys(container[kind])))) {
      const of = (container: ContainerResources) => amountOf(container[kind][name]) ?? 0;
      const running = containers
        .filter(({ init, sidecar }) => !init || sidecar)
        .reduce((sum, container) => sum + of(container), 0);
      const largest = Math.max(0, ...containers.filter(({ init, sidecar }) => init && !sidecar).map(of));
      amounts.set(`${kind}.${name}`, Math.max(running, largest) + (amountOf(overhead[name]) ?? 0));
    }
  }
  return amounts;
}
