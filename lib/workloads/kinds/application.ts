import { definitionsOf } from '@/lib/workloads/application/body';
import { componentsOf } from '@/lib/workloads/application/components';
import { tellEmbeddedRollout } from '@/lib/workloads/application/embedded-rollout';
import { previousRevision, readHistory } from '@/lib/workloads/application/history';
import {
  APPLICATION_NAME,
  APPLICATION_NAMESPACE,
  APPLICATION_REVISION,
  applications,
} from '@/lib/workloads/application/resource';
import { notesOnRevision } from '@/lib/workloads/application/revision-notes';
import { planRollback } from '@/lib/workloads/application/rollback';
import {
  applicationPlace,
  describeDelivery,
  presentApplication,
  tellUnread,
} from '@/lib/workloads/application/spec';
import { applicationStatus, isObserved, isPublished } from '@/lib/workloads/application/status';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { applicationRevisions } from '@/lib/workloads/sources/application-revisions';

/** https://kubevela.io/docs/core-concepts/application */
export const application: WorkloadKind = {
  resource: applications,
  source: applicationRevisions,
  template: applicationPlace,
  podOwner: 'made',
  podMarks: [APPLICATION_REVISION],
  makerOf({ resource, labels, namespace }) {
    // One may deploy another, which has a history of its own.
    if (resource === applications.id) return null;
    const name = Object.hasOwn(labels, APPLICATION_NAME) ? labels[APPLICATION_NAME] : undefined;
    const place = Object.hasOwn(labels, APPLICATION_NAMESPACE) ? labels[APPLICATION_NAMESPACE] : namespace;
    return name === undefined || name === '' || place !== namespace
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
  oddities: (workload, present, target) => [
    ...tellUnread(workload, present, target),
    ...tellEmbeddedRollout(workload, present),
  ],
  keepsNumbers: true,
  notesOn: notesOnRevision,
  presentFor: presentApplication,
  planRollback,
  controls: {},
  previous: previousRevision,
};
