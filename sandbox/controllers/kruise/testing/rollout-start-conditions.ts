export const IN_PROGRESSING = 'rollouts.kruise.io/in-progressing';
const ROLLOUT_ID = 'rollouts.kruise.io/rollout-id';

const DIRECT = 'has(params.spec.workloadRef)';
const DEEPER = '(has(params.spec.objectRef) && has(params.spec.objectRef.workloadRef))';

/** CEL: the current Rollout steps through the current workload. One without a workload is no error. */
export const STEPPED = [
  `(${DIRECT} || ${DEEPER})`,
  `${refer('kind')} == request.kind.kind`,
  `${refer('name')} == object.metadata.name`,
  `${refer('apiVersion')}.startsWith(request.kind.group + "/")`,
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

/** Traffic is not split among more than two versions. */
const IS_ONE_VERSION =
  '(has(oldObject.status) && has(oldObject.status.updatedReplicas) && oldObject.status.updatedReplicas == oldObject.spec.replicas)';

/** CEL: this write starts a rollout of a DaemonSet. */
export const BEGINS_ON_NODES = `(${IS_ANOTHER})`;

/** CEL: this write starts a rollout of any other kind. */
export const BEGINS = [
  BEGINS_ON_NODES,
  '(!has(object.spec.replicas) || object.spec.replicas > 0)',
  `(${annotated('oldObject', IN_PROGRESSING)} || !(${IS_ROUTED}) || ${IS_ONE_VERSION})`,
].join(' && ');

/** CEL: in the middle of a blue-green rollout the surge of a CloneSet holds all of its pods. */
export const IS_SURGING = `(${annotated('oldObject', IN_PROGRESSING)} && has(params.spec.strategy.blueGreen))`;

/** CEL: a Deployment is resumed in the middle of a rollout. */
export const RUNS_AWAY = [
  annotated('oldObject', IN_PROGRESSING),
  annotated('object', IN_PROGRESSING),
  '!has(params.spec.strategy.blueGreen)',
  '(!has(object.spec.paused) || !object.spec.paused)',
].join(' && ');

/** v1alpha1 has the workload one level deeper, and an API server without conversion stores it there. */
function refer(member: string): string {
  return `(${DIRECT} ? params.spec.workloadRef.${member} : params.spec.objectRef.workloadRef.${member})`;
}

export function annotated(object: string, key: string): string {
  return `(has(${object}.metadata.annotations) && ${JSON.stringify(key)} in ${object}.metadata.annotations)`;
}
