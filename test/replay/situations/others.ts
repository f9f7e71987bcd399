import { fill } from './fill';
import { Fleet, type FleetPlay } from './fleet';
import { daemonSet, deployment } from './native';
import { condition, type JsonObject, type KubeObject, type Play, type Scene, time } from './scene';
import tables from './tables.json' with { type: 'json' };

/** A Canary of Flagger: its target, and the primary that serves. */
export function flaggerCanary(scene: Scene): Play {
  const make = scene.chance(80) ? deployment : daemonSet;
  const target: FleetPlay = make(scene);
  const { fleet } = target;
  const given = { replicas: fleet.replicas, revisions: 1 + scene.int(2), template: fleet.stable.template };
  const primary = make(scene, { ...given, name: `${fleet.name}-primary` });
  const [uid, at] = [scene.uid(), scene.ago(800_000)];
  const analysis: JsonObject | null = scene.pick(tables.flagger.analyses);
  const webhooks = scene.chance(50) ? tables.flagger.webhooks : undefined;
  const isSkipping = scene.chance(6);
  let [phase, since, weight, failed, isSuspended] = ['', at, 0, 0, false];

  function enter(): void {
    phase = scene.weighted(tables.flagger.phases);
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
    const deletionTimestamp = phase === 'Terminating' ? time(since) : undefined;
    const word = phase === 'Succeeded' ? 'True' : phase === 'Failed' ? 'False' : 'Unknown';
    const promoted = condition('Promoted', word, since, phase, `${phase} by the analysis`);
    const iteration = weight % 9;
    const status = { phase, weight, failed, iteration, since: time(since), promoted };
    const canary = fill<KubeObject>('Canary', {
      metadata: scene.meta(fleet.name, { uid, at, generation: 1, deletionTimestamp }),
      fleet,
      name: scene.namespace.endsWith('42') ? 'gone' : fleet.name,
      isSuspended,
      isSkipping,
      analysis: analysis === null ? undefined : { ...analysis, webhooks },
      status: phase === '' ? undefined : fill('Canary.status', status),
    });
    return [canary, ...target.render(), ...primary.render()];
  }

  function change(): void {
    if (scene.chance(65)) enter();
    else target.change();
    if (scene.chance(30)) primary.change();
  }
  return { change, render };
}

/** ControllerRevisions whose owner is of another kind, or is missing. */
export function ownedRevisions(scene: Scene): Play {
  const [apiVersion = '', kind = ''] = scene.pick(tables.owners);
  const isTemplate = kind === 'StatefulSet' || scene.chance(40);
  const data = { size: scene.int(9), mode: 'fast' };
  const fleet = new Fleet(scene, {
    apiVersion,
    kind,
    source: 'ControllerRevision',
    ordered: scene.chance(50),
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
