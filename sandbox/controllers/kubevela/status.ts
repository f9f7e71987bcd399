import { createHash } from 'node:crypto';
import {
  type Application,
  type ApplicationStatus,
  publishVersionOf,
  type WorkflowStatus,
} from '@/sandbox/controllers/kubevela/application';
import { type ComponentHealth } from '@/sandbox/controllers/kubevela/components';
import { type Chosen } from '@/sandbox/controllers/kubevela/revisions';
import { timeText } from '@/sandbox/controllers/objects/time';

/** The status of an Application while its components are applied, and when they are healthy. */
export function statusOf(
  app: Application,
  { latest }: Chosen,
  services: readonly ComponentHealth[],
  nowMs: number,
): ApplicationStatus {
  const isHealthy = services.every((service) => service.isHealthy);
  const workflow = workflowOf(app, publishVersionOf(app) ?? latest.name, services, nowMs);
  return {
    status: !workflow.finished ? 'runningWorkflow' : isHealthy ? 'running' : 'unhealthy',
    observedGeneration: app.metadata.generation ?? 0,
    latestRevision: latest,
    workflow,
    services: services.map(({ component, isHealthy, message }) => ({
      name: component.name,
      namespace: app.metadata.namespace ?? '',
      workloadDefinition: { apiVersion: 'apps/v1', kind: 'Deployment' },
      healthy: isHealthy,
      message,
      traits: (component.traits ?? []).map(({ type }) => ({ type, healthy: true })),
    })),
    appliedResources: services.map(({ component }) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: component.name,
      namespace: app.metadata.namespace ?? '',
      creator: 'workflow',
    })),
  };
}

/**
 * Without steps of its own there is one for each component. It restarts with another publishVersion, or
 * without one with another revision.
 */
function workflowOf(
  { status, metadata }: Application,
  appRevision: string,
  services: readonly ComponentHealth[],
  nowMs: number,
): WorkflowStatus {
  const before = status.workflow?.appRevision === appRevision ? status.workflow : undefined;
  if (before?.finished === true) return before;
  const finished = services.every(({ isHealthy }) => isHealthy);
  return {
    appRevision,
    mode: 'DAG-DAG',
    status: finished ? 'succeeded' : 'executing',
    suspend: false,
    terminated: false,
    finished,
    startTime: before?.startTime ?? timeText(nowMs),
    ...(finished && { endTime: timeText(nowMs) }),
    steps: services.map(({ component, isHealthy }) => ({
      id: createHash('sha1').update(`${metadata.uid}/${component.name}`).digest('hex').slice(0, 10),
      name: component.name,
      type: 'apply-component',
      phase: isHealthy ? 'succeeded' : 'running',
    })),
  };
}
