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
import { testUnchanged } from '@/lib/workloads/patch';
import { type Finding, finding, refuseIf } from '@/lib/workloads/plan';
import { objectAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import { OTHER_OBJECTS_STAY, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { formatTarget } from '@/lib/workloads/rollback-target';
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
  const stays = ['The rest of the spec, labels and annotations are unchanged.', OTHER_OBJECTS_STAY];
  if (producer?.keepsReplicasOf !== undefined)
    stays.unshift(`The entries of spec.${producer.keepsReplicasOf.list} keep their current replicas.`);
  return unlessRefused(findings, () =>
    rollbackPlan(resource, input, {
      operations: [...testUnchanged(input.workload), ...addSubtrees(specOf(input.currentTemplate), subtrees)],
      steps: [
        `${formatList(subtrees.map(pathText), 4)} ${subtrees.length === 1 ? 'is' : 'are'} set to the content of revision ${formatTarget(input.to)}.`,
        `The controller of ${resource.kind} decides how it replaces pods and how it numbers this revision.`,
      ],
      stays,
      kubectl: `# kubectl rollout undo does not support ${resource.kind}`,
    }),
  );
}

/** Worded differently here, or specific to pod templates. */
const CHECKED_HERE = new Set([
  'owner_controller',
  'retained_equal',
  'selector_mismatch',
  'pending_template',
  'unreadable_revision',
]);

const UNKNOWN_CONTROLLER = finding(
  'warning',
  'unknown_controller',
  'Shiplog does not know how this controller rolls out, so it cannot detect the end of the rollback.',
  'Check the changes first, and the object afterwards.',
);

function checkPlaceholder({ workload: { placeholder, name } }: RollbackInput): Finding[] {
  if (placeholder === undefined) return [];
  const { owner, state } = placeholder;
  const refusals: Record<typeof state, readonly [code: string, message: string]> = {
    gone: ['owner_gone', 'The owner of these revisions is gone: there is nothing to roll back.'],
    unfollowed: [
      'owner_unfollowed',
      'Shiplog does not watch the kind of the owner: the number of kinds exceeds its limit.',
    ],
    unreadable: ['owner_unreadable', 'You are not allowed to read the owner of these revisions.'],
    component: [
      'one_component',
      `${owner?.kind ?? 'The owner'} ${owner?.name ?? name} has several components, and the revision of a component is not part of its spec.`,
    ],
    none: ['no_controller', 'These revisions have no controller. There is nothing to roll back.'],
  };
  return refuseIf(true, ...refusals[state], COPY_MANIFEST);
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
  const name = `${owner?.kind ?? ''} ${owner?.name ?? ''}`;
  return refuseIf(
    owner !== undefined,
    'owned',
    `${name} controls ${workload.name} and would revert the change.`,
    `Change ${name} instead.`,
  );
}

/** What a revision records that cannot be written back, by the code of the refusal. */
function refuseObstacle(obstacle: Obstacle, { to }: RollbackInput): Finding[] {
  const place = 'path' in obstacle ? pathText(obstacle) : '';
  const refusals: Record<Obstacle['code'], readonly [code: string, message: string]> = {
    no_spec_patch: [
      'not_a_patch',
      'does not record fields of the spec, so it is unknown where to write them.',
    ],
    unmarked: [
      'unmarked',
      `records ${place} but does not mark it as a replacement; merging could leave other values.`,
    ],
    directive: [
      'directive',
      `records how to merge ${place}, which the API server does not support for this resource.`,
    ],
    whole_spec: ['whole_spec', 'records the whole spec, including replicas and all other settings.'],
  };
  const [code, message] = refusals[obstacle.code];
  return refuseIf(true, code, `Revision ${formatTarget(to)} ${message}`, COPY_MANIFEST);
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
