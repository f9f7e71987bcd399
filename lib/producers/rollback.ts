import { controllerOf } from '@/lib/kube/object';
import { normalizeTemplate } from '@/lib/diff/normalize';
import { deepEqual, isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';
import { isRecordedData, recordedData } from '@/lib/kube/recorded-data';

import {
  findReplacedSubtrees,
  type Obstacle,
  type Subtree,
  addSubtrees,
  withSubtree,
} from '@/lib/producers/replaced-subtrees';
import type { Producer } from '@/lib/producers/producer';
import { withCurrentReplicas } from '@/lib/producers/replicas';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { patchRight, patchWorkload, testUid } from '@/lib/workloads/patch';
import type { Finding } from '@/lib/workloads/plan';
import { objectAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { checkRollback, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { formatTarget, formatTargetWithVersion } from '@/lib/workloads/rollback-target';
import { formatList } from '@/lib/format/text';

const COPY_MANIFEST = 'Copy the manifest of the revision and apply the parts that you need.';

/**
 * Rollback of an owner whose controller Shiplog does not know: only the replaced subtrees of a revision, and
 * only where it records nothing else. A merge would need the schema of the resource, and the API server
 * rejects a strategic merge patch for a custom resource.
 */
export function planOwnerRollback(
  resource: ResourceType,
  producer: Producer | undefined,
  input: RollbackInput,
): PlanResult {
  const recorded = isRecordedData(input.template)
    ? findReplacedSubtrees(input.template)
    : { subtrees: [], obstacles: [{ code: 'no_spec_patch' } as const] };
  const subtrees = recorded.subtrees.map((subtree) =>
    withCurrentReplicas(producer, input.currentTemplate, subtree),
  );
  const findings = [
    ...checkPlaceholder(input),
    ...checkProducer(producer, input),
    ...checkController(input),
    ...recorded.obstacles.slice(0, 1).flatMap((obstacle) => refuseObstacle(obstacle, input)),
    ...checkPlace(input, subtrees),
    ...checkEqual(input, subtrees),
    ...checkRollback(input).filter(({ code }) => !CHECKED_HERE.has(code)),
    UNKNOWN_CONTROLLER,
  ];
  return unlessRefused(findings, () => ({
    action: 'rollback',
    title: `Roll back to ${formatTargetWithVersion(input.to)}`,
    write: patchWorkload(resource, input.workload, [
      testUid(input.workload),
      { op: 'test', path: '/metadata/resourceVersion', value: input.workload.resourceVersion },
      ...addSubtrees(specOf(input.currentTemplate), subtrees),
    ]),
    needs: patchRight(resource, input.workload),
    steps: [
      `${formatList(subtrees.map(pathText), 4)} ${subtrees.length === 1 ? 'is' : 'are'} set to the content of revision ${formatTarget(input.to)}.`,
      `The controller of ${resource.kind} decides how it replaces pods and how it numbers this revision.`,
    ],
    stays: [
      ...(producer?.keepsReplicasOf === undefined
        ? []
        : [`The entries of spec.${producer.keepsReplicasOf.list} keep their current replicas.`]),
      'The rest of the spec, labels and annotations are unchanged.',
      'ConfigMaps, Secrets, Services and the ServiceAccount are not rolled back.',
    ],
    kubectl: `# kubectl rollout undo does not support ${resource.kind}`,
  }));
}

/** Worded differently here, or specific to pod templates. */
const CHECKED_HERE = new Set([
  'owner_controller',
  'retained_equal',
  'selector_mismatch',
  'pending_template',
  'unreadable_revision',
]);

const UNKNOWN_CONTROLLER: Finding = {
  severity: 'warning',
  code: 'unknown_controller',
  message:
    'Shiplog does not know how this controller rolls out, so it cannot detect the end of the rollback.',
  action: 'Check the changes first, and the object afterwards.',
};

function checkPlaceholder({ workload: { placeholder, name } }: RollbackInput): Finding[] {
  switch (placeholder?.state) {
    case 'gone':
      return refuseIf(
        true,
        'owner_gone',
        `The owner of these revisions is gone: there is nothing to roll back.`,
        COPY_MANIFEST,
      );
    case 'unfollowed':
      return refuseIf(
        true,
        'owner_unfollowed',
        'Shiplog does not watch the kind of the owner: the number of kinds exceeds its limit.',
        COPY_MANIFEST,
      );
    case 'unreadable':
      return refuseIf(
        true,
        'owner_unreadable',
        'You are not allowed to read the owner of these revisions.',
        COPY_MANIFEST,
      );
    case 'component':
      return refuseIf(
        true,
        'one_component',
        `${placeholder.owner?.kind ?? 'The owner'} ${placeholder.owner?.name ?? name} has several components, and the revision of a component is not part of its spec.`,
        COPY_MANIFEST,
      );
    case 'none':
      return refuseIf(
        true,
        'no_controller',
        'These revisions have no controller. There is nothing to roll back.',
        COPY_MANIFEST,
      );
    case undefined:
      return [];
  }
}

function checkProducer(producer: Producer | undefined, { to }: RollbackInput): Finding[] {
  return [
    ...refuseIf(
      producer?.storesOnly === true,
      'no_history',
      `What ${producer?.name ?? ''} stores here is not a rollout history, so you cannot roll back to ${formatTarget(to)}.`,
      COPY_MANIFEST,
    ),
    ...refuseIf(producer?.noRollback !== undefined, 'unconfirmed', producer?.noRollback ?? '', COPY_MANIFEST),
  ];
}

function checkController({ workload }: RollbackInput): Finding[] {
  const owner = controllerOf(workload.owners);
  if (owner === undefined) return [];
  return refuseIf(
    true,
    'owned',
    `${owner.kind} ${owner.name} controls ${workload.name} and would revert the change.`,
    `Change ${owner.kind} ${owner.name} instead.`,
  );
}

function refuseObstacle(obstacle: Obstacle, { to }: RollbackInput): Finding[] {
  const revision = formatTarget(to);
  switch (obstacle.code) {
    case 'no_spec_patch':
      return refuseIf(
        true,
        'not_a_patch',
        `Revision ${revision} does not record fields of the spec, so it is unknown where to write them.`,
        COPY_MANIFEST,
      );
    case 'unmarked':
      return refuseIf(
        true,
        'unmarked',
        `Revision ${revision} records ${pathText(obstacle)} but does not mark it as a replacement; merging could leave other values.`,
        COPY_MANIFEST,
      );
    case 'directive':
      return refuseIf(
        true,
        'directive',
        `Revision ${revision} records how to merge ${pathText(obstacle)}, which the API server does not support for this resource.`,
        COPY_MANIFEST,
      );
    case 'whole_spec':
      return refuseIf(
        true,
        'whole_spec',
        `Revision ${revision} records the whole spec, including replicas and all other settings.`,
        COPY_MANIFEST,
      );
    default:
      return obstacle satisfies never;
  }
}

/** A subtree cannot be added below a value that is no object. */
function checkPlace({ currentTemplate: present }: RollbackInput, subtrees: readonly Subtree[]): Finding[] {
  const misplaced = subtrees.find(({ path }) => !hasPlace(specOf(present), path.slice(0, -1)));
  return refuseIf(
    misplaced !== undefined,
    'no_place',
    `The current spec has no field for ${misplaced === undefined ? '' : pathText(misplaced)}: its structure has changed.`,
    COPY_MANIFEST,
  );
}

function hasPlace(spec: Json | undefined, path: readonly string[]): boolean {
  if (spec === undefined) return true;
  if (!isJsonObject(spec)) return false;
  const [first, ...rest] = path;
  return first === undefined || hasPlace(memberOf(spec, first), rest);
}

function checkEqual(
  { currentTemplate: present, to }: RollbackInput,
  subtrees: readonly Subtree[],
): Finding[] {
  const before = { spec: specOf(present) };
  const after = { spec: subtrees.reduce<Json>(withSubtree, before.spec) };
  const isEqual = deepEqual(normalizeTemplate(recordedData(before)), normalizeTemplate(recordedData(after)));
  return refuseIf(
    subtrees.length > 0 && isEqual,
    'equal_target',
    `The current spec already equals revision ${formatTarget(to)}.`,
  );
}

function specOf(present: JsonObject): JsonObject {
  return objectAt(present, 'data', 'spec') ?? {};
}

function pathText({ path }: { path: readonly string[] }): string {
  return ['spec', ...path].join('.');
}
