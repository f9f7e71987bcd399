import { describe, expect, test } from 'vitest';
import { diffTemplates } from '@/lib/diff/diff';
import { recordedData } from '@/lib/kube/recorded-data';
import { type JsonObject } from '@/lib/kube/json';
import { groupOf } from '@/lib/kube/object';
import { compareSources } from '@/lib/history/order';
import { ownerKind } from '@/lib/producers/owner-kind';
import { groupKey, groupOfRevision } from '@/lib/producers/revision-group';
import { nothingPresent, standInFor, unownedRevisions } from '@/lib/producers/stand-in';
import { ownerOf, type Row, revisionsOf, rows } from '@/lib/producers/testing/rows';
import { type HistoryInput } from '@/lib/workloads/kind';
import { type ResourceType } from '@/lib/workloads/resource';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { kindOf } from '@/lib/workloads/table';
import { templateOfObject } from '@/lib/workloads/template-place';
import { factsOf, takeSource, takeWorkload } from '@/lib/workloads/testing/objects';
import { applyPatch } from '@/lib/workloads/testing/patch';
import { type RevisionSource } from '@/lib/workloads/workload';

function resourceOf({ owner }: Row): ResourceType {
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
function pageOf(row: Row) {
  const resource = resourceOf(row);
  const kind = kindOf(resource.id) ?? ownerKind(resource);
  const owner = ownerOf(row);
  const objects = revisionsOf(row);
  const sources = objects.map((object) => takeSource(controllerRevisions, object));
  const workload = owner === null ? null : takeWorkload(kind, owner);
  const groups = [...Map.groupBy(sources, (source) => groupKey(groupOfRevision(source))).values()].map(
    (own) => ({ group: groupOfRevision(own[0] as RevisionSource), sources: own }),
  );
  const [first] = groups;
  if (first === undefined) throw new Error(`${row.title} has no group`);
  const isStandIn = workload === null || first.group.component !== null;
  const shown = isStandIn
    ? standInFor(first, workload === null ? 'none' : 'component', resource, factsOf(nothingPresent))
    : workload;
  const input: HistoryInput = { workload: shown, sources: first.sources, orphans: [], pods: [] };
  return { kind, resource, owner, objects, groups, input, history: kind.history(input) };
}

function planBack(row: Row) {
  const { kind, owner, objects, input, history } = pageOf(row);
  const revision = history.revisions.findLast(({ target }) => !target) ?? history.revisions[0];
  if (revision === undefined) throw new Error(`${row.title} has no revision`);
  const object = objects.find(({ metadata }) => metadata.name === revision.name);
  const template = (object && controllerRevisions.templateOf(object)) ?? {};
  const present = (owner && templateOfObject(kind, owner)) ?? nothingPresent;
  const planned = kind.planRollback({
    ...input,
    present,
    history,
    to: retainedTarget(revision),
    template,
    reason: '',
    likeKubectl: false,
  });
  return { planned, kind, owner, present, template };
}

describe.each(rows.map((row) => [row.title, row] as const))('%s', (_, row) => {
  const { expected } = row;

  test('stands on the pages on which it should', () => {
    expect(pageOf(row).groups.map(({ sources }) => newestFirst(sources))).toEqual(expected.groups);
  });

  if (kindOf(resourceOf(row).id) !== undefined) return;

  test('is read as far as it says anything', () => {
    const { kind, input, history } = pageOf(row);
    expect(history.target?.name).toBe(expected.target);
    expect(history.targetAssumed).toBe(expected.isAssumed);
    expect(history.stored?.map(({ name }) => name)).toEqual(expected.stored);
    expect(history.livenessUnknown).toBe(true);
    const words = kind.producer?.({ workload: input.workload, history });
    expect(words?.name).toBe(expected.producer);
    expect(kind.status({ ...input, history })).toMatchObject({ state: 'unknown', blockers: [] });
  });

  if (expected.refusal === undefined) return;

  test('goes back only where what it records says where to', () => {
    const { planned, owner, template } = planBack(row);
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
    const told = diffTemplates(pageOf(row).kind.presentFor?.(back, template) ?? back, template);
    expect(told.changes).toEqual([]);
    expect(JSON.stringify(after)).not.toContain('$patch');
  });
});

test('roles are told by their names, and the replicas that nobody recorded are no change', () => {
  const row = rows.find(({ title }) => title.startsWith('RoleBasedGroup'));
  if (row === undefined) throw new Error('no such row');
  const { kind, present, template } = planBack(row);
  const { changes, summary } = diffTemplates(kind.presentFor?.(present, template) ?? present, template);
  expect(changes.map(({ container, label }) => `${container ?? ''} ${label}`.trim())).toEqual([
    'prefill/app image',
    'decode/app image',
  ]);
  expect(summary).toMatch(/^prefill\/app image 2 → 1; decode\/app image 2-d → 1-d/);
});
