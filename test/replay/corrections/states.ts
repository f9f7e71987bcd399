import { controllerUidOf, type KubeObject } from '@/lib/kube/object';
import type { JsonObject } from '@/lib/kube/json';
import { conditionAt, numberAt, objectsAt, textAt } from '@/lib/kube/read';
import { resourceOf } from '@/test/replay/corrections/told-history';
import { rowsOfStreams } from '@/test/replay/corrections/rows';
import type { Facts } from '@/test/replay/facts/facts';
import type { Correction, Row, RowScene } from '@/test/replay/judge';
import rows from '@/test/replay/corrections/state-rows.json' with { type: 'json' };

const POD_LIFECYCLE = 'https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/';
/** What stands for no deadline. */
const NO_DEADLINE_SECONDS = 2_147_483_647;
const LATE_AFTER_MS = 60_000;
const MINUTES_10_MS = 600_000;

/** What is wrong about the states of the golden files, by what the objects of a row show. */
type Rule = (scene: RowScene, facts: Facts, workload: KubeObject | undefined) => boolean;

function correction(name: keyof typeof rows, source: string, rule: Rule): Correction {
  return {
    name,
    source,
    rows: { ...rowsOfStreams(rows[name].streams), ...rows[name].recordings },
    applies: (row, scene) => row.facts !== null && rule(scene(), row.facts, findWorkload(row, scene())),
  };
}

/** Each row that they cover has its right values in `corrected/`. */
export const states: readonly Correction[] = [
  correction(
    'a pod that failed or was evicted is no cause: its controller has replaced it',
    'https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/controller_utils.go (FilterActivePods)',
    ({ objects }) =>
      podsOf(objects).some(
        ({ metadata, status }) =>
          metadata.deletionTimestamp === undefined &&
          ['Failed', 'Succeeded'].includes(textAt(status, 'phase') ?? ''),
      ),
  ),
  correction(
    'a pod that is still there a minute after its deletion is late, whatever the cause',
    'deletionTimestamp contains the grace period: ' + POD_LIFECYCLE + '#pod-termination',
    ({ objects, nowMs }) =>
      podsOf(objects).some(({ metadata: { deletionTimestamp } }) => {
        return deletionTimestamp !== undefined && nowMs - Date.parse(deletionTimestamp) >= LATE_AFTER_MS;
      }),
  ),
  correction(
    'a finalizer or a lost node makes a pod late, and not before a minute has passed',
    'deletionTimestamp contains the grace period: ' + POD_LIFECYCLE + '#pod-termination',
    ({ objects }, { blockers }) =>
      blockers?.includes(' terminating ') === true &&
      podsOf(objects).some(({ metadata }) => metadata.deletionTimestamp !== undefined),
  ),
  correction(
    'a surge group is named as one, and is new in each rollout',
    'https://lws.sigs.k8s.io/docs/concepts/rollout-strategy/: groups in addition to the desired ones, until the rollout ends',
    ({ objects }, { state }, workload) => {
      const leaders = objects.find(
        ({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === workload?.metadata.name,
      );
      return (
        state !== undefined &&
        workload?.kind === 'LeaderWorkerSet' &&
        (numberAt(leaders?.spec, 'replicas') ?? 0) > (numberAt(workload.spec, 'replicas') ?? 1)
      );
    },
  ),
  correction(
    'an init container that always restarts is a sidecar',
    'https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/',
    ({ objects }) =>
      podsOf(objects).some(({ spec }) =>
        objectsAt(spec, 'initContainers').some(({ restartPolicy }) => restartPolicy === 'Always'),
      ),
  ),
  correction(
    'a pod behind a scheduling gate, or without its volume, has time before it is stuck',
    'https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/',
    ({ objects }) =>
      podsOf(objects).some(({ status }) => {
        const scheduled = conditionAt(status, 'PodScheduled');
        const isAboutVolume = /PersistentVolumeClaim|volume/i.test(textAt(scheduled, 'message') ?? '');
        return scheduled?.status === 'False' && (scheduled.reason === 'SchedulingGated' || isAboutVolume);
      }),
  ),
  correction(
    'events name what a pod that is being created waits for',
    'https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/events/event.go',
    ({ objects }) =>
      objects.some(
        (event) =>
          event.kind === 'Event' &&
          ['Pulling', 'FailedMount', 'FailedAttachVolume'].includes(reasonOf(event)),
      ),
  ),
  correction(
    'pods that cannot be created are a reason, where only events say so',
    'https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/controller_utils.go (FailedCreatePodReason)',
    ({ objects }) => objects.some((event) => event.kind === 'Event' && reasonOf(event) === 'FailedCreate'),
  ),
  correction(
    'a ReplicaSet that cannot create pods is a reason, also after the rollout and for Argo Rollouts',
    'https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment',
    (_, __, workload) => conditionAt(workload?.status, 'ReplicaFailure')?.status === 'True',
  ),
  correction(
    'the condition Progressing proves nothing about another ReplicaSet than the one that it names',
    'kubernetes/29-recreate-slow-end: it stays until the next ReplicaSet exists, for Recreate until the old pods have ended',
    (_, facts, workload) =>
      conditionAt(workload?.status, 'Progressing')?.reason === 'NewReplicaSetAvailable' &&
      facts.target === 'pending',
  ),
  correction(
    'Recreate waits for its old pods to end',
    'kubernetes/29-recreate-slow-end: the next ReplicaSet has pods when the old ones have ended',
    (_, __, workload) => textAt(workload?.spec, 'strategy', 'type') === 'Recreate',
  ),
  correction(
    'a StatefulSet whose current revision is the target has completed its update, also while pods are missing',
    'https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go (completeRollingUpdate)',
    (_, { state }, workload) =>
      state === 'rolling' &&
      workload?.kind === 'StatefulSet' &&
      textAt(workload.status, 'currentRevision') === textAt(workload.status, 'updateRevision'),
  ),
  correction(
    'a first revision is the current one before its rollout is complete',
    'kubernetes/30-first-statefulsets: currentRevision = updateRevision from the start',
    (_, { state, history }) => state === 'degraded' && history !== undefined && !history.includes(', '),
  ),
  correction(
    'a workload whose pods were raised in number is being scaled',
    'kubernetes/31-deadline-and-scale: no template changes, and kubectl waits',
    ({ nowMs }, { state }, workload) =>
      (state === 'degraded' || state === 'rolling') &&
      (workload?.metadata.managedFields ?? []).some(
        ({ time, subresource }) => subresource !== 'status' && nowMs - Date.parse(time ?? '') < MINUTES_10_MS,
      ),
  ),
  correction(
    'a Deployment without a deadline of its own has that of the other kinds',
    'https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/ (progressDeadlineSeconds)',
    (_, __, workload) => (numberAt(workload?.spec, 'progressDeadlineSeconds') ?? 0) >= NO_DEADLINE_SECONDS,
  ),
  correction(
    'an Argo Rollout whose revision is stable is over, and one that is updated counts what is available',
    'https://github.com/argoproj/argo-rollouts/blob/master/utils/rollout/rolloututil.go (CalculateRolloutPhase)',
    (_, facts, workload) => workload?.kind === 'Rollout' && facts.pods !== undefined,
  ),
  correction(
    'without a revision of the template, nothing is paused on it',
    'kind: a paused workload whose template was changed creates the revision when it is resumed',
    (_, facts) => facts.target === 'pending' && facts.state === 'paused',
  ),
  correction(
    'what an Application reports says nothing of an edit that its controller has not read',
    'https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md',
    (_, { why }, workload) => workload?.kind === 'Application' && /^(unobserved|deleting)/.test(why ?? ''),
  ),
  correction(
    'a blocked pod is the reason, not another one that starts',
    POD_LIFECYCLE,
    (_, { state, blockers = '' }) => state === 'degraded' && blockers !== '',
  ),
  correction(
    'a workload whose rollout waits is held when its pods are ready, though its controller makes none available',
    'rollouts/23-blue-green-rollback-at-step-2: minReadySeconds is 2147483646 meanwhile',
    (_, { state, pods = '' }) => {
      const [desired = 0, , ready = 0] = (pods.match(/\d+/g) ?? []).map(Number);
      return state === 'rolling' && ready >= desired;
    },
  ),
  correction(
    'no step is approved of a rollout that another template of the workload is about to end',
    'rollouts/24-back-and-forward: for 2 to 3 s the status is that of the former template',
    (_, facts) => /back-to-stable|another-revision/.test(Object.values(facts).join(' ')),
  ),
  correction(
    'a rollout that was canceled is not rolled back while the workload requests another template than the stable one',
    'rollouts/24-back-and-forward: image 1 and 3 s later image 2 again, which all pods run without steps',
    (_, { state = '', why = '', steps = '' }) =>
      /^(rolledBack|rollingBack)$/.test(state) || why.includes('rolling-back') || steps.includes('canary'),
  ),
];

/** The object that a row is about; of a progressive rollout that one. */
function findWorkload({ of }: Row, { objects }: RowScene): KubeObject | undefined {
  const place = of.split(' ').at(-1) ?? '';
  const resource = of.split(' ').at(-2) ?? '';
  const name = place.split('/').at(-1);
  return objects.find((each) => each.metadata.name === name && resourceOf(each) === resource);
}

function reasonOf(event: KubeObject): string {
  return textAt(event as unknown as JsonObject, 'reason') ?? '';
}

function podsOf(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.filter((each) => each.kind === 'Pod' && controllerUidOf(each) !== undefined);
}
