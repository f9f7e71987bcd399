import { podDraft } from '@/sandbox/controllers/runtime/pod-control';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { isReady } from '@/sandbox/controllers/objects/pod';
import {
  type PodSet,
  type PodSetStrategy,
  runPodSets,
} from '@/sandbox/controllers/pod-set/pod-set-controller';
import { REVISION_LABEL } from '@/sandbox/controllers/revisions/controller-revisions';
import { moveByPlace } from '@/sandbox/engine/pod-set';

export function runStormServices(manager: ControllerManager): void {
  runPodSets(manager, stormServices);
}

/**
 * A StormService of AIBrix, as far as its history and its counts require: without RoleSets, so its template is that of its
 * pods, which are replaced one after the other.
 * https://github.com/vllm-project/aibrix/tree/main/pkg/controller/stormservice
 */
const stormServices: PodSetStrategy<PodSet & { spec: { replicas: number } }> = {
  kind: 'stormservices.orchestration.aibrix.ai',
  component: 'storm-service-controller',
  fieldManager: 'kube-controller-manager',
  withDefaults: (service) => {
    const matchLabels = { ...service.spec.template.metadata?.labels };
    return { ...service, spec: { ...service.spec, selector: { matchLabels } } };
  },
  plan: ({ set }, members) => {
    const places = Array.from({ length: set.spec.replicas }, (_, index) => `${set.metadata.name}-${index}`);
    const turn = places.toReversed();
    return moveByPlace({ places, turn, isOrdered: false, surge: 0, unavailable: 1, isHeld: false }, members);
  },
  draft: ({ set }, { place, template }) => {
    const { metadata, spec } = podDraft(set, template);
    return { metadata: { ...metadata, name: place }, spec };
  },
  status: ({ set, revisions }, pods) => {
    const { current, update } = revisions;
    const updated = pods.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === update.metadata.name);
    const isComplete = updated.length === set.spec.replicas && updated.every(isReady);
    return {
      observedGeneration: set.metadata.generation ?? 0,
      replicas: pods.length,
      readyReplicas: pods.filter(isReady).length,
      updatedReplicas: updated.length,
      currentRevision: (isComplete ? update : current).metadata.name,
      updateRevision: update.metadata.name,
    };
  },
};
