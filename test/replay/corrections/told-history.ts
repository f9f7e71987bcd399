import { controllerUidOf, groupOf, type KubeObject } from '@/lib/kube/object';
import type { Row } from '@/test/replay/judge';

/** A revision as a golden file tells it, with the object that records it. */
export interface ToldRevision {
  name: string;
  /** All that is told of it, the name first. */
  text: string;
  isTarget: boolean;
  ready: number;
  source: KubeObject;
}

/** A workload and the history that a golden file tells of it, newest first. */
export interface ToldHistory {
  /** Absent: an owner of which only the revisions are known. */
  workload: KubeObject | undefined;
  revisions: readonly ToldRevision[];
}

const NUMBERS = ['deployment.kubernetes.io/revision', 'rollout.argoproj.io/revision'];

export function readTold({ of, facts }: Row, objects: readonly KubeObject[]): ToldHistory {
  const [resource = '', place = ''] = of.split(' ');
  const name = place.split('/').at(-1);
  const workload = objects.find((each) => each.metadata.name === name && resourceOf(each) === resource);
  // Those that share a number are told newest first.
  const unused = objects
    .filter(({ kind }) => kind === 'ReplicaSet' || kind === 'ControllerRevision')
    .filter((source) => controllerUidOf(source) === workload?.metadata.uid)
    .sort(compareNewestFirst);
  const revisions = (facts?.history ?? '').split(', ').flatMap((text): ToldRevision[] => {
    const [revision = '', ...words] = text.split(' ');
    const found = unused.findIndex(
      (source) => numberOf(source) === revision || source.metadata.name === revision,
    );
    const [source] = found === -1 ? [] : unused.splice(found, 1);
    if (source === undefined) return [];
    const [ready = ''] = words.find((word) => /^\d+\/\d+$/.test(word))?.split('/') ?? [];
    const isTarget = /^[A-Z]*T[A-Z]*$/.test(words[0] ?? '');
    return [{ name: revision, text, isTarget, ready: Number(ready), source }];
  });
  return { workload, revisions };
}

/** The resource of an object as rows name it. */
export function resourceOf({ apiVersion, kind }: KubeObject): string {
  return `${kind.toLowerCase()}s.${groupOf(apiVersion)}`;
}

function compareNewestFirst({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp > b.creationTimestamp ? -1 : 1;
  return a.name > b.name ? -1 : 1;
}

/** As it is told: a number that is absent is 0. */
export function numberOf({ metadata, revision, kind }: KubeObject): string {
  if (kind === 'ControllerRevision') return String(revision ?? 0);
  return NUMBERS.flatMap((key) => metadata.annotations?.[key] ?? [])[0] ?? '0';
}
