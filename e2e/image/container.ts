import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageConfig } from '@/e2e/image/built-image';
import { findRunc } from '@/scripts/runc.mjs';

export interface ContainerOptions {
  /** Where the layers are unpacked. */
  root: string;
  config: ImageConfig;
  /** A new folder for what the container needs on disk. */
  folder: string;
  env?: Readonly<Record<string, string>>;
  /** Files of this machine by their path in the container, where they can't be changed. */
  files?: Readonly<Record<string, string>>;
  /** Instead of the image's own command. */
  args?: readonly string[];
  memoryBytes?: number;
}

/** A container of the image with the rights of a pod that the `restricted` level of Pod Security admits. */
export interface RunningContainer {
  /** What `/data` is on this machine. */
  readonly data: string;
  /** Everything that it printed so far. */
  readonly log: () => string;
  /** The exit code; null when a signal ended runc. */
  readonly ended: Promise<number | null>;
  /** Runs another process in it, as `kubectl exec` does. */
  exec(args: readonly string[]): { status: number | null; stdout: Buffer; stderr: string };
  /** Sends the signal to its first process and waits; resolves to the milliseconds until its end. */
  stop(signal?: 'TERM' | 'KILL'): Promise<number>;
}

const MEMORY_BYTES = 512 * 2 ** 20;

export function startContainer(options: ContainerOptions): RunningContainer {
  const runc = findRunc();
  if (runc === undefined) throw new Error('runc is missing.');
  const id = `shiplog-test-${randomUUID()}`;
  const data = join(options.folder, 'data');
  mkdirSync(data, { recursive: true });
  const [uid = 0, gid = 0] = options.config.User.split(':').map(Number);
  // As the kubelet hands a volume to a pod with an fsGroup: the group may write, and the owner is another.
  chownSync(data, 0, gid);
  chmodSync(data, 0o2775);
  writeFileSync(join(options.folder, 'config.json'), JSON.stringify(specOf(options, data, uid, gid)));

  const state = ['--root', join(options.folder, 'state')];
  const child = spawn(runc, [...state, 'run', '--bundle', options.folder, id], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  // However the tests end, the container must not stay.
  const abandon = () => void spawnSync(runc, [...state, 'delete', '--force', id]);
  process.once('exit', abandon);
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      process.off('exit', abandon);
      resolve(code);
    });
  });

  return {
    data,
    ended,
    log: () => output.join(''),
    exec(args) {
      const { status, stdout, stderr } = spawnSync(runc, [...state, 'exec', id, ...args], {
        maxBuffer: 64 * 2 ** 20,
      });
      return { status, stdout, stderr: stderr.toString() };
    },
    async stop(signal = 'KILL') {
      const start = performance.now();
      // A signal to runc itself would leave the container running.
      if (child.exitCode === null) spawnSync(runc, [...state, 'kill', id, signal]);
      await ended;
      return performance.now() - start;
    },
  };
}

/** https://github.com/opencontainers/runtime-spec/blob/main/config.md; the network is this machine's, for its loopback. */
function specOf(options: ContainerOptions, data: string, uid: number, gid: number) {
  const { root, config, env = {}, files = {}, args, memoryBytes = MEMORY_BYTES } = options;
  const safe = ['nosuid', 'nodev'];
  return {
    ociVersion: '1.0.2',
    root: { path: root, readonly: true },
    process: {
      user: { uid, gid },
      args: args ?? config.Entrypoint,
      env: [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      cwd: config.WorkingDir,
      capabilities: {},
      noNewPrivileges: true,
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=64k'] },
      { destination: '/sys', type: 'sysfs', source: 'sysfs', options: [...safe, 'ro'] },
      { destination: '/sys/fs/cgroup', type: 'cgroup', source: 'cgroup', options: [...safe, 'ro'] },
      { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: [...safe, 'mode=1777'] },
      { destination: '/data', type: 'bind', source: data, options: [...safe, 'bind', 'rw'] },
      ...Object.entries(files).map(([destination, source]) => ({
        ...{ destination, type: 'bind', source, options: [...safe, 'bind', 'ro'] },
      })),
    ],
    linux: {
      namespaces: ['pid', 'ipc', 'mount', 'uts'].map((type) => ({ type })),
      resources: { memory: { limit: memoryBytes } },
    },
  };
}
