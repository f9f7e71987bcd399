import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { type FileContent, WatchedFile, type WatchedFileOptions } from '@/server/shared/watched-file';

let folder: string;
beforeEach(() => {
  const made = makeFolder();
  onTestFinished(made.remove);
  folder = made.path;
});

function follow(path: string, options: Partial<WatchedFileOptions> = {}) {
  const contents: FileContent[] = [];
  const file = new WatchedFile({
    path,
    bytesMax: 100,
    onContent: (content) => contents.push(content),
    ...options,
  });
  onTestFinished(() => file.close());
  return { file, contents, texts: () => contents.map(textOf) };
}

function textOf(content: FileContent): string {
  return content.state === 'read' ? content.text : `unreadable: ${content.problem}`;
}

/** Before the first poll, so only what the folder reports counts. */
function eventually(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 15_000 });
}

function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

test('a written and a replaced file are noticed', async () => {
  const path = join(folder, 'clusters.yaml');
  writeFileSync(path, 'one');
  const { texts } = follow(path);
  await eventually(() => expect(texts()).toEqual(['one']));
  writeFileSync(path, 'two');
  await eventually(() => expect(texts().at(-1)).toBe('two'));
  replace(path, 'three');
  await eventually(() => expect(texts().at(-1)).toBe('three'));
  appendFileSync(path, '!');
  await eventually(() => expect(texts().at(-1)).toBe('three!'));
});

/** As the kubelet writes it. */
function writeVolume(volume: string, version: string, text: string): void {
  mkdirSync(join(volume, version));
  writeFileSync(join(volume, version, 'clusters.yaml'), text);
  symlinkSync(version, join(volume, '..data_tmp'));
  renameSync(join(volume, '..data_tmp'), join(volume, '..data'));
}

test("a ConfigMap's swap of the symlink is noticed, time after time", async () => {
  writeVolume(folder, '..2026_01', 'one');
  symlinkSync('..data/clusters.yaml', join(folder, 'clusters.yaml'));
  const { texts } = follow(join(folder, 'clusters.yaml'));
  await eventually(() => expect(texts()).toEqual(['one']));
  for (const [version, text] of [
    ['..2026_02', 'two'],
    ['..2026_03', 'three'],
  ] as const) {
    writeVolume(folder, version, text);
    await eventually(() => expect(texts().at(-1)).toBe(text));
  }
  rmSync(join(folder, '..2026_01'), { recursive: true });
  rmSync(join(folder, '..2026_02'), { recursive: true });
  expect(texts()).toEqual(['one', 'two', 'three']);
});

test('a file behind a symlink to another folder is followed there', async () => {
  const real = join(folder, 'real');
  mkdirSync(real);
  writeFileSync(join(real, 'a.yaml'), 'one');
  symlinkSync(real, join(folder, 'link'));
  const { texts } = follow(join(folder, 'link', 'a.yaml'));
  await eventually(() => expect(texts()).toEqual(['one']));
  writeFileSync(join(real, 'a.yaml'), 'two');
  await eventually(() => expect(texts().at(-1)).toBe('two'));
  const other = join(folder, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'a.yaml'), 'three');
  symlinkSync(other, join(folder, 'next'));
  renameSync(join(folder, 'next'), join(folder, 'link'));
  await eventually(() => expect(texts().at(-1)).toBe('three'));
});

test('a file may be absent for a while', async () => {
  const path = join(folder, 'clusters.yaml');
  writeFileSync(path, 'one');
  const { texts } = follow(path);
  await eventually(() => expect(texts()).toEqual(['one']));
  unlinkSync(path);
  await eventually(() =>
    expect(texts().at(-1)).toMatch(/^unreadable: .*clusters\.yaml cannot be read: ENOENT/),
  );
  writeFileSync(path, 'one');
  await eventually(() => expect(texts().at(-1)).toBe('one'));
});

test('what is known and what stays the same is not reported', async () => {
  const clock = new VirtualClock();
  const path = join(folder, 'clusters.yaml');
  writeFileSync(path, 'one');
  const { texts } = follow(path, { clock, known: { state: 'read', text: 'one' } });
  await vi.waitFor(() => expect(clock.sleeping).toBe(1));
  utimesSync(path, 1, 1);
  writeFileSync(join(folder, 'another'), '');
  await vi.waitFor(async () => {
    await clock.advance(60_000);
    expect(texts()).toEqual([]);
  });
  writeFileSync(path, 'two');
  await vi.waitFor(async () => {
    await clock.advance(1_000);
    expect(texts()).toEqual(['two']);
  });
});

test('where the folder reports nothing, the content is compared every minute', async () => {
  const clock = new VirtualClock();
  const path = join(folder, 'absent', 'clusters.yaml');
  const { texts } = follow(path, { clock });
  await vi.waitFor(() => expect(clock.sleeping).toBe(1));
  expect(texts()).toEqual([expect.stringContaining('ENOENT')]);
  mkdirSync(join(folder, 'absent'));
  writeFileSync(path, 'one');
  await clock.advance(59_000);
  expect(texts().length).toBe(1);
  await clock.advance(1_000);
  await vi.waitFor(() => expect(texts().at(-1)).toBe('one'));
});

test('a folder and a long file are problems', async () => {
  const path = join(folder, 'clusters.yaml');
  mkdirSync(path);
  const { texts } = follow(path);
  await eventually(() => expect(texts()).toEqual([`unreadable: ${path} is not a file.`]));
  rmSync(path, { recursive: true });
  writeFileSync(path, 'x'.repeat(101));
  await eventually(() => expect(texts().at(-1)).toBe(`unreadable: ${path} is longer than 100 bytes.`));
});

test('a circle of symlinks is a problem', async () => {
  symlinkSync('b', join(folder, 'a'));
  symlinkSync('a', join(folder, 'b'));
  const { texts } = follow(join(folder, 'a'));
  await eventually(() => expect(texts()).toEqual([expect.stringContaining('ELOOP')]));
});

test('reports nothing after it was closed', async () => {
  const path = join(folder, 'clusters.yaml');
  writeFileSync(path, 'one');
  const { file, texts } = follow(path);
  await file.close();
  const other = follow(path);
  writeFileSync(path, 'two');
  await eventually(() => expect(other.texts().at(-1)).toBe('two'));
  expect(texts()).toEqual([]);
});
