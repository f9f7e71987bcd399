import { publishVersionOf } from '@/lib/workloads/application/marks';
import { KUBEVELA_VERSION } from '@/lib/workloads/application/resource';
import { type RevisionRun, type RevisionSource } from '@/lib/workloads/workload';

/** How the rollout of a revision went by its own account; `null` where that is as expected. */
const RUN_WORDS: Readonly<Record<RevisionRun['state'], string>> = {
  notStarted: 'workflow not started',
  running: 'workflow running, or failed without a word',
  suspended: 'workflow suspended',
  terminated: 'workflow terminated',
  failed: 'workflow failed',
  succeeded: 'succeeded',
};

/** What an ApplicationRevision says of itself: how it went, under which publishVersion, by which KubeVela. */
export function notesOnRevision(source: RevisionSource): string[] {
  const { run, annotations } = source;
  const published = publishVersionOf(source);
  const version = Object.hasOwn(annotations, KUBEVELA_VERSION) ? annotations[KUBEVELA_VERSION] : undefined;
  return [
    ...(run === undefined ? [] : [RUN_WORDS[run.state]]),
    ...(published === null || published === '' ? [] : [`published as ${published}`]),
    ...(version === undefined || version === '' ? [] : [`KubeVela ${version}`]),
  ];
}
