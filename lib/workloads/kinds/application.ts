import { definitionsOf, readRecordedBody } from '@/lib/workloads/application/body';
import { previousRevision, readHistory } from '@/lib/workloads/application/history';
import {
  APPLICATION_NAME,
  APPLICATION_NAMESPACE,
  APPLICATION_REVISION,
  applications,
  COMPONENT,
  KUBEVELA_VERSION,
  applicationRevisionResource,
} from '@/lib/workloads/application/resource';
import { planRollback } from '@/lib/workloads/application/rollback';
import {
  applicationTemplateLocation,
  describeDelivery,
  comparableApplication,
  describeUnreadSpec,
  outlinedComponents,
} from '@/lib/workloads/application/spec';
import { applicationFacts, isObserved, isPublished } from '@/lib/workloads/application/facts';
import type { WorkloadKind, ComponentState, WorkloadWithHistory, SourceKind } from '@/lib/workloads/kind';
import { objectsAt, textAt, numberAt, objectAt } from '@/lib/kube/read';
import type { Workload, RevisionRun, RevisionSource, Template, SourceNumber } from '@/lib/history/workload';
import { publishVersionOf } from '@/lib/workloads/application/revision-names';
import { isApplicationBody } from '@/lib/kube/application-body';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { readNumber } from '@/lib/workloads/sources/replica-sets';

const NUMBERED = /-v(\d+)$/;

/**
 * ApplicationRevisions carry the revisions of Applications; the number is the end of the name, and the
 * content is often compressed.
 * https://github.com/kubevela/kubevela/blob/master/pkg/controller/core.oam.dev/v1beta1/application/revision.go
 */
export const applicationRevisions: SourceKind = {
  resource: applicationRevisionResource,
  templateOf: (source) => readRecordedBody(source.spec),
  numberOf,
  formerNumbersOf: () => [],
  ownsNumber: (fields) => objectAt(fields, 'f:spec') !== undefined,
  scaleOf: () => null,
  runOf,
};

function numberOf({ metadata: { name } }: KubeObject): SourceNumber {
  return readNumber(NUMBERED.exec(name)?.[1]);
}

function runOf({ status }: KubeObject): RevisionRun {
  const workflow = objectAt(status, 'workflow');
  return {
    state: stateOf(status?.succeeded === true, workflow),
    startedAt: textAt(workflow, 'startTime') ?? null,
    endedAt: textAt(workflow, 'endTime') ?? null,
  };
}

/** As in `vela revision list`: a workflow that has neither completed nor stopped has failed or continues. */
function stateOf(succeeded: boolean, workflow: ReturnType<typeof objectAt>): RevisionRun['state'] {
  if (succeeded) return 'succeeded';
  if (workflow === undefined) return 'notStarted';
  if (workflow.terminated === true) return 'terminated';
  if (workflow.suspend === true) return 'suspended';
  return workflow.finished === true ? 'failed' : 'running';
}

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
function revisionNotes(source: RevisionSource): string[] {
  const { run, annotations } = source;
  const published = publishVersionOf(source);
  const version = textAt(annotations, KUBEVELA_VERSION);
  return [
    ...(run === undefined ? [] : [RUN_TEXT[run.state]]),
    ...(published === null || published === '' ? [] : [`published as ${published}`]),
    ...(version === undefined || version === '' ? [] : [`KubeVela ${version}`]),
  ];
}

/** https://kubevela.io/docs/core-concepts/application */
export const application: WorkloadKind = {
  resource: applications,
  source: applicationRevisions,
  template: {
    location: applicationTemplateLocation,
    comparable: comparableApplication,
    notes: (workload, current, target) => [
      ...describeUnreadSpec(workload, current, target),
      ...describeEmbeddedRollout(workload, current),
    ],
    embeddedObjects: definitionsOf,
  },
  pods: { owner: 'generated', metadataKeys: [APPLICATION_REVISION] },
  history: readHistory,
  facts: applicationFacts,
  settings: (workload) => ({ desiredPods: 0, strategy: describeDelivery(workload) }),
  generator: {
    of({ resource, labels, namespace }) {
      // One may deploy another, which has its own history.
      if (resource === applications.id) return null;
      const name = textAt(labels, APPLICATION_NAME);
      const applicationNamespace = Object.hasOwn(labels, APPLICATION_NAMESPACE)
        ? labels[APPLICATION_NAMESPACE]
        : namespace;
      return name === undefined || name === '' || applicationNamespace !== namespace
        ? null
        : { resource: applications.id, name };
    },
    components: componentsOf,
  },
  revisions: { keepsNumbers: true, notes: revisionNotes },
  writes: {
    rollback: planRollback,
    isObserved: ({ workload, history }) => isObserved(workload) && isPublished(workload, history),
  },
  previous: previousRevision,
};

/**
 * The components with their health and the workloads created from them; workloads without a component's name
 * come last.
 */
function componentsOf({
  workload,
  children = [],
}: Pick<WorkloadWithHistory, 'workload' | 'children'>): ComponentState[] {
  const workloadsByComponent = Map.groupBy(children, componentOf);
  const services = Map.groupBy(
    objectsAt(workload.status, 'services'),
    (service) => textAt(service, 'name') ?? '',
  );
  const known = outlinedComponents(workload).map(({ name, type }) => {
    const own = services.get(name) ?? [];
    const unhealthy = own.find(({ healthy }) => healthy !== true);
    return {
      name,
      type,
      healthy: own.length === 0 ? null : unhealthy === undefined,
      message: textAt(unhealthy ?? own[0], 'message') ?? null,
      workloads: workloadsByComponent.get(name) ?? [],
    };
  });
  const names = new Set(known.map(({ name }) => name));
  const others = [...workloadsByComponent].filter(([name]) => !names.has(name));
  return [
    ...known,
    ...others.map(([name, workloads]) => ({ name, type: '', healthy: null, message: null, workloads })),
  ];
}

function componentOf({ labels }: Workload): string {
  return textAt(labels, COMPONENT) ?? '';
}

/**
 * A rollout in batches that the Application itself contains, as in KubeVela 1.0 and 1.1, with its last
 * reported progress; none without such a plan.
 * https://github.com/kubevela/kubevela/blob/v1.1.13/apis/core.oam.dev/v1beta1/application_types.go
 */
export function describeEmbeddedRollout(
  { status }: Pick<Workload, 'status'>,
  currentTemplate: Template,
): string[] {
  const plan = isApplicationBody(currentTemplate)
    ? objectAt(currentTemplate.application, 'rolloutPlan')
    : undefined;
  const rolloutStatus = objectAt(status, 'rollout');
  if (plan === undefined && rolloutStatus === undefined) return [];
  const stateText =
    rolloutStatus === undefined ? '' : ` Last reported state: ${formatRolloutState(rolloutStatus, plan)}.`;
  return [`It has a rollout plan in batches, which only KubeVela 1.0 and 1.1 use.${stateText}`];
}

function formatRolloutState(rolloutStatus: JsonObject, plan: JsonObject | undefined): string {
  const batch = numberAt(rolloutStatus, 'currentBatch');
  const total = objectsAt(plan, 'rolloutBatches').length;
  const batches = total === 0 ? '' : ` of ${total}`;
  return [
    textAt(rolloutStatus, 'rollingState') ?? 'unknown',
    ...(batch === undefined ? [] : [`batch ${batch + 1}${batches}`]),
    textAt(rolloutStatus, 'batchRollingState') ?? '',
  ]
    .filter(Boolean)
    .join(', ');
}
