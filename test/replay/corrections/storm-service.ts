import type { KubeObject } from '@/lib/kube/object';
import { conditionAt, numberAt, textAt } from '@/lib/kube/read';
import { secondsAt } from '@/test/replay/facts/facts';
import type { Changes, Correction, RowScene } from '@/test/replay/judge';

const PATCH =
  '→ patch stormservices by orchestration.aibrix.ai/v1alpha1/stormservices/translator test /metadata/uid uid';

/** Of the month: a workload that the golden file does not have. The objects of each row say what is right. */
export const stormService: Correction = {
  name: 'a StormService is a workload with a state and records',
  source:
    'https://github.com/vllm-project/aibrix/blob/main/pkg/controller/stormservice/sync.go (updateStatus), revision.go',
  rows: { 'sandbox/month': 12 },
  applies: ({ of }) => /^(record )?stormservices\./.test(of),
  right: (_, row, scene) =>
    row.of.startsWith('record ') ? recordOf(readService(scene())) : workloadOf(readService(scene())),
};

interface Service {
  service: KubeObject;
  /** Newest first. */
  revisions: readonly KubeObject[];
  pods: readonly KubeObject[];
  secondsOf: (time: string | undefined) => string;
}

function readService({ objects, startMs }: RowScene): Service {
  const service = objects.find(({ kind }) => kind === 'StormService');
  if (service === undefined) throw new Error('no StormService');
  const own = ({ metadata }: KubeObject) => metadata.ownerReferences?.[0]?.uid === service.metadata.uid;
  const numberOf = ({ revision }: KubeObject) => Number(revision);
  return {
    service,
    revisions: objects
      .filter((each) => each.kind === 'ControllerRevision' && own(each))
      .sort((a, b) => numberOf(b) - numberOf(a)),
    pods: objects.filter((each) => each.kind === 'Pod' && own(each)),
    secondsOf: (time) => secondsAt(time, startMs),
  };
}

function readyAt({ status }: KubeObject): string | undefined {
  const ready = conditionAt(status, 'Ready');
  return ready?.status === 'True' ? textAt(ready, 'lastTransitionTime') : undefined;
}

function workloadOf({ service, revisions, pods, secondsOf }: Service): Changes {
  const { status } = service;
  const count = (member: string) => numberAt(status, member) ?? 0;
  const [updated, ready] = [count('updatedReplicas'), count('readyReplicas')];
  const isComplete = updated === 2 && ready === 2 && status?.currentRevision === status?.updateRevision;
  const isStarting = pods.some((each) => readyAt(each) === undefined);
  const [target, previous] = revisions;
  const since = isComplete
    ? pods
        .flatMap((each) => readyAt(each) ?? [])
        .sort()
        .at(-1)
    : target?.metadata.creationTimestamp;
  const writes = revisions.map((each) => [
    `can roll back to ${String(each.revision)}`,
    each === target
      ? '!equal_target no_owner'
      : `no_owner ${PATCH}, test /spec/template template, replace /spec/template target`,
  ]);
  const told: Record<string, string | null> = {
    state: isComplete ? 'complete' : 'rolling',
    why: `${updated === 2 ? 'ready' : 'updated'}${isStarting ? ' pods-starting' : ''}`,
    since: secondsOf(since),
    pods: `2 desired ${updated} updated ${ready} ready ${ready} available`,
    kubectl: 'error',
    history: revisions
      .map((each) => {
        const run = pods.filter(
          ({ metadata: { labels, deletionTimestamp } }) =>
            deletionTimestamp === undefined && labels?.['storm-service-revision'] === each.metadata.name,
        );
        const readyCount = run.filter((one) => readyAt(one) !== undefined).length;
        const isCurrent = each.metadata.name === status?.currentRevision;
        const letters = [
          each === target && 'T',
          isCurrent && 'C',
          (each === target || isCurrent || run.length > 0) && 'L',
          run.length > 0 && 'S',
        ].filter((letter) => letter !== false);
        return [
          String(each.revision),
          letters.join(''),
          `${readyCount}/${run.length}`,
          `from ${secondsOf(each.metadata.creationTimestamp)}`,
          each === target ? '' : 'over',
        ]
          .filter((word) => word !== '')
          .join(' ');
      })
      .join(', '),
    target: String(target?.revision),
    'can pause': `${PATCH}, test /spec/paused null, add /spec/paused true`,
    'can resume': '!not_paused',
    ...(Object.fromEntries(writes) as Changes),
  };
  if (previous === undefined) return told;
  return { ...told, default: String(previous.revision), previous: String(previous.revision) };
}

/** The second pod is replaced when the first one is ready. */
function recordOf({ service, revisions, pods, secondsOf }: Service): Changes {
  const [target, previous] = revisions;
  const began = secondsOf(target?.metadata.creationTimestamp);
  const [first = '', last = ''] = pods.map((each) => secondsOf(readyAt(each))).sort();
  const writes = (service.metadata.managedFields ?? []).filter(
    ({ subresource }) => subresource === undefined,
  );
  const by = writes.toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0]?.manager;
  return {
    outcome: 'completed',
    change: `${previous === undefined ? '–' : String(previous.revision)} → ${String(target?.revision)}`,
    began,
    ended: last,
    by: by ?? null,
    pods: '2',
    steps:
      previous === undefined
        ? `wave 1 completed - got 2 for 0 ${began}-${last}`
        : `wave 1 completed - got 1 for 1 ${began}-${first}, wave 2 completed - got 1 for 1 ${first}-${last}`,
  };
}
