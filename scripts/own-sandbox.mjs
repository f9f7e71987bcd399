// The sandbox of `npm start` and `npm run dev`: decides whether to run one, starts it in this process and points
// Shiplog's environment at it. Its code is loaded only then.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import './register.mjs';

/** Seeding creates much garbage and little live data; without limits the engine would take twice the memory. */
const SMALL_HEAP = ['--max-semi-space-size=4', '--max-old-space-size=128'];

const { variables } = await import('../server/shared/variables.ts');

/** Variables that name notification targets, the cluster and the archive: the sandbox has its own. */
const outward = Object.keys(variables).filter((name) => variables[name].isOutward);
const OWN = /^SHIPLOG_SANDBOX_(.+)$/;

/**
 * The sandbox ignores the environment of a real cluster and its notification targets, because the sandbox simulates
 * failures all the time. `SHIPLOG_SANDBOX_WEBHOOK_URL` and the like replace `SHIPLOG_WEBHOOK_URL` in a sandbox alone.
 */
export function forgetCluster(env = process.env) {
  for (const name of outward) delete env[name];
  for (const [name, value] of Object.entries(env)) {
    const own = `SHIPLOG_${OWN.exec(name)?.[1]}`;
    if (outward.includes(own)) env[own] = value;
  }
}

/** Whether it was requested, or nothing else is configured. Throws on --reset without a sandbox to reset. */
export async function wantsSandbox({ sandbox = false, reset = false }, config) {
  const { namesCluster } = await import('../server/cluster/named-cluster.ts');
  const isInPod = process.env.KUBERNETES_SERVICE_HOST !== undefined;
  const namesClusters = config.clusters.kind !== 'one' || namesCluster(config.cluster);
  const wanted = sandbox || !(isInPod || namesClusters);
  if (reset && !wanted) throw new Error('--reset works only with --sandbox: npm start -- --sandbox --reset.');
  return wanted;
}

/** Starts it, showing the progress of the seeding, and sets the environment for the server. */
export async function startOwnSandbox({ dataDir, logLevel }, reset = false) {
  const [{ isPlayed }, { prepareDataDir }, { createLogger }, { startSandbox }] = await Promise.all([
    import('../sandbox/state-folder.ts'),
    import('../server/shared/config.ts'),
    import('../server/shared/log.ts'),
    import('../sandbox/sandbox.ts'),
  ]);
  prepareDataDir(dataDir);
  if (reset || !isPlayed(dataDir)) await playWithProgress(dataDir);
  const log = createLogger({ level: logLevel === 'info' ? 'warn' : logLevel });
  const sandbox = await startSandbox({ dataDir, log });
  // However this process ends, the last second of the state is saved.
  process.once('exit', () => sandbox.save());
  forgetCluster();
  Object.assign(process.env, {
    KUBECONFIG: sandbox.kubeconfigPath,
    SHIPLOG_SANDBOX: '1',
    SHIPLOG_DATA_DIR: sandbox.dataDir,
  });
  console.log(`Demo data in a simulated cluster. For kubectl: KUBECONFIG=${sandbox.kubeconfigPath}`);
  return sandbox;
}

async function playWithProgress(dataDir) {
  const progress = progressLine();
  const child = fork(fileURLToPath(new URL('play.mjs', import.meta.url)), [dataDir], {
    execArgv: SMALL_HEAP,
  });
  let problem = 'see the messages above';
  child.on('message', ({ share, error }) => {
    if (share !== undefined) progress.show(share);
    if (error !== undefined) problem = error;
  });
  const [code] = await once(child, 'exit');
  progress.end();
  if (code !== 0) throw new Error(`the sandbox could not be created: ${problem}`);
}

/** One line that is overwritten on a terminal; elsewhere a line for each fifth. */
function progressLine() {
  const { stdout } = process;
  const step = stdout.isTTY ? 1 : 20;
  let shown = -1;
  return {
    show(share) {
      const percent = Math.floor((share * 100) / step) * step;
      if (percent === shown) return;
      shown = percent;
      const text = `Creating the sandbox with a month of history (once): ${percent}%`;
      stdout.write(stdout.isTTY ? `\r${text}` : `${text}\n`);
    },
    end() {
      if (shown >= 0 && stdout.isTTY) stdout.write('\n');
    },
  };
}
