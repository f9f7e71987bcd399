import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { situations } from './situations';

/** SHA-256 of the JSON lines of all streams of a kind: facts in the repository rest on them. */
const hashes: Readonly<Record<string, string>> = {
  'deployments.apps': 'dff91a4c82fc741cf0ee9182d3d7722c5496cc3155bce7e1438ec63f20f82304',
  'statefulsets.apps': '31f9fedb21ab03c291fcfdf9ef54ddceaad2623c9e25c1dc29f42bbc979ef028',
  'daemonsets.apps': 'ca4767e3a3e78d70178e1a8008b63b30f26f85d8c9b383e6e8bd21096f22c4e4',
  'clonesets.apps.kruise.io': '33624fa7d4ca234ea7c106d8f356ac82e348dce7ec28b4e6edfca9bc4dd05754',
  'statefulsets.apps.kruise.io': '444f5225b9b7b45c30a4e2c0dc036db8a22b2b7c58ea581c463dd0df8f673612',
  'daemonsets.apps.kruise.io': '58ba0b5b2fe7fa5d8037880409cbe11213a3a6691f1cb240d33f2b091691286b',
  'leaderworkersets.leaderworkerset.x-k8s.io':
    '3fc43b5db6d954053fc7b9325e8a0155a3e1b6d0071a80b08dae541d19bb150b',
  'rollouts.argoproj.io': 'd29d7563dd63758fa3b6f56fcc40dee411a461bec81d4749baede28e1262b5e8',
  'applications.core.oam.dev': '9960aa151476892008fa239704652c6f3aacda3bc38a96eaa7d78b41dc709bf6',
  'controllerrevisions.apps': 'dff8fe02ac226d89c7e9a025822d27931690b5974712b7d3956662834e99b071',
  'rollouts.rollouts.kruise.io': '0c923d1b78ddd581e823c367206f9b83784c4829c70516fd6f5483d74cb7bc81',
  'canaries.flagger.app': '6573def7a86a3a3c99f45b575fe2ca7d8e09d991b6b166e47b981d587b0d35a2',
  'rollouts.standard.oam.dev': 'ba69d44e6444e8a762f7bbd020c6b3dac45464eecc373ddcb5e0132fe486cff9',
  'rollouttraits.standard.oam.dev': 'bdeaba774f6d533322d222585da3149f0b75bac274df8c85274f85bc50bc4cab',
  'approllouts.core.oam.dev': '1198d801519e4b9e730919f436f36b567c7ad66bea9736ba608ef83a7f303c91',
  'applicationdeployments.core.oam.dev': 'a26e33baaec0f6d6dd60832f4062087c98f4c62b9329156b3c65a27dced3c2cd',
  'appdeployments.core.oam.dev': '5592d3af5e7e42500232930e955febb8c38ac0d60dd5c539ed302b3f46e263c6',
};

describe('generated situations', () => {
  it.each([...situations.keys()])('%s stay what they are', (kind) => {
    const hash = createHash('sha256');
    for (const { startMs, lines } of situations.get(kind)?.() ?? []) {
      hash.update(`${startMs}\n`);
      for (const line of lines) hash.update(`${JSON.stringify(line)}\n`);
    }
    expect(hash.digest('hex')).toBe(hashes[kind]);
  });

  test('the generator imports nothing but itself and the type of a recording', () => {
    for (const file of readdirSync(import.meta.dirname).filter((name) => !name.endsWith('.test.ts'))) {
      const text = readFileSync(join(import.meta.dirname, file), 'utf8');
      const imported = [...text.matchAll(/^(?:import|export) .*? from '(.*?)';/gms)].map(([, from]) => from);
      expect(imported.filter((from) => from?.startsWith('./') !== true)).toEqual(
        file === 'situations.ts' ? ['@/test/replay/recording'] : [],
      );
    }
  });
});
