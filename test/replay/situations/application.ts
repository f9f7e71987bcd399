import { fill } from './fill';
import { deployment, statefulSet } from './native';
import { type JsonObject, type KubeObject, ownerOf, type Play, type Scene, time } from './scene';
import tables from './tables.json' with { type: 'json' };

/** An Application of KubeVela with its revisions, and what it has deployed. */
export function application(scene: Scene): Play {
  const child = (scene.chance(75) ? deployment : statefulSet)(scene);
  const { fleet } = child;
  const uid = scene.uid();
  const at = scene.ago(2_000_000);
  const annotations = { 'app.oam.dev/publishVersion': scene.maybe(20, 'v1') };
  const oddity = scene.weighted(tables.application.oddities);
  let phase = scene.weighted(tables.application.phases);
  let since = scene.ago(scene.age());
  let [generation, observed] = [4, 4];
  let deletedAt: number | undefined;

  function specOf(template: JsonObject): JsonObject {
    const policies = scene.namespace.endsWith('2') ? fill('Application.policies', {}) : undefined;
    const isStepped = scene.namespace.endsWith('4');
    const workflow = isStepped ? { steps: [{ name: 'deploy', type: 'deploy' }] } : undefined;
    return fill('Application.spec', { template, policies, workflow });
  }

  function revisionOf(revision: (typeof fleet.revisions)[number]): KubeObject {
    const { number, hash, template, written = revision.at } = revision;
    const isOver = revision !== fleet.target || phase === 'running';
    const known = oddity === 'sameHash' ? 'same' : hash;
    const metadata = scene.meta(nameOf(number), {
      uid: `${uid.slice(0, -12)}${revision.uid.slice(-12)}`,
      at: revision.at,
      ownerReferences: ownerOf(
        { apiVersion: 'core.oam.dev/v1beta1', kind: 'Application', name: 'shop' },
        uid,
      ),
      labels: { 'app.oam.dev/app-revision-hash': oddity === 'noHash' ? undefined : known },
      annotations,
    });
    const body = { application: { spec: specOf(template) } };
    return fill('ApplicationRevision', {
      metadata,
      spec: oddity === 'packed' ? { compression: { type: 'zstd', data: 'KLUv/QBYAAA=' } } : body,
      isOver,
      started: time(written),
      ended: isOver ? time(written + 60_000) : undefined,
      isSuspended: phase === 'workflowSuspending',
    });
  }

  function render(): KubeObject[] {
    const { target, replicas } = fleet;
    fleet.extraLabels = {
      'app.oam.dev/name': 'shop',
      'app.oam.dev/component': 'web',
      'app.oam.dev/appRevision': nameOf(target.number),
      'app.oam.dev/namespace': oddity === 'otherNamespace' ? 'elsewhere' : undefined,
    };
    fleet.podLabels = ({ revision }) => ({
      'app.oam.dev/appRevision': nameOf(fleet.revisions.find(({ hash }) => hash === revision)?.number ?? 0),
    });
    const isHealthy = phase === 'running' || (phase !== 'unhealthy' && fleet.isComplete);
    const steps: Partial<Record<string, string>> = tables.application.steps;
    const status = fill('Application.status', {
      phase,
      observed,
      target,
      name: nameOf(target.number),
      isHealthy,
      message: isHealthy ? undefined : `Ready:${fleet.counts().ready}/${replicas}`,
      started: time(since),
      ended: phase === 'running' ? time(since + 5_000) : undefined,
      step: steps[phase] ?? 'succeeded',
      problem: phase === 'workflowFailed' ? 'cannot apply' : undefined,
    });
    const object = fill<KubeObject>('Application', {
      metadata: scene.meta('shop', { uid, at, generation, deletionTimestamp: time(deletedAt), annotations }),
      spec: specOf(fleet.template),
      status: oddity === 'noStatus' ? undefined : status,
    });
    return [object, ...fleet.revisions.map(revisionOf), ...child.render()];
  }

  function change(): void {
    if (scene.chance(60)) child.change();
    if (scene.chance(55))
      [phase, since] = [scene.weighted(tables.application.phases), scene.ago(scene.age())];
    generation += scene.int(2);
    if (scene.chance(85)) observed = generation;
    if (scene.chance(2)) deletedAt = scene.ago(30);
  }
  return { change, render };
}

function nameOf(number: number): string {
  return `shop-v${number}`;
}
