import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { boundedName, writtenAt } from '@/lib/rollout/bounded';
import {
  MANAGED_BY_SHIPLOG,
  RECORD_ANNOTATION,
  ROLLOUT_ID,
  ROLLOUT_NAME,
  rolloutHistories,
} from '@/lib/rollout/openkruise/resources';
import type { ControllerRecord } from '@/lib/rollout/controller-record';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { cleanTemplate, imagesOf } from '@/lib/workloads/template-facts';
import type { Template } from '@/lib/history/workload';

/** The memory limit of one object. Anyone with create permission can put any content into it. */
const STEPS_MAX = 100;
const PODS_MAX = 1_000;
const IMAGES_MAX = 50;

/**
 * A RolloutHistory without the specs that it copies. Everything but its labels is filled in at the end of a
 * rollout, so `content` is null before. Never throws.
 * https://github.com/openkruise/rollouts/blob/master/api/v1alpha1/rollouthistory_types.go
 */
export function parseRolloutHistory(
  object: KubeObject,
  idOf: (template: Template) => string,
): ControllerRecord {
  const { metadata, spec, status } = object;
  const labels = metadata.labels ?? {};
  const isOwn = Object.entries(MANAGED_BY_SHIPLOG).every(([key, value]) => labels[key] === value);
  return {
    resource: rolloutHistories.id,
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    createdAt: metadata.creationTimestamp,
    deletedAt: metadata.deletionTimestamp ?? null,
    // The only evidence of when it was completed.
    completedAt: textAt(status, 'phase') === undefined ? null : writtenAt(object, 'status'),
    rollout: labels[ROLLOUT_NAME] || null,
    rolloutId: labels[ROLLOUT_ID] || null,
    phase: boundedName(status, 'phase') ?? '',
    content: contentOf(spec, idOf),
    steps: stepsOf(status),
    ownRecord: isOwn ? ownRecordOf(object) : null,
  };
}

/** The template that it holds, as a revision would; undefined where it holds none. */
export function templateOfRolloutHistory(object: KubeObject): Template | undefined {
  const template = objectAt(object.spec, 'workload', 'data', 'template');
  return template === undefined ? undefined : cleanTemplate(template);
}

/** Without the annotation the id of the rollout is that of the record. */
function ownRecordOf({ metadata: { annotations = {} }, spec }: KubeObject): string | null {
  return boundedName(annotations, RECORD_ANNOTATION) ?? boundedName(spec, 'rollout', 'rolloutID');
}

function contentOf(
  spec: JsonObject | undefined,
  idOf: (template: Template) => string,
): ControllerRecord['content'] {
  const rollout = boundedName(spec, 'rollout', 'name');
  if (rollout === null) return null;
  const written = objectAt(spec, 'workload', 'data', 'template');
  const template = written === undefined ? null : cleanTemplate(written);
  const name = boundedName(spec, 'workload', 'name');
  const steps = objectAt(spec, 'rollout', 'data', 'strategy', 'canary');
  return {
    rollout,
    rolloutId: boundedName(spec, 'rollout', 'rolloutID') ?? '',
    workload:
      name === null
        ? null
        : {
            apiVersion: boundedName(spec, 'workload', 'apiVersion') ?? '',
            kind: boundedName(spec, 'workload', 'kind') ?? '',
            name,
            replicas: numberAt(spec, 'workload', 'data', 'replicas') ?? null,
          },
    templateId: template === null ? null : idOf(template),
    images:
      template === null
        ? []
        : imagesOf(template)
            .slice(0, IMAGES_MAX)
            .map(({ container, image }) => ({ container, image })),
    service: boundedName(spec, 'service', 'name'),
    ingress: boundedName(spec, 'trafficRouting', 'ingress', 'name'),
    httpRoute: boundedName(spec, 'trafficRouting', 'httpRoute', 'name'),
    plannedSteps: steps === undefined ? null : objectsAt(steps, 'steps').length,
  };
}

function stepsOf(status: JsonObject | undefined): ControllerRecord['steps'] {
  let room = PODS_MAX;
  return objectsAt(status, 'canarySteps')
    .slice(0, STEPS_MAX)
    .map((step, offset) => {
      const all = objectsAt(step, 'pods');
      const pods = all.slice(0, room).map((pod) => ({
        name: boundedName(pod, 'name') ?? '',
        ip: boundedName(pod, 'ip'),
        node: boundedName(pod, 'nodeName'),
      }));
      room -= pods.length;
      return { index: numberAt(step, 'canaryStepIndex') ?? offset + 1, pods, podCount: all.length };
    });
}
