import { Fleet, type FleetPlay } from './fleet';
import { daemonSet, deployment } from './native';
import { condition, type KubeObject, type Play, type Scene, time } from './scene';

const PHASES = {
  ...{
    Initializing: 6,
    Initialized: 8,
    Waiting: 6,
    Progressing: 30,
    WaitingPromotion: 7,
    Promoting: 7,
    Finalising: 6,
  },
  ...{ Succeeded: 12, Failed: 9, Terminating: 2, Terminated: 1, '': 3, Dreaming: 2 },
};
const ANALYSES = [
  { stepWeight: 10, maxWeight: 50, threshold: 5 },
  { stepWeights: [5, 20, 60], threshold: 2 },
  { iterations: 10, threshold: 3 },
  { stepWeight: 30 },
  undefined,
];

/** A Canary of Flagger: its target, and the primary that serves. */
export function flaggerCanary(scene: Scene): Play {
  const make = scene.chance(80) ? deployment : daemonSet;
  const target: FleetPlay = make(scene);
  const { fleet } = target;
  const primary = make(scene, {
    name: `${fleet.name}-primary`,
    replicas: fleet.replicas,
    revisions: 1 + scene.int(2),
    template: fleet.stable.template,
  });
  const [uid, at] = [scene.uid(), scene.ago(800_000)];
  const analysis = scene.pick(ANALYSES);
  const webhooks = ['confirm-rollout', 'confirm-promotion', 'rollback'].map((type) => ({
    type,
    name: `${type}-gate`,
  }));
  const hasGates = scene.chance(50);
  const isSkipping = scene.chance(6);
  let [phase, since, weight, failed, isSuspended] = ['', at, 0, 0, false];

  function enter(): void {
    phase = scene.weighted(PHASES);
    since = scene.ago(scene.age());
    weight = scene.pick([0, 5, 10, 20, 30, 50, 60]);
    failed = scene.pick([0, 0, 1, 2]);
    isSuspended = scene.chance(12);
    const isIdle = ['Initialized', 'Succeeded', 'Failed'].includes(phase);
    if (isIdle) fleet.scaleTo(0);
    else if (fleet.replicas === 0) fleet.scaleTo(1 + scene.int(3));
  }
  enter();

  function render(): KubeObject[] {
    const { options, name } = fleet;
    const { apiVersion, kind } = options;
    const targetRef = { apiVersion, kind, name: scene.namespace.endsWith('42') ? 'gone' : name };
    const promoted = phase === 'Succeeded' ? 'True' : phase === 'Failed' ? 'False' : 'Unknown';
    const canary: KubeObject = {
      ...{ apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
      metadata: scene.meta(name, {
        uid,
        at,
        generation: 1,
        deletionTimestamp: phase === 'Terminating' ? time(since) : undefined,
      }),
      spec: {
        ...{ targetRef, suspend: isSuspended || undefined, skipAnalysis: isSkipping || undefined },
        analysis:
          analysis === undefined ? undefined : { ...analysis, webhooks: hasGates ? webhooks : undefined },
      },
      status:
        phase === ''
          ? undefined
          : {
              ...{ phase, canaryWeight: weight, failedChecks: failed, iterations: weight % 9 },
              lastTransitionTime: time(since),
              conditions: [condition('Promoted', promoted, since, phase, `${phase} by the analysis`)],
            },
    };
    return [canary, ...target.render(), ...primary.render()];
  }

  function change(): void {
    if (scene.chance(65)) enter();
    else target.change();
    if (scene.chance(30)) primary.change();
  }
  return { change, render };
}

const OWNERS = [
  ['ml.example.com/v1', 'Model'],
  ['apps.kruise.io/v1alpha1', 'SidecarSet'],
  ['core.oam.dev/v1beta1', 'Application'],
  ['apps/v1', 'StatefulSet'],
] as const;

/** ControllerRevisions whose owner is of another kind, or is missing. */
export function ownedRevisions(scene: Scene): Play {
  const [apiVersion, kind] = scene.pick(OWNERS);
  const isTemplate = kind === 'StatefulSet' || scene.chance(40);
  const data = { size: scene.int(9), mode: 'fast' };
  const fleet = new Fleet(scene, {
    ...{ apiVersion, kind, source: 'ControllerRevision', ordered: scene.chance(50) },
    hashLabel: scene.maybe(25, 'controller.oam.dev/component'),
    labelOf: scene.chance(25) ? () => 'cart' : undefined,
    recordOf: isTemplate ? undefined : (template) => ({ ...data, image: template['spec'] }),
  });
  const isUnowned = scene.chance(15);
  function render(): KubeObject[] {
    fleet.gone = true;
    for (const revision of fleet.revisions) if (isUnowned) revision.owner = null;
    return fleet.render({}, {});
  }
  return { change: () => fleet.change(), render };
}
