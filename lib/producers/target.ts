import { numberOfSource } from '@/lib/history/revision-order';
import { producerOf } from '@/lib/producers/producers';
import { ownerOf } from '@/lib/producers/stored-object';
import { textAt } from '@/lib/kube/read';
import { type RevisionSource, type Workload } from '@/lib/history/workload';

export interface TargetGuess {
  target: RevisionSource | null;
  /** The status's current revision, where the status distinguishes it from the target. */
  current: RevisionSource | null;
  /** Only the order of the revisions points to it. */
  isAssumed: boolean;
}

const TARGET_MEMBERS = [['updateRevision'], ['updatedRevision'], ['currentRevision']] as const;
const NUMBER_ANNOTATION = /\/revision$/;

/**
 * The revision that the owner requests, if its status or its annotations name one; else the newest, which is
 * only assumed. `oldestFirst` contains only revisions.
 */
export function guessTarget(
  workload: Workload,
  oldestFirst: readonly RevisionSource[],
  find: (identifier: string) => RevisionSource | undefined,
): TargetGuess {
  const newest = oldestFirst.at(-1) ?? null;
  const own = newest === null ? undefined : producerOf(ownerOf(newest))?.targetAt;
  const named = (path: readonly string[]) => findNamed(textAt(workload.status, ...path), oldestFirst, find);
  const current = named(['currentRevision']) ?? null;
  for (const path of [...TARGET_MEMBERS, ...(own ?? [])]) {
    const target = named(path);
    if (target !== undefined) return { target, current: current ?? target, isAssumed: false };
  }
  const numbered = findByAnnotation(workload, oldestFirst);
  if (numbered !== undefined) return { target: numbered, current: numbered, isAssumed: false };
  return { target: newest, current: newest, isAssumed: newest !== null };
}

/** A status may contain any suffix of the name. */
function findNamed(
  identifier: string | undefined,
  oldestFirst: readonly RevisionSource[],
  find: (identifier: string) => RevisionSource | undefined,
): RevisionSource | undefined {
  if (identifier === undefined || identifier === '') return undefined;
  return find(identifier) ?? oldestFirst.findLast(({ name }) => name.endsWith(`-${identifier}`));
}

function findByAnnotation(
  { annotations }: Workload,
  oldestFirst: readonly RevisionSource[],
): RevisionSource | undefined {
  for (const [key, value] of Object.entries(annotations)) {
    if (!NUMBER_ANNOTATION.test(key) || !/^\d+$/.test(value)) continue;
    const found = oldestFirst.findLast((source) => numberOfSource(source) === Number(value));
    if (found !== undefined) return found;
  }
  return undefined;
}
