import { type JsonObject } from '@/lib/kube/json';
import { parseQuantity } from '@/lib/kube/quantity';
import { podTemplatesOf } from '@/lib/kube/pod-templates';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { type Template } from '@/lib/history/workload';

/** Amounts by name as a quota names them: `requests.cpu`, `limits.memory`, in units (cores, bytes). */
export type Amounts = ReadonlyMap<string, number>;

export interface ContainerResources {
  container: string;
  requests: JsonObject;
  limits: JsonObject;
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
export function containerResources(template: Template, defaults?: Defaults): ContainerResources[] {
  return podTemplatesOf(template).flatMap((part) => resourcesOfPart(part.template, defaults));
}

function resourcesOfPart(part: JsonObject, defaults?: Defaults): ContainerResources[] {
  return [
    ...readContainers(part, 'initContainers', defaults),
    ...readContainers(part, 'containers', defaults),
  ];
}

/** Defaults of a LimitRange of type Container. */
export interface Defaults {
  requests: JsonObject;
  limits: JsonObject;
}

function readContainers(
  template: JsonObject,
  list: 'containers' | 'initContainers',
  defaults?: Defaults,
): ContainerResources[] {
  return objectsAt(template, 'spec', list).map((container) => {
    const statedLimits = objectAt(container, 'resources', 'limits') ?? {};
    const limits = { ...defaults?.limits, ...statedLimits };
    const requests = {
      ...defaults?.requests,
      ...statedLimits,
      ...objectAt(container, 'resources', 'requests'),
    };
    return {
      container: textAt(container, 'name') ?? '',
      requests,
      limits,
      init: list === 'initContainers',
      sidecar: list === 'initContainers' && container.restartPolicy === 'Always',
    };
  });
}

/** The usage that a quota counts for one pod; where leaders and workers differ, the larger amount of each. */
export function podAmounts(template: Template, defaults?: Defaults): Amounts {
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
function amountsOfPart(template: JsonObject, defaults?: Defaults): Amounts {
  const containers = resourcesOfPart(template, defaults);
  const amounts = new Map<string, number>();
  for (const kind of classes) {
    const names = new Set(containers.flatMap((container) => Object.keys(container[kind])));
    const overhead = objectAt(template, 'spec', 'overhead') ?? {};
    for (const name of names) {
      const of = (container: ContainerResources) => amountOf(container[kind][name]) ?? 0;
      const running = containers
        .filter(({ init, sidecar }) => !init || sidecar)
        .reduce((sum, c) => sum + of(c), 0);
      const largest = Math.max(0, ...containers.filter(({ init, sidecar }) => init && !sidecar).map(of));
      amounts.set(`${kind}.${name}`, Math.max(running, largest) + (amountOf(overhead[name]) ?? 0));
    }
  }
  return amounts;
}
