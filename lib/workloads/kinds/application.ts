import { definitionsOf } from '@/lib/workloads/application/body';
import { componentsOf } from '@/lib/workloads/application/components';
import { describeEmbeddedRollout } from '@/lib/workloads/application/embedded-rollout';
import { previousRevision, readHistory } from '@/lib/workloads/application/history';
import {
  APPLICATION_NAME,
  APPLICATION_NAMESPACE,
  APPLICATION_REVISION,
  applications,
} from '@/lib/workloads/application/resource';
import { revisionNotes } from '@/lib/workloads/application/revision-notes';
import { planRollback } from '@/lib/workloads/application/rollback';
import {
  applicationTemplateLocation,
  describeDelivery,
  comparableApplication,
  describeUnreadSpec,
} from '@/lib/workloads/application/spec';
import { applicationStatus, isObserved, isPublished } from '@/lib/workloads/application/status';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { applicationRevisions } from '@/lib/workloads/sources/application-revisions';

/** https://kubevela.io/docs/core-concepts/application */
export const application: WorkloadKind = {
  resource: applications,
  source: applicationRevisions,
  template: applicationTemplateLocation,
  podOwner: 'generated',
  podMetadataKeys: [APPLICATION_REVISION],
  generatorOf({ resource, labels, namespace }) {
    // One may deploy another, which has its own history.
    if (resource === applications.id) return null;
    const name = Object.hasOwn(labels, APPLICATION_NAME) ? labels[APPLICATION_NAME] : undefined;
    const applicationNamespace = Object.hasOwn(labels, APPLICATION_NAMESPACE)
      ? labels[APPLICATION_NAMESPACE]
      : namespace;
    return name === undefined || name === '' || applicationNamespace !== namespace
      ? null
      : { resource: applications.id, name };
  },
  history: readHistory,
  status: applicationStatus,
  strategy: describeDelivery,
  desiredPods: () => 0,
  isPaused: () => false,
  partition: () => null,
  isObserved: ({ workload, history }) => isObserved(workload) && isPublished(workload, history),
  surgePods: () => 0,
  components: componentsOf,
  recordedObjects: definitionsOf,
  templateNotes: (workload, current, target) => [
    ...describeUnreadSpec(workload, current, target),
    ...describeEmbeddedRollout(workload, current),
  ],
  keepsNumbers: true,
  revisionNotes,
  comparableTemplate: comparableApplication,
  writes: { rollback: planRollback },
  previous: previousRevision,
};
