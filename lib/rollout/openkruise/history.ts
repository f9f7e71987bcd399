import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { OWN_LABEL, OWN_RECORD } from '@/lib/ledger/rollout-history';
import { word, writtenAt } from '@/lib/rollout/bounded';
import { ROLLOUT_ID, ROLLOUT_NAME, rolloutHistories } from '@/lib/rollout/openkruise/resources';
import { type ReleaseRecord } from '@/lib/rollout/release-record';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/workloads/read';
import { cleanTemplate, imagesOf } from '@/lib/workloads/summarise';
import { type Template } from '@/lib/workloads/workload';

/** What one object may take of our memory. Anybody with the right to create can put anything into it. */
const STEPS_MAX = 100;
const PODS_MAX = 1_000;
const IMAGES_MAX = 50;

/**
 * A RolloutHistory without the specs that it copies. Everything but its labels is filled in at the end of a release, so
 * `content` is null before. Never throws.
 * https://github.com/openkruise/rollouts/blob/master/api/v1alpha1/rollouthistory_types.go
 */
export function parseHistory(object: KubeObject, idOf: (template: Template) => string): ReleaseRecord {
  const { metadata, spec, status } = object;
  const labels = metadata.labels ?? {};
  const isOwn = Object.entries(OWN_LABEL).every(([key, value]) => labels[key] === value);
  return {
    resource: rolloutHistories.id,
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    createdAt: metadata.creationTimestamp,
    deletedAt: metadata.deletionTimestamp ?? null,
    // The only trace of when it was completed.
    completedAt: textAt(status, 'phase') === undefined ? null : writtenAt(object, 'status'),
    rollout: labels[ROLLOUT_NAME] || null,
    releaseId: labels[ROLLOUT_ID] || null,
    phase: word(status, 'phase') ?? '',
    content: contentOf(spec, idOf),
    steps: stepsOf(status),
    ownRecord: isOwn ? ownRecordOf(object) : null,
  };
}

/** The template that it holds, as a revision would; undefined where it holds none. */
export function templateOfHistory(object: KubeObject): Template | undefined {
  const template = objectAt(object.spec, 'workload', 'data', 'template');
  return template === undefined ? undefined : cleanTemplate(template);
}

/** Without the annotation the id of the release is that of the record. */
function ownRecordOf({ metadata: { annotations = {} }, spec }: KubeObject): string | null {
  return word(annotations, OWN_RECORD) ?? word(spec, 'rollout', 'rolloutID');
}

function contentOf(
  spec: JsonObject | undefined,
  idOf: (template: Template) => string,
): ReleaseRecord['content'] {
  const rollout = word(spec, 'rollout', 'name');
  if (rollout === null) return null;
  const written = objectAt(spec, 'workload', 'data', 'template');
  const template = written === undefined ? null : cleanTemplate(written);
  const name = word(spec, 'workload', 'name');
  const steps = objectAt(spec, 'rollout', 'data', 'strategy', 'canary');
  return {
    rollout,
    releaseId: word(spec, 'rollout', 'rolloutID') ?? '',
    workload:
      name === null
        ? null
        : {
            apiVersion: word(spec, 'workload', 'apiVersion') ?? '',
            kind: word(spec, 'workload', 'kind') ?? '',
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
    service: word(spec, 'service', 'name'),
    ingress: word(spec, 'trafficRouting', 'ingress', 'name'),
    httpRoute: word(spec, 'trafficRouting', 'httpRoute', 'name'),
    plannedSteps: steps === undefined ? null : objectsAt(steps, 'steps').length,
  };
}

function stepsOf(status: JsonObject | undefined): ReleaseRecord['steps'] {
  let room = PODS_MAX;
  return objectsAt(status, 'canarySteps')
    .slice(0, STEPS_MAX)
    .map((step, offset) => {
      const all = objectsAt(step, 'pods');
      const pods = all.slice(0, room).map((pod) => ({
        name: word(pod, 'name') ?? '',
        ip: word(pod, 'ip'),
        node: word(pod, 'nodeName'),
      }));
      room -= pods.length;
      return { index: numberAt(step, 'canaryStepIndex') ?? offset + 1, pods, podCount: all.length };
    });
}
