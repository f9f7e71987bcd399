import type { KubeObject } from '@/lib/kube/object';

import { kinds, type WorkloadScript } from '@/e2e/records/script-steps';
import { isReady, type VirtualSandbox } from '@/e2e/records/virtual-sandbox';

const NODES = 4;

/** What can be observed of one rollout from its pods alone. */
export interface ObservedRollout {
  /** Milliseconds since the epoch. */
  readonly begun: number;
  complete: number | null;
  /** uids of the pods that were created for it. */
  readonly pods: Set<string>;
}

interface TrackedScript {
  readonly script: WorkloadScript;
  observed: ObservedRollout | null;
}

/** Observes when the rollouts of scripts are complete, by the pods alone, and when revisions are pruned. */
export class GroundTruth {
  readonly #sandbox: VirtualSandbox;
  readonly #tracked: TrackedScript[];
  readonly #sources = new Map<string, number | null>();

  constructor(sandbox: VirtualSandbox, scripts: readonly WorkloadScript[]) {
    this.#sandbox = sandbox;
    this.#tracked = scripts.map((script) => ({ script, observed: null }));
  }

  /** When the source object with this uid was deleted; null while it exists, undefined where it never did. */
  deletedAt(uid: string): number | null | undefined {
    return this.#sources.get(uid);
  }

  beginRollout(script: WorkloadScript): ObservedRollout {
    const observed: ObservedRollout = { begun: this.#sandbox.clock.now(), complete: null, pods: new Set() };
    for (const watched of this.#tracked) if (watched.script === script) watched.observed = observed;
    return observed;
  }

  observe(): void {
    const now = this.#sandbox.clock.now();
    const sources = [...this.#sandbox.list('replicasets'), ...this.#sandbox.list('controllerrevisions')];
    const currentUids = new Set(sources.map(({ metadata }) => metadata.uid));
    for (const uid of currentUids) this.#sources.set(uid, null);
    for (const [uid, gone] of this.#sources)
      if (gone === null && !currentUids.has(uid)) this.#sources.set(uid, now);
    const pods = this.#sandbox.list('pods').filter(isActive);
    for (const { script, observed } of this.#tracked) {
      if (observed === null || observed.complete !== null) continue;
      const workload = this.#sandbox
        .list(kinds[script.kind])
        .find(({ metadata }) => metadata.name === script.name);
      if (workload === undefined) continue;
      const ofScript = pods.filter(({ metadata }) => metadata.labels?.['app'] === script.name);
      const targetKey = templateKeyOf((workload.spec as unknown as { template: KubeObject }).template);
      const mine = ofScript.filter((pod) => templateKeyOf(pod) === targetKey);
      for (const { metadata } of mine)
        if (Date.parse(metadata.creationTimestamp ?? '') >= observed.begun) observed.pods.add(metadata.uid);
      const size = script.kind === 'DaemonSet' ? NODES : (workload.spec as { replicas: number }).replicas;
      // Without pods it is not complete: it is when the first ones are.
      const isWhole = size > 0 && ofScript.length === size && mine.length === size;
      if (isWhole && mine.every(isReady)) observed.complete = now;
    }
  }
}

/** The fields of a template that the scripts change. */
function templateKeyOf({ metadata, spec }: Pick<KubeObject, 'metadata' | 'spec'>): string {
  const { containers } = spec as { containers: { image: string; env?: unknown }[] };
  const { image, env } = containers[0] ?? {};
  return JSON.stringify([image, env ?? null, metadata.annotations ?? null]);
}

function isActive({ metadata, status }: KubeObject): boolean {
  const { phase } = status as { phase?: string };
  return metadata.deletionTimestamp === undefined && phase !== 'Failed' && phase !== 'Succeeded';
}
