import { type KubeObject } from '@/lib/kube/object';

import { kinds, type Story } from '@/e2e/ledger/acts';
import { isReady, type Stage } from '@/e2e/ledger/stage';

const NODES = 4;

/** What can be seen of one rollout with a look at nothing but pods. */
export interface Course {
  /** Milliseconds since the epoch. */
  readonly begun: number;
  complete: number | null;
  /** uids of the pods that came for it. */
  readonly pods: Set<string>;
}

interface Watched {
  readonly story: Story;
  course: Course | null;
}

/** Sees when the rollouts of stories are complete, by the pods alone, and when revisions disappear. */
export class Truth {
  readonly #stage: Stage;
  readonly #watched: Watched[];
  readonly #sources = new Map<string, number | null>();

  constructor(stage: Stage, stories: readonly Story[]) {
    this.#stage = stage;
    this.#watched = stories.map((story) => ({ story, course: null }));
  }

  /** When the source object with this uid was seen no more; null while it is there, undefined where it never was. */
  goneAt(uid: string): number | null | undefined {
    return this.#sources.get(uid);
  }

  begin(story: Story): Course {
    const course: Course = { begun: this.#stage.clock.now(), complete: null, pods: new Set() };
    for (const watched of this.#watched) if (watched.story === story) watched.course = course;
    return course;
  }

  look(): void {
    const now = this.#stage.clock.now();
    const sources = [...this.#stage.list('replicasets'), ...this.#stage.list('controllerrevisions')];
    const present = new Set(sources.map(({ metadata }) => metadata.uid));
    for (const uid of present) this.#sources.set(uid, null);
    for (const [uid, gone] of this.#sources)
      if (gone === null && !present.has(uid)) this.#sources.set(uid, now);
    const pods = this.#stage.list('pods').filter(isActive);
    for (const { story, course } of this.#watched) {
      if (course === null || course.complete !== null) continue;
      const workload = this.#stage
        .list(kinds[story.kind])
        .find(({ metadata }) => metadata.name === story.name);
      if (workload === undefined) continue;
      const own = pods.filter(({ metadata }) => metadata.labels?.['app'] === story.name);
      const wanted = marksOf((workload.spec as unknown as { template: KubeObject }).template);
      const mine = own.filter((pod) => marksOf(pod) === wanted);
      for (const { metadata } of mine)
        if (Date.parse(metadata.creationTimestamp ?? '') >= course.begun) course.pods.add(metadata.uid);
      const size = story.kind === 'DaemonSet' ? NODES : (workload.spec as { replicas: number }).replicas;
      if (own.length === size && mine.length === size && mine.every(isReady)) course.complete = now;
    }
  }
}

/** What of a template the stories change. */
function marksOf({ metadata, spec }: Pick<KubeObject, 'metadata' | 'spec'>): string {
  const { containers } = spec as { containers: { image: string; env?: unknown }[] };
  const { image, env } = containers[0] ?? {};
  return JSON.stringify([image, env ?? null, metadata.annotations ?? null]);
}

function isActive({ metadata, status }: KubeObject): boolean {
  const { phase } = status as { phase?: string };
  return metadata.deletionTimestamp === undefined && phase !== 'Failed' && phase !== 'Succeeded';
}
