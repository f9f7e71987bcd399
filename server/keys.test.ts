import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Keys, makeKey } from '@/server/keys';

const folder = mkdtempSync(join(tmpdir(), 'shiplog-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('keyed hashes', () => {
  it('survive a restart, because the key is kept', () => {
    const dataDir = join(folder, 'new');
    const before = Keys.load(dataDir);
    expect(Keys.load(dataDir).seen('c', 'u', 'b')).toBe(before.seen('c', 'u', 'b'));
    expect(statSync(join(dataDir, 'key')).mode & 0o777).toBe(0o600);
  });

  it.each([0, 5, 31])('are not made with a key file of %i bytes, which is left as it is', (bytes) => {
    const dataDir = mkdtempSync(join(folder, 'short-'));
    writeFileSync(join(dataDir, 'key'), Buffer.alloc(bytes));
    expect(() => Keys.load(dataDir)).toThrow(`has ${bytes} bytes and needs 32`);
    expect(readFileSync(join(dataDir, 'key')).length).toBe(bytes);
  });

  it('are those of the process that was first, where two make the key at once', () => {
    const dataDir = mkdtempSync(join(folder, 'race-'));
    const path = join(dataDir, 'key');
    // Neither has found one.
    const first = makeKey(dataDir, path);
    expect(makeKey(dataDir, path)).toEqual(first);
    expect(readdirSync(dataDir)).toEqual(['key']);
  });

  it('differ with every part of what was seen, wherever the parts meet', () => {
    const keys = new Keys(Buffer.alloc(32, 1));
    const all = [
      keys.seen('c', 'u', 'b'),
      keys.seen('cu', '', 'b'),
      keys.seen('c', 'ub', ''),
      keys.seen('c', 'u', 'b2'),
      new Keys(Buffer.alloc(32, 2)).seen('c', 'u', 'b'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('mask equal values with equal markers, which other keys cannot tell', () => {
    const keys = new Keys(Buffer.alloc(32, 1));
    expect(keys.marker('hunter2')).toMatch(/^\[masked:[0-9a-f]{8}\]$/);
    expect(keys.marker('hunter2')).toBe(keys.marker('hunter2'));
    expect(keys.marker('hunter2')).not.toBe(keys.marker('hunter3'));
    expect(keys.marker('hunter2')).not.toBe(new Keys(Buffer.alloc(32, 2)).marker('hunter2'));
  });
});
