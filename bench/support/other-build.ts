import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedBuild } from '@/e2e/controlplane/cached-build';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The hash of a commit of this repository; throws where it has none of that name. */
export function hashOf(commit: string): string {
  const { status, stdout } = spawnSync('git', ['-C', root, 'rev-parse', '--verify', `${commit}^{commit}`]);
  if (status !== 0)
    throw new Error(`This repository has no commit ${commit}; a shallow clone lacks older ones.`);
  return stdout.toString().trim();
}

/** The folder of a checkout of that commit with its production build: minutes the first time, then kept. */
export function buildOf(hash: string): Promise<string> {
  return cachedBuild('builds', hash.slice(0, 16), (directory) => {
    run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, directory]);
    run('git', ['-C', directory, 'checkout', '--quiet', hash]);
    for (const script of ['install', 'build'])
      run(process.execPath, [join(directory, `scripts/${script}.mjs`)]);
    return Promise.resolve();
  });
}

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { stdio: ['ignore', process.stderr, 'inherit'] });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: see the messages above.`);
}
