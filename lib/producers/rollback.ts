import { normaliseTemplate } from '@/lib/diff/normalise';
import { deepEqual, isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';
import { isRecordedData, recordedData } from '@/lib/kube/recorded-data';
import { addSubtrees, withSubtree } from '@/lib/producers/add-subtrees';
import { markedSubtrees, type Obstacle, type Subtree } from '@/lib/producers/marked-subtrees';
import { type Producer } from '@/lib/producers/producer';
import { withPresentReplicas } from '@/lib/producers/replicas';
import { type Planned, type RollbackInput } from '@/lib/workloads/kind';
import { patchRight, patchWorkload, testUid } from '@/lib/workloads/patch';
import { type Finding } from '@/lib/workloads/plan';
import { objectAt } from '@/lib/workloads/read';
import { type ResourceType } from '@/lib/workloads/resource';
import { checkRollback, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { calledTarget, calledWithVersion } from '@/lib/workloads/rollback-target';
import { listed } from '@/lib/workloads/words';

const COPY = 'Copy the manifest of the revision, and apply of it what you need.';

/**
 * Return of an owner whose controller Shiplog does not know: only what a revision marks as replacing what is there, and
 * only where nothing else than such parts is recorded. A merge would need the schema of the resource, and the API server
 * refuses a strategic merge patch for a custom resource.
 */
export function planOwnerRollback(
  resource: ResourceType,
  producer: Producer | undefined,
  input: RollbackInput,
): Planned {
  const recorded = isRecordedData(input.template)
    ? markedSubtrees(input.template)
    : { subtrees: [], obstacles: [{ code: 'no_spec_patch' } as const] };
  const subtrees = recorded.subtrees.map((subtree) => withPresentReplicas(producer, input.present, subtree));
  const findings = [
    ...checkStandIn(input),
    ...checkProducer(producer, input),
    ...checkController(input),
    ...recorded.obstacles.slice(0, 1).flatMap((obstacle) => refuseObstacle(obstacle, input)),
    ...checkPlace(input, subtrees),
    ...checkEqual(input, subtrees),
    ...checkRollback(input).filter(({ code }) => !OWN_CODES.has(code)),
    UNKNOWN_CONTROLLER,
  ];
  return unlessRefused(findings, () => ({
    action: 'rollback',
    title: `Roll back to ${calledWithVersion(input.to)}`,
    write: patchWorkload(resource, input.workload, [
      testUid(input.workload),
      { op: 'test', path: '/metadata/resourceVersion', value: input.workload.resourceVersion },
      ...addSubtrees(specOf(input.present), subtrees),
    ]),
    needs: patchRight(resource, input.workload),
    steps: [
      `${listed(subtrees.map(placeOf), 4)} ${subtrees.length === 1 ? 'becomes' : 'become'} what revision ${calledTarget(input.to)} recorded.`,
      `What happens then is up to the controller of ${resource.kind}: how it replaces pods, and how it numbers this revision.`,
    ],
    stays: [
      ...(producer?.keepsReplicasOf === undefined
        ? []
        : [`The entries of spec.${producer.keepsReplicasOf.list} keep the replicas that they have now.`]),
      'Everything else in the spec stays, labels and annotations too.',
      'ConfigMaps, Secrets, Services and the ServiceAccount stay as they are now; they have no history.',
    ],
    kubectl: `# kubectl rollout undo knows no ${resource.kind}`,
  }));
}

/** Told otherwise here, or said of what only a pod template has. */
const OWN_CODES = new Set([
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
    'Shiplog does not know how this controller rolls out, so it cannot tell when the rollback is over.',
  action: 'Look at the difference below, and watch the object afterwards.',
};

function checkStandIn({ workload: { standIn, name } }: RollbackInput): Finding[] {
  switch (standIn?.state) {
    case 'gone':
      return refuseIf(
        true,
        'owner_gone',
        `The owner of these revisions is gone: there is nothing to roll back.`,
        COPY,
      );
    case 'unfollowed':
      return refuseIf(
        true,
        'owner_unfollowed',
        'The owner of these revisions is not read: there are more kinds of owners than Shiplog follows.',
        COPY,
      );
    case 'unreadable':
      return refuseIf(true, 'owner_unreadable', 'The owner of these revisions may not be read.', COPY);
    case 'component':
      return refuseIf(
        true,
        'one_component',
        `${standIn.owner?.kind ?? 'The owner'} ${standIn.owner?.name ?? name} has several components, and a revision of one of them does not stand in its spec.`,
        COPY,
      );
    case 'none':
      return refuseIf(
        true,
        'no_controller',
        'Nobody controls these revisions: there is nothing to roll back.',
        COPY,
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
      `What ${producer?.name ?? ''} keeps here is no history of rollouts, and ${calledTarget(to)} is nothing to go back to.`,
      COPY,
    ),
    ...refuseIf(producer?.noRollback !== undefined, 'unconfirmed', producer?.noRollback ?? '', COPY),
  ];
}

function checkController({ workload }: RollbackInput): Finding[] {
  const owner = workload.owners.find(({ controller }) => controller === true);
  if (owner === undefined) return [];
  return refuseIf(
    true,
    'owned',
    `${owner.kind} ${owner.name} controls ${workload.name} and would write its template again.`,
    `Change ${owner.kind} ${owner.name} instead.`,
  );
}

function refuseObstacle(obstacle: Obstacle, { to }: RollbackInput): Finding[] {
  const on = calledTarget(to);
  switch (obstacle.code) {
    case 'no_spec_patch':
      return refuseIf(
        true,
        'not_a_patch',
        `Revision ${on} does not record parts of the spec, so it is not known where they would have to be written.`,
        COPY,
      );
    case 'unmarked':
      return refuseIf(
        true,
        'unmarked',
        `Revision ${on} records ${placeOf(obstacle)} without saying that it replaces what is there now; merging it in might leave anything.`,
        COPY,
      );
    case 'directive':
      return refuseIf(
        true,
        'directive',
        `Revision ${on} says of ${placeOf(obstacle)} how to merge it, which the API server does not do for this resource.`,
        COPY,
      );
    case 'whole_spec':
      return refuseIf(
        true,
        'whole_spec',
        `Revision ${on} records the whole spec, the number of replicas and all other settings with it.`,
        COPY,
      );
    default:
      return obstacle satisfies never;
  }
}

/** A part cannot be put below something that is no object. */
function checkPlace({ present }: RollbackInput, subtrees: readonly Subtree[]): Finding[] {
  const lost = subtrees.find(({ path }) => !hasPlace(specOf(present), path.slice(0, -1)));
  return refuseIf(
    lost !== undefined,
    'no_place',
    `The present spec has no place for ${lost === undefined ? '' : placeOf(lost)}: it has another form now.`,
    COPY,
  );
}

function hasPlace(spec: Json | undefined, path: readonly string[]): boolean {
  if (spec === undefined) return true;
  if (!isJsonObject(spec)) return false;
  const [first, ...rest] = path;
  return first === undefined || hasPlace(memberOf(spec, first), rest);
}

function checkEqual({ present, to }: RollbackInput, subtrees: readonly Subtree[]): Finding[] {
  const before = { spec: specOf(present) };
  const after = { spec: subtrees.reduce<Json>(withSubtree, before.spec) };
  const isEqual = deepEqual(normaliseTemplate(recordedData(before)), normaliseTemplate(recordedData(after)));
  return refuseIf(
    subtrees.length > 0 && isEqual,
    'equal_target',
    `The present spec already equals revision ${calledTarget(to)}; there is nothing to do.`,
  );
}

function specOf(present: JsonObject): JsonObject {
  return objectAt(present, 'data', 'spec') ?? {};
}

function placeOf({ path }: { path: readonly string[] }): string {
  return ['spec', ...path].join('.');
}
