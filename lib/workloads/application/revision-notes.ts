import { publishVersionOf } from '@/lib/workloads/application/revision-names';
import { KUBEVELA_VERSION } from '@/lib/workloads/application/resource';
import { type RevisionRun, type RevisionSource } from '@/lib/history/workload';

/** How the rollout of a revision ended by its own status; `null` where that is as expected. */
const RUN_TEXT: Readonly<Record<RevisionRun['state'], string>> = {
  notStarted: 'workflow not started',
  running: 'workflow running, or failed without a report',
  suspended: 'workflow suspended',
  terminated: 'workflow terminated',
  failed: 'workflow failed',
  succeeded: 'succeeded',
};

/**
 * What an ApplicationRevision reports about itself: its outcome, its publishVersion, its version of KubeVela.
 */
export function revisionNotes(source: RevisionSource): string[] {
  const { run, annotations } = source;
  const published = publishVersionOf(source);
  const version = Object.hasOwn(annotations, KUBEVELA_VERSION) ? annotations[KUBEVELA_VERSION] : undefined;
  return [
    ...(run === undefined ? [] : [RUN_TEXT[run.state]]),
    ...(published === null || published === '' ? [] : [`published as ${published}`]),
    ...(version === undefined || version === '' ? [] : [`KubeVela ${version}`]),
  ];
}
