export const IN_PROGRESSING = 'rollouts.kruise.io/in-progressing';
const ROLLOUT_ID = 'rollouts.kruise.io/rollout-id';

/** CEL: the Rollout at hand steps through the workload at hand. */
export const STEPPED = [
  'params.spec.workloadRef.kind == request.kind.kind',
  'params.spec.workloadRef.name == object.metadata.name',
  'params.spec.workloadRef.apiVersion.startsWith(request.kind.group + "/")',
  '!has(params.metadata.deletionTimestamp)',
  '(!has(params.spec.disabled) || params.spec.disabled != true)',
].join(' && ');

const ID = `object.metadata.annotations[${JSON.stringify(ROLLOUT_ID)}]`;
const OLD_ID = `oldObject.metadata.annotations[${JSON.stringify(ROLLOUT_ID)}]`;

const IS_ANOTHER = `(${annotated('object', ROLLOUT_ID)} && ${ID} != "")
  ? (!${annotated('oldObject', ROLLOUT_ID)} || ${OLD_ID} != ${ID})
  : object.spec.template != oldObject.spec.template`;

const IS_ROUTED = ['canary', 'blueGreen']
  .map(
    (style) =>
      `(has(params.spec.strategy.${style}) && has(params.spec.strategy.${style}.trafficRoutings) && size(params.spec.strategy.${style}.trafficRoutings) > 0)`,
  )
  .join(' || ');

/** Traffic is not shared among more than two versions. */
const IS_ONE_VERSION =
  '(has(oldObject.status) && has(oldObject.status.updatedReplicas) && oldObject.status.updatedReplicas == oldObject.spec.replicas)';

/** CEL: a release begins with this write. */
export const BEGINS = [
  `(${IS_ANOTHER})`,
  '(!has(object.spec.replicas) || object.spec.replicas > 0)',
  `(${annotated('oldObject', IN_PROGRESSING)} || !(${IS_ROUTED}) || ${IS_ONE_VERSION})`,
].join(' && ');

/** CEL: somebody resumes a Deployment in the middle of a release. */
export const RUNS_AWAY = [
  annotated('oldObject', IN_PROGRESSING),
  annotated('object', IN_PROGRESSING),
  '!has(params.spec.strategy.blueGreen)',
  '(!has(object.spec.paused) || !object.spec.paused)',
].join(' && ');

function annotated(object: string, key: string): string {
  return `(has(${object}.metadata.annotations) && ${JSON.stringify(key)} in ${object}.metadata.annotations)`;
}
