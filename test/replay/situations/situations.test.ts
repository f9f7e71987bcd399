import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { situations } from './situations';

/** SHA-256 of the JSON lines of all streams of a kind: facts in the repository rest on them. */
const hashes: Readonly<Record<string, string>> = {
  'deployments.apps': 'fbc63b93879065da589d21878e6ccb9c3117b61ae2812895b82ece246aff53bb',
  'statefulsets.apps': '76c47caa09798b8bb2ebc25de4f9cc9f9fea6e143403283495b557cbd33bcac9',
  'daemonsets.apps': 'ca8c0cfa6a5d5db39375e521262856f62900f9f6cbc36f0e989eedcb13f4d3ae',
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
