import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Keys, makeKey } from '@/server/shared/keys';

const folder = mkdtempSync(join(tmpdir(), 'shiplog-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('keyed hashes', () => {
  it('survive a restart, because the key is stored', () => {
    const dataDir = join(folder, 'new');
    const before = Keys.load(dataDir);
    expect(Keys.load(dataDir).preconditionToken('c', 'u', 'b')).toBe(before.preconditionToken('c', 'u', 'b'));
    expect(statSync(join(dataDir, 'key')).mode & 0o777).toBe(0o600);
  });

  it.each([0, 5, 31])('are not created with a key file of %i bytes, which is left unchanged', (bytes) => {
    const dataDir = mkdtempSync(join(folder, 'short-'));
    writeFileSync(join(dataDir, 'key'), Buffer.alloc(bytes));
    expect(() => Keys.load(dataDir)).toThrow(`has ${bytes} bytes and needs 32`);
    expect(readFileSync(join(dataDir, 'key')).length).toBe(bytes);
  });

  it('are those of the first process, where two create the key at once', () => {
    const dataDir = mkdtempSync(join(folder, 'race-'));
    const path = join(dataDir, 'key');
    // Neither has found one.
    const first = makeKey(dataDir, path);
    expect(makeKey(dataDir, path)).toEqual(first);
    expect(readdirSync(dataDir)).toEqual(['key']);
  });

  it('differ with every part of what the viewer saw, and with the boundaries of the parts', () => {
    const keys = new Keys(Buffer.alloc(32, 1));
    const all = [
      keys.preconditionToken('c', 'u', 'b'),
      keys.preconditionToken('cu', '', 'b'),
      keys.preconditionToken('c', 'ub', ''),
      keys.preconditionToken('c', 'u', 'b2'),
      new Keys(Buffer.alloc(32, 2)).preconditionToken('c', 'u', 'b'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('mask equal values with equal markers, which other keys cannot reproduce', () => {
    const keys = new Keys(Buffer.alloc(32, 1));
    expect(keys.marker('hunter2')).toMatch(/^\[masked:[0-9a-f]{8}\]$/);
    expect(keys.marker('hunter2')).toBe(keys.marker('hunter2'));
    expect(keys.marker('hunter2')).not.toBe(keys.marker('hunter3'));
    expect(keys.marker('hunter2')).not.toBe(new Keys(Buffer.alloc(32, 2)).marker('hunter2'));
  });
});
