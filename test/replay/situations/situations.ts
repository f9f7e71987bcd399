import type { Recording } from '@/test/replay/recording';
import { application } from './application';
import { argoRollout } from './argo';
import { advancedDaemonSet, advancedStatefulSet, cloneSet } from './kruise';
import { leaderWorkerSet } from './leader-worker-set';
import { daemonSet, deployment, statefulSet } from './native';
import { oamRollout } from './oam';
import { kruiseRollout } from './openkruise';
import { flaggerCanary, ownedRevisions } from './others';
import { type KubeObject, type Play, Scene } from './scene';

/** Situations of each kind, in so many streams with clocks of their own. */
const SITUATIONS = 2_000;
const CHUNK = 250;
const START_MS = Date.parse('2026-03-02T09:00:00Z');
/** By stream: seconds from the first moment to the second, and on to the third, within and past deadlines. */
const GAPS = [
  [5, 60],
  [60, 660],
  [660, 5],
  [5, 5],
  [60, 60],
  [660, 660],
  [5, 660],
  [1_800, 60],
] as const;
/** Changes are over when a mark comes. */
const SETTLE_MS = 2_000;

const kinds: Readonly<Record<string, (scene: Scene) => Play>> = {
  'deployments.apps': deployment,
  'statefulsets.apps': statefulSet,
  'daemonsets.apps': daemonSet,
  'clonesets.apps.kruise.io': cloneSet,
  'statefulsets.apps.kruise.io': advancedStatefulSet,
  'daemonsets.apps.kruise.io': advancedDaemonSet,
  'leaderworkersets.leaderworkerset.x-k8s.io': leaderWorkerSet,
  'rollouts.argoproj.io': argoRollout,
  'applications.core.oam.dev': application,
  'controllerrevisions.apps': ownedRevisions,
  'rollouts.rollouts.kruise.io': kruiseRollout,
  'canaries.flagger.app': flaggerCanary,
  'rollouts.standard.oam.dev': oamRollout,
};

/** Generated streams of every kind of workload and system of rollouts, by the id of its resource. */
export const situations: ReadonlyMap<string, () => Recording[]> = new Map(
  Object.entries(kinds).map(([kind, play]) => [kind, () => streamsOf(kind, play)]),
);

function streamsOf(kind: string, playOf: (scene: Scene) => Play): Recording[] {
  return GAPS.map((gaps, chunk) => streamOf(kind, playOf, chunk, gaps)).slice(0, SITUATIONS / CHUNK);
}

/** Each situation has a namespace of its own, and all of them change at the same three moments. */
function streamOf(
  kind: string,
  playOf: (scene: Scene) => Play,
  chunk: number,
  gaps: readonly [number, number],
): Recording {
  const startMs = START_MS + chunk * 86_400_000;
  const stream = new Stream();
  const scenes = Array.from({ length: CHUNK }, (_, index) => new Scene(kind, chunk * CHUNK + index));
  const plays: Play[] = [];
  let t = 10_000;
  for (let moment = 0; moment < 3; moment += 1) {
    for (const [index, scene] of scenes.entries()) {
      scene.now = startMs + t;
      const known = plays[index];
      const play = (plays[index] = known ?? playOf(scene));
      if (moment === 2 && scene.chance(40)) continue;
      if (known !== undefined) play.change();
      stream.show(index, play.render(), t);
    }
    stream.lines.push({ t: t + SETTLE_MS, act: `mark: ${moment + 1}` });
    t += (gaps[moment] ?? 0) * 1_000;
  }
  return { startMs, namespace: '', lines: stream.lines };
}

/** Turns the objects of a moment into watch events: only what differs from the moment before. */
class Stream {
  readonly lines: Recording['lines'] = [];
  /** By situation and uid, as JSON. */
  readonly #known = new Map<number, Map<string, string>>();
  #version = 0;

  show(situation: number, objects: readonly KubeObject[], t: number): void {
    const before = this.#known.get(situation) ?? new Map<string, string>();
    const after = new Map(objects.map((object) => [object.metadata.uid, JSON.stringify(object)]));
    for (const [uid, text] of before) if (!after.has(uid)) this.#push(t, 'DELETED', text);
    for (const [uid, text] of after)
      if (before.get(uid) !== text) this.#push(t, before.has(uid) ? 'MODIFIED' : 'ADDED', text);
    this.#known.set(situation, after);
  }

  #push(t: number, type: 'ADDED' | 'MODIFIED' | 'DELETED', text: string): void {
    this.#version += 1;
    const object = JSON.parse(text) as Extract<Recording['lines'][number], { type: string }>['object'];
    object.metadata.resourceVersion = String(this.#version);
    this.lines.push({ t, type, object });
  }
}
