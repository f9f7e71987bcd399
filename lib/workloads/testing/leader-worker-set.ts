import type { RevisionHistory } from '@/lib/history/revision';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import type { Groups } from '@/lib/workloads/groups';
import type { ControlInput, HistoryInput } from '@/lib/workloads/kind';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import {
  GROUP_INDEX,
  GROUP_SIZE,
  NAME,
  REVISION_KEY,
  WORKER_INDEX,
} from '@/lib/workloads/leader-worker-set/metadata';
import { recordedGroupTemplate } from '@/lib/workloads/leader-worker-set/template';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { deriveStatus } from '@/lib/messages/workload-status';
import type { WorkloadStatus } from '@/lib/engine/status';
import { templateOfObject } from '@/lib/workloads/template-location';
import { type PlannedScenario, plannedScenario } from '@/lib/workloads/testing/patch';
import {
  at,
  historyInputOf,
  object,
  pod,
  type PodParts,
  parseWorkload,
  WORKLOAD_UID,
} from '@/lib/workloads/testing/objects';

const LWS = 'llama';

/** One group in a test: what its pods and its StatefulSet of workers report. */
interface GroupParts {
  /** Key of the leader, of the StatefulSet and of the workers, unless these have others. */
  key: string;
  setKey?: string;
  workerKey?: string;
  size?: number;
  leader?: PodParts | null;
  worker?: PodParts;
  /** How many workers the StatefulSet reports as available; default: as the pods do. */
  available?: number;
  /** False: the StatefulSet of the workers is missing. */
  set?: boolean;
  /** Of the owner of that StatefulSet; default: the leader. */
  setOwner?: string;
}

export interface GroupScenario {
  /** Image of the current template, or members of `leaderWorkerTemplate`. */
  live?: string | JsonObject;
  spec?: JsonObject;
  status?: JsonObject;
  generation?: number;
  created?: number;
  owner?: OwnerReference;
  deleted?: string;
  labels?: Record<string, string>;
  revisions?: readonly KubeObject[];
  /** By number; each a key, or the differences from a group that is complete and ready. */
  groups?: readonly (string | GroupParts)[];
  /** Of the StatefulSet of the leaders: its key, and how many it has. Null: missing. */
  leaders?: { key?: string; replicas?: number } | null;
  networkConfig?: JsonObject | null;
}

export function groupTemplate(image: string, members: JsonObject = {}): JsonObject {
  return {
    size: 2,
    restartPolicy: 'RecreateGroupOnPodRestart',
    workerTemplate: { spec: { containers: [{ name: 'vllm', image: `vllm:${image}` }] } },
    ...members,
  };
}

/** A ControllerRevision of the key `k{image}` as the controller writes it. */
export function groupRevision(
  number: number,
  image: string,
  parts: { key?: string; owner?: string | null; template?: JsonObject; created?: number } = {},
): KubeObject {
  const key = parts.key ?? `k${image}`;
  const name = `${LWS}-${key}-${number}`;
  const members = parts.template ?? groupTemplate(image);
  return object(
    'ControllerRevision',
    {
      name,
      created: parts.created ?? number,
      labels: { [NAME]: LWS, [REVISION_KEY]: key },
      ...(parts.owner !== undefined && { owner: parts.owner }),
    },
    {
      revision: number,
      data: {
        spec: {
          leaderWorkerTemplate: { $patch: 'replace', ...members },
          networkConfig: { $patch: 'replace', subdomainPolicy: 'Shared' },
        },
      },
    },
  );
}

interface GroupScenarioResult {
  workload: KubeObject;
  input: HistoryInput;
  history: RevisionHistory;
  status: WorkloadStatus;
  groups: Groups;
}

export function readGroupScenario(scenario: GroupScenario = {}): GroupScenarioResult {
  const workload = workloadOf(scenario);
  const { sets, pods } = membersOf(scenario);
  const parts = sets.map((set) => parseWorkload(statefulSet, set));
  const input = historyInputOf(leaderWorkerSet, workload, revisionsOf(scenario), pods, parts);
  const history = leaderWorkerSet.history(input);
  const withHistory = { ...input, history };
  const groups = leaderWorkerSet.groups?.read(withHistory);
  if (groups === undefined) throw new Error('no groups');
  return {
    workload,
    input,
    history,
    groups,
    status: deriveStatus(leaderWorkerSet.facts({ ...withHistory, now: at(60) })),
  };
}

/** All objects of the scenario, as the API server has them. */
export function objectsOf(scenario: GroupScenario = {}): KubeObject[] {
  const { sets, pods } = membersOf(scenario);
  return [...revisionsOf(scenario), ...sets, ...pods, workloadOf(scenario)];
}

function revisionsOf({ revisions }: GroupScenario): readonly KubeObject[] {
  return revisions ?? [groupRevision(1, '1'), groupRevision(2, '2')];
}

function workloadOf({ live = '2', ...scenario }: GroupScenario): KubeObject {
  const { spec, status, generation = 1, created = 0, deleted, labels, networkConfig } = scenario;
  const made = object(
    'LeaderWorkerSet',
    {
      uid: WORKLOAD_UID,
      owner: null,
      name: LWS,
      generation,
      created,
      ...(deleted !== undefined && { deleted }),
      ...(labels && { labels }),
    },
    {
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      spec: {
        replicas: 2,
        leaderWorkerTemplate: typeof live === 'string' ? groupTemplate(live) : live,
        rolloutStrategy: {
          type: 'RollingUpdate',
          rollingUpdateConfiguration: { partition: 0, maxUnavailable: 1, maxSurge: 0 },
        },
        startupPolicy: 'LeaderCreated',
        ...(networkConfig !== null && { networkConfig: networkConfig ?? { subdomainPolicy: 'Shared' } }),
        ...spec,
      },
      status: { observedGeneration: 1, ...status },
    },
  );
  if (scenario.owner !== undefined) made.metadata.ownerReferences = [scenario.owner];
  return made;
}

function membersOf({ groups = ['k2', 'k2'], leaders = {} }: GroupScenario) {
  if (leaders === null) return { sets: [], pods: [] };
  const leaderSet = setOf('Leader', LWS, WORKLOAD_UID, leaders.key ?? 'k2', {
    replicas: leaders.replicas ?? groups.length,
  });
  leaderSet.metadata.ownerReferences = [
    {
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      kind: 'LeaderWorkerSet',
      name: LWS,
      uid: WORKLOAD_UID,
      controller: true,
    },
  ];
  const sets = [leaderSet];
  const pods: KubeObject[] = [];
  groups.forEach((entry, index) => {
    const parts = typeof entry === 'string' ? { key: entry } : entry;
    const made = groupOf(index, parts, leaderSet.metadata.uid);
    pods.push(...made.pods);
    sets.push(...made.sets);
  });
  return { sets, pods };
}

function groupOf(index: number, group: GroupParts, owner: string) {
  const { key, size = 2 } = group;
  const name = `${LWS}-${index}`;
  const marks = (own: string, position: number, on: string) => ({
    labels: {
      [NAME]: LWS,
      [GROUP_INDEX]: String(index),
      [WORKER_INDEX]: String(position),
      [REVISION_KEY]: on,
    },
    annotations: { [GROUP_SIZE]: String(size) },
    uid: `uid-pod-${own}`,
  });
  const leader = group.leader === null ? [] : [pod(name, { owner, ...marks(name, 0, key), ...group.leader })];
  const isAnyUnready = group.worker?.ready === false || group.worker?.waiting !== undefined;
  const set = setOf('Worker', name, group.setOwner ?? `uid-pod-${name}`, group.setKey ?? key, {
    replicas: size - 1,
    available: group.available ?? (isAnyUnready ? 0 : size - 1),
  });
  const hasSet = (group.set ?? true) && size > 1;
  const workers = Array.from({ length: hasSet ? size - 1 : 0 }, (_, place) => {
    const own = `${name}-${place + 1}`;
    const on = group.workerKey ?? group.setKey ?? key;
    return pod(own, { owner: set.metadata.uid, ...marks(own, place + 1, on), ...group.worker });
  });
  return { pods: [...leader, ...workers], sets: hasSet ? [set] : [] };
}

function setOf(
  role: 'Leader' | 'Worker',
  name: string,
  owner: string,
  key: string,
  counts: { replicas: number; available?: number },
): KubeObject {
  const { replicas, available = replicas } = counts;
  const set = object(
    'StatefulSet',
    { name, uid: `uid-sts-${role}-${name}`, owner, labels: { [NAME]: LWS, [REVISION_KEY]: key } },
    {
      spec: { replicas },
      status: { replicas, availableReplicas: available, currentRevision: 'r', updateRevision: 'r' },
    },
  );
  set.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name, uid: owner, controller: true }];
  return set;
}

/** The plan of a rollback to revision `to`. */
export function planGroupRollback(scenario: GroupScenario, to: number, partition?: number): PlannedScenario {
  const { workload, input, history } = readGroupScenario(scenario);
  const revision = history.revisions.find(({ number }) => number === to);
  const source = revisionsOf(scenario).find(({ metadata }) => metadata.name === revision?.name);
  const template = recordedGroupTemplate(source?.data);
  const currentTemplate = templateOfObject(leaderWorkerSet, workload);
  if (revision === undefined || template === undefined || currentTemplate === undefined)
    throw new Error('no such revision');
  return plannedScenario(
    leaderWorkerSet.writes.rollback({
      ...input,
      currentTemplate,
      history,
      to: retainedTarget(revision),
      template,
      reason: '',
      likeKubectl: false,
      ...(partition !== undefined && { partition }),
    }),
    workload,
  );
}

export function planGroupControl(
  scenario: GroupScenario,
  action: 'partition' | 'deletePod',
  more: Partial<ControlInput>,
): PlannedScenario {
  const { workload, input, history } = readGroupScenario(scenario);
  const planned = leaderWorkerSet.writes[action]?.({
    ...input,
    currentTemplate: {},
    history,
    now: at(60),
    ...more,
  });
  if (planned === undefined) throw new Error(`no ${action}`);
  return plannedScenario(planned, workload);
}
