import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { groupOf } from '@/lib/kube/object';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { situations } from './situations';

/** SHA-256 of the JSON lines of all streams of a kind: facts in the repository rest on them. */
const hashes: Readonly<Record<string, string>> = {
  'deployments.apps': '153cedcf2b635a30d8aca0cfb25f97f806db72e1890e9b16113bd92550c4b29c',
  'statefulsets.apps': '41e92ec6860a88b46351b6537222a26b8c9410010018191104fea1142198eaea',
  'daemonsets.apps': 'a2e5d9dfcc6fdb247f0749e8bad398a9610f341d7c6418ba8864d988263446e4',
  'clonesets.apps.kruise.io': '4cfd3e9c11b1f2eea2e38b91f915a6bd570352f978fb700fc7805b86c8866109',
  'statefulsets.apps.kruise.io': '073c9e2e780cef0e2872747ccf9407aafd1b7aabe759579dd7510e87a1f2d250',
  'daemonsets.apps.kruise.io': '5aeb444ec02156d45efc6ec9af19bdff8ce607720723f0e16821b3ccd29b3dfb',
  'leaderworkersets.leaderworkerset.x-k8s.io':
    'e1b7bc7442bb42d39c0577d411a3fd9465cc567c1bebb0261c727146ce565f89',
  'rollouts.argoproj.io': '77d102c2dcbe2f1b758e2fa130ff46e0baf2d3acbc4742df5bce2cf306d0ce41',
  'applications.core.oam.dev': 'e60b24f01c80a020996dbb20a67526d0cd928f8a5a68a9492b7c48262459023c',
  'controllerrevisions.apps': '162c7762f8109ac4c12a3e46dd89bfa1f2211522cb8029fe6b898ee1979b81dc',
  'rollouts.rollouts.kruise.io': 'dc5e118c29e62f9b10d1e76e485edb89f43af92354bb68ba0e1dab8f1566def9',
  'canaries.flagger.app': 'f39489cfe09fd9a7a20c126159fc1611b44c78fcfa94c2e3a12ec711c2223096',
  'rollouts.standard.oam.dev': 'f633e7f2a24e548a808d985013b1ef1fe0a1195b5a326602d71067c147bd3789',
};

/** Kinds that are younger than the golden files, which nothing writes again. */
const later = new Set(['stormservices.orchestration.aibrix.ai']);

describe('generated situations', () => {
  const seen = new Set<string>();

  it.each([...situations.keys()])(
    '%s stay what they are',
    (kind) => {
      const hash = createHash('sha256');
      for (const { startMs, lines } of situations.get(kind)?.() ?? []) {
        hash.update(`${startMs}\n`);
        for (const line of lines) {
          hash.update(`${JSON.stringify(line)}\n`);
          if ('object' in line) seen.add(`${line.object.kind}.${groupOf(line.object.apiVersion)}`);
        }
      }
      expect(hash.digest('hex')).toBe(hashes[kind]);
    },
    120_000,
  );

  test('every kind of workload and every system has situations', () => {
    const resources = [...workloadKinds, ...rolloutSystems].map(({ resource }) => resource);
    const missing = resources.filter(
      ({ kind, group, id }) => !later.has(id) && !seen.has(`${kind}.${group}`),
    );
    expect(missing).toEqual([]);
  });

  test('the generator imports nothing but itself and the type of a recording', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => !name.endsWith('.test.ts'));
    const imported = files.flatMap((file) => {
      const text = readFileSync(join(import.meta.dirname, file), 'utf8');
      return [...text.matchAll(/ from '(.*?)'|import\('(.*?)'\)/g)].map(([, from]) => from);
    });
    const others = imported.filter((from) => from?.startsWith('./') !== true);
    expect(others).toEqual(['@/test/replay/recording']);
  });
});
