import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { adviceOf } from '@/lib/owners/advice';
import { type Owner, type OwnerReading, type Reading, unread } from '@/lib/owners/owner';
import { followParents } from '@/lib/owners/parents';
import {
  application,
  argo,
  argoReading,
  found,
  marked,
  NOW,
  selfHeal,
  succeeded,
} from '@/lib/owners/testing/marked';
import { whatUndoes } from '@/lib/owners/what-undoes';

const advise = (reading: OwnerReading) => adviceOf(reading, whatUndoes(reading, marked(), NOW), NOW);
const COMMAND = 'argocd app set shop --sync-policy none';

const ofSet = { ownerReferences: [{ kind: 'ApplicationSet', name: 'all' }] };
const childOf = (name: string, of = 'shop') => ({
  name: of,
  annotations: { 'argocd.argoproj.io/tracking-id': `${name}:argoproj.io/Application:argocd/${of}` },
});

/** A reading with the parents that `objects` has, by their names. */
async function reading(object: JsonObject, objects: Record<string, JsonObject> = {}): Promise<OwnerReading> {
  const parents = await followParents(object, ({ name }) => {
    const parent = objects[name ?? ''];
    return Promise.resolve<Reading>(parent === undefined ? { state: 'unreadable' } : found(parent));
  });
  return argoReading(object, { parents });
}

test.each<[string, JsonObject, JsonObject]>([
  ['self-heal', selfHeal, succeeded],
  ['auto-sync', { syncPolicy: { automated: {} } }, succeeded],
  ['a failed sync', selfHeal, { operationState: { phase: 'Failed' } }],
])('an application with %s has the command that turns automation off', (_, spec, status) => {
  expect(advise(argoReading(argo(spec, status))).command).toBe(COMMAND);
});

test('without automation there is nothing to turn off', () => {
  expect(advise(argoReading(argo({}, succeeded)))).toEqual({
    text: 'Revert the commit in Git before the next sync.',
  });
});

test('a running sync is terminated too', () => {
  const running = argoReading(argo(selfHeal, { operationState: { phase: 'Running' } }));
  expect(advise(running).command).toBe(`${COMMAND} && argocd app terminate-op shop`);
});

test('of an application that cannot be read the command says when it has no effect', () => {
  expect(advise(unread(application))).toMatchObject({
    text: expect.stringContaining('no lasting effect if an ApplicationSet') as string,
    command: COMMAND,
  });
  expect(advise(unread({ ...application, name: null })).command).toBeUndefined();
});

test('an application of an ApplicationSet has the YAML for that instead of a command', async () => {
  const advice = advise(await reading(argo(selfHeal, succeeded, ofSet), { all: { spec: {} } }));
  expect(advice.command).toBeUndefined();
  expect(advice.text).toContain('Argo CD ApplicationSet argocd/all reverts any other change');
  expect(advice.manifest).toBe(
    [
      'apiVersion: argoproj.io/v1alpha1',
      'kind: ApplicationSet',
      'metadata:',
      '  name: all',
      '  namespace: argocd',
      'spec:',
      '  ignoreApplicationDifferences:',
      '    - jsonPointers:',
      '        - /spec/syncPolicy',
    ].join('\n'),
  );
  expect(advise(await reading(argo(selfHeal, succeeded, ofSet))).manifest).toBeDefined();
});

test.each<JsonObject>([
  { ignoreApplicationDifferences: [{ jsonPointers: ['/spec/syncPolicy'] }] },
  { ignoreApplicationDifferences: [{ name: 'shop', jqPathExpressions: ['.spec.syncPolicy'] }] },
  { syncPolicy: { applicationsSync: 'create-only' } },
  { syncPolicy: { applicationsSync: 'create-delete' } },
])('an ApplicationSet that leaves the sync policy alone lets the command work: %j', async (spec) => {
  const advice = advise(await reading(argo(selfHeal, succeeded, ofSet), { all: { spec } }));
  expect(advice).toMatchObject({ command: COMMAND });
  expect(advice.manifest).toBeUndefined();
});

test('differences that an ApplicationSet ignores of another application do not help', async () => {
  const spec = { ignoreApplicationDifferences: [{ name: 'other', jsonPointers: ['/spec/syncPolicy'] }] };
  expect(advise(await reading(argo(selfHeal, succeeded, ofSet), { all: { spec } })).command).toBeUndefined();
});

test('an application of applications names the chain up to the one that puts nothing back', async () => {
  const advice = advise(
    await reading(argo(selfHeal, succeeded, childOf('root')), {
      root: argo(selfHeal, succeeded, childOf('platform', 'root')),
      platform: argo({}, succeeded, { name: 'platform' }),
    }),
  );
  expect(advice.command).toBeUndefined();
  expect(advice.text).toContain('Argo CD application root reverts any other change of it.');
  expect(advice.text).toContain('Argo CD application platform above puts nothing back.');
  expect(advice.manifest).toContain('kind: Application\nmetadata:\n  name: shop\n  namespace: argocd');
});

test('a parent that reverts nothing by itself lets the command work', async () => {
  const root = argo({}, succeeded, { name: 'root' });
  expect(advise(await reading(argo(selfHeal, succeeded, childOf('root')), { root })).command).toBe(COMMAND);
});

test('an application that Flux applies is reverted by its Kustomization', async () => {
  const metadata = { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } };
  const object = argo(selfHeal, succeeded, metadata);
  const running = { spec: { interval: '10m' } };
  expect(advise(await reading(object, { apps: running })).text).toContain('Flux Kustomization argocd/apps');
  expect(advise(await reading(object, { apps: { spec: { suspend: true } } })).command).toBe(COMMAND);
});

test('a chain of owners ends, whichever application names which', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const parent = fc.constantFrom(...names);
  await fc.assert(
    fc.asyncProperty(fc.tuple(...names.map(() => parent)), async (parents) => {
      const objects = Object.fromEntries(
        names.map((name, index) => [name, argo(selfHeal, succeeded, childOf(parents[index] ?? 'a', name))]),
      );
      const { parents: chain } = await reading(objects.a ?? {}, objects);
      expect(chain.length).toBeLessThan(names.length);
      const keys = chain.map((each) => each.parent.name);
      expect(new Set(['a', ...keys]).size).toBe(keys.length + 1);
    }),
  );
});

test.each<[Owner['kind'], JsonObject, string | undefined]>([
  ['kustomization', { spec: { interval: '1h' } }, 'flux suspend kustomization apps -n flux-system'],
  ['kustomization', { spec: { suspend: true } }, undefined],
  ['helmRelease', { spec: {} }, 'flux suspend helmrelease apps -n flux-system'],
  [
    'resourceSet',
    {},
    'kubectl annotate resourceset apps -n flux-system --overwrite fluxcd.controlplane.io/reconcile=disabled',
  ],
])('an owner of Flux has the command that suspends it, unless it is: %s %j', (kind, object, command) => {
  const owner = { kind, namespace: 'flux-system', name: 'apps', excludedBy: null, evidence: '' } as Owner;
  expect(advise({ ...unread(owner), object: found(object) }).command).toBe(command);
});

test.each([
  'javascript:alert(1)',
  'https://user:token@git.example/shop.git',
  'git@git.example:o/r.git',
  'ssh://git.example/o/r',
  'https://git.example/r.git',
])('nothing that is said or advised has the address of a repository: %s', async (repoURL) => {
  for (const spec of [selfHeal, { syncPolicy: { automated: {} } }, {}]) {
    const each = await reading(argo({ ...spec, source: { repoURL, path: 'deploy' } }, succeeded));
    const verdict = whatUndoes(each, marked(), NOW);
    expect(JSON.stringify([verdict, advise(each)])).not.toContain(repoURL);
  }
});
