import { deriveStatus } from '@/lib/messages/workload-status';
import { describe, expect, test } from 'vitest';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import { recordedData } from '@/lib/kube/recorded-data';
import type { JsonObject } from '@/lib/kube/json';
import { groupOf } from '@/lib/kube/object';
import { compareSources } from '@/lib/history/revision-order';
import { ownerKind } from '@/lib/producers/owner-kind';
import { producerOf, producers } from '@/lib/producers/producers';
import { groupKey, groupOfRevision } from '@/lib/producers/revision-group';
import {
  noCurrentTemplate,
  createPlaceholderWorkload,
  unownedRevisions,
} from '@/lib/producers/placeholder-workload';
import {
  ownerOf,
  type ControllerCase,
  revisionsOf,
  controllerCases,
} from '@/lib/producers/testing/controller-cases';
import type { HistoryInput } from '@/lib/workloads/kind';
import type { ResourceType } from '@/lib/kube/resource';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { kindOf } from '@/lib/workloads/kinds/table';
import { templateOfObject } from '@/lib/workloads/template-location';
import { factsOf, parseSource, parseWorkload } from '@/lib/workloads/testing/objects';
import { applyPatch } from '@/lib/workloads/testing/patch';
import type { RevisionSource } from '@/lib/history/workload';

function resourceOf({ owner }: ControllerCase): ResourceType {
  if (owner === null) return unownedRevisions;
  const [group, version = ''] = [groupOf(owner.apiVersion), owner.apiVersion.split('/')[1]];
  return {
    id: `${owner.plural}.${group}`,
    group,
    versions: [version],
    plural: owner.plural,
    kind: owner.kind,
  };
}

const newestFirst = (sources: readonly RevisionSource[]) =>
  sources
    .toSorted(compareSources)
    .reverse()
    .map(({ name }) => name);

/** The page of the first group, as its kind reads it. */
function pageOf(row: ControllerCase) {
  const resource = resourceOf(row);
  const kind = kindOf(resource.id) ?? ownerKind(resource);
  const owner = ownerOf(row);
  const objects = revisionsOf(row);
  const sources = objects.map((object) => parseSource(controllerRevisions, object));
  const workload = owner === null ? null : parseWorkload(kind, owner);
  const groups = [...Map.groupBy(sources, (source) => groupKey(groupOfRevision(source))).values()].map(
    (own) => ({ group: groupOfRevision(own[0] as RevisionSource), sources: own }),
  );
  const [first] = groups;
  if (first === undefined) throw new Error(`${row.title} has no group`);
  const isStandIn = workload === null || first.group.component !== null;
  const shown = isStandIn
    ? createPlaceholderWorkload(
        first,
        workload === null ? 'none' : 'component',
        resource,
        factsOf(noCurrentTemplate),
      )
    : workload;
  const input: HistoryInput = { workload: shown, sources: first.sources, orphans: [], pods: [] };
  return { kind, resource, owner, objects, groups, input, history: kind.history(input) };
}

function planRollbackToOldest(row: ControllerCase) {
  const { kind, owner, objects, input, history } = pageOf(row);
  const revision = history.revisions.findLast(({ target }) => !target) ?? history.revisions[0];
  if (revision === undefined) throw new Error(`${row.title} has no revision`);
  const object = objects.find(({ metadata }) => metadata.name === revision.name);
  const template = (object && controllerRevisions.templateOf(object)) ?? {};
  const present = (owner && templateOfObject(kind, owner)) ?? noCurrentTemplate;
  const planned = kind.writes.rollback({
    ...input,
    currentTemplate: present,
    history,
    to: retainedTarget(revision),
    template,
    reason: '',
    likeKubectl: false,
  });
  return { planned, kind, owner, present, template };
}

describe.each(controllerCases.map((row) => [row.title, row] as const))('%s', (_, row) => {
  const { expected } = row;

  test('is on the expected pages', () => {
    expect(pageOf(row).groups.map(({ sources }) => newestFirst(sources))).toEqual(expected.groups);
  });

  if (kindOf(resourceOf(row).id) !== undefined) return;

  test('is read as far as its data allows', () => {
    const { kind, input, history } = pageOf(row);
    expect(history.target?.name).toBe(expected.target);
    expect(history.targetAssumed).toBe(expected.isAssumed);
    expect(history.stored?.map(({ name }) => name)).toEqual(expected.stored);
    expect(history.livenessUnknown).toBe(true);
    const words = kind.producer?.({ workload: input.workload, history });
    expect(words?.name).toBe(expected.producer);
    expect(deriveStatus(kind.facts({ ...input, history }))).toMatchObject({ state: 'unknown', blockers: [] });
  });

  if (expected.refusal === undefined) return;

  test('is rolled back only where its data defines the target', () => {
    const { planned, owner, template } = planRollbackToOldest(row);
    const refusals = planned.findings
      .filter(({ severity }) => severity === 'refusal')
      .map(({ code }) => code);
    if (expected.refusal !== null) {
      expect(planned.plan).toBeNull();
      expect(refusals).toContain(expected.refusal);
      return;
    }
    expect(refusals).toEqual([]);
    if (planned.plan?.write.kind !== 'patch' || owner === null) throw new Error('no patch');
    const after = applyPatch(owner as unknown as JsonObject, planned.plan.write.patch);
    const back = recordedData({ spec: after.spec ?? {} });
    const told = diffTemplates(pageOf(row).kind.template?.comparable?.(back, template) ?? back, template);
    expect(told.changes).toEqual([]);
    expect(JSON.stringify(after)).not.toContain('$patch');
  });
});

test('roles are identified by their names, and replicas that were not recorded are no change', () => {
  const row = controllerCases.find(({ title }) => title.startsWith('RoleBasedGroup'));
  if (row === undefined) throw new Error('no such row');
  const { kind, present, template } = planRollbackToOldest(row);
  const { changes, summary } = diffTemplates(
    kind.template?.comparable?.(present, template) ?? present,
    template,
  );
  expect(changes.map(({ container, label }) => `${container ?? ''} ${label}`.trim())).toEqual([
    'prefill/app image',
    'decode/app image',
  ]);
  expect(summary).toMatch(/^prefill\/app image 2 → 1; decode\/app image 2-d → 1-d/);
});

/**
 * Every controller that is known to keep ControllerRevisions: `{kind}.{group}` of the owners, none where
 * there is no owner.
 */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'Kruise CloneSet': ['CloneSet.apps.kruise.io'],
  'Kruise StatefulSet and DaemonSet': ['StatefulSet.apps.kruise.io', 'DaemonSet.apps.kruise.io'],
  'Kruise UnitedDeployment': ['UnitedDeployment.apps.kruise.io'],
  'Kruise SidecarSet': ['SidecarSet.apps.kruise.io'],
  LeaderWorkerSet: ['LeaderWorkerSet.leaderworkerset.x-k8s.io'],
  RoleBasedGroup: ['RoleBasedGroup.workloads.x-k8s.io'],
  'RoleInstanceSet and RoleInstance': [
    'RoleInstanceSet.workloads.x-k8s.io',
    'RoleInstance.workloads.x-k8s.io',
  ],
  'Volcano Kthena': ['ModelServing.workload.serving.volcano.sh'],
  AIBrix: ['StormService.orchestration.aibrix.ai'],
  KAITO: ['Workspace.kaito.sh', 'InferenceSet.kaito.sh', 'RAGEngine.kaito.sh'],
  'TiDB Operator': ['PDGroup.core.pingcap.com', 'TiKVGroup.core.pingcap.com'],
  OpenYurt: ['YurtAppSet.apps.openyurt.io'],
  KusionStack: ['CollaSet.apps.kusionstack.io', 'PodDecoration.apps.kusionstack.io'],
  'Flink operator': ['FlinkCluster.flinkoperator.k8s.io'],
  'KubeVirt VirtualMachine': ['VirtualMachine.kubevirt.io'],
  'KubeVirt VirtualMachinePool': ['VirtualMachinePool.pool.kubevirt.io'],
  'KubeVela components': ['Component.core.oam.dev', 'Application.core.oam.dev', 'none'],
};

/** Known to keep none: their type of that name is another one, or exists in memory alone. */
const NONE = [
  { apiVersion: 'metacontroller.k8s.io/v1alpha1', kind: 'CompositeController' },
  { apiVersion: 'workloads.kubeblocks.io/v1', kind: 'InstanceSet' },
  { apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet' },
  { apiVersion: 'grove.io/v1alpha1', kind: 'PodCliqueSet' },
];

const nameOf = ({ owner }: ControllerCase) =>
  owner === null ? 'none' : `${owner.kind}.${groupOf(owner.apiVersion)}`;

test.each(Object.entries(KNOWN))(
  '%s has a case for each of its owners, with its expectations',
  (_, kinds) => {
    for (const kind of kinds) {
      const own = controllerCases.filter((row) => nameOf(row) === kind);
      expect([kind, own.length > 0]).toEqual([kind, true]);
      for (const row of own) expect(row.expected.groups.flat().length).toBe(row.revisions.length);
    }
  },
);

test('every controller that Shiplog describes has a case, and those that keep no revisions have none', () => {
  const told = controllerCases.map(({ owner }) => producerOf(owner));
  expect(producers.filter((producer) => !told.includes(producer)).map(({ name }) => name)).toEqual([]);
  for (const owner of NONE) expect([owner.kind, producerOf(owner)]).toEqual([owner.kind, undefined]);
});

test('a ControllerRevision of another group is no revision, but may own some', () => {
  const parent = ownerKind({
    id: 'controllerrevisions.metacontroller.k8s.io',
    group: 'metacontroller.k8s.io',
    versions: ['v1alpha1'],
    plural: 'controllerrevisions',
    kind: 'ControllerRevision',
  });
  expect(parent.source.resource.id).toBe('controllerrevisions.apps');
  expect(parent.resource.id).not.toBe(unownedRevisions.id);
  expect(kindOf(parent.resource.id)).toBeUndefined();
});
