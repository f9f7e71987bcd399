// The sandbox of `npm start` and `npm run dev`: decides whether there is to be one, starts it in this process and
// points Shiplog's environment at it. Its code is loaded only then.
import './register.mjs';

/** What the environment says about a cluster has no say in a sandbox. */
export function forgetCluster() {
  for (const name of ['KUBECONFIG', 'SHIPLOG_CONTEXT', 'SHIPLOG_NAMESPACES']) delete process.env[name];
}

/** Whether it was asked for, or nothing else is configured. Throws on --reset without a sandbox to reset. */
export async function wantsSandbox({ sandbox = false, reset = false }, config) {
  const { namesCluster } = await import('../server/named-cluster.ts');
  const isInPod = process.env.KUBERNETES_SERVICE_HOST !== undefined;
  const wanted = sandbox || !(isInPod || namesCluster(config.cluster));
  if (reset && !wanted) throw new Error('--reset is about the sandbox: use it together with --sandbox.');
  return wanted;
}

/** Starts it, showing the progress of its first play, and sets the environment for the server to come. */
export async function startOwnSandbox({ dataDir, logLevel }, reset = false) {
  const [{ startSandbox }, { createLogger }] = await Promise.all([
    import('../server/sandbox/sandbox.ts'),
    import('../server/log.ts'),
  ]);
  const progress = progressLine();
  const sandbox = await startSandbox({
    dataDir,
    reset,
    log: createLogger({ level: logLevel === 'info' ? 'warn' : logLevel }),
    onProgress: progress.show,
  });
  progress.end();
  // Whatever ends this process, the last second is not lost.
  process.once('exit', () => sandbox.save());
  forgetCluster();
  Object.assign(process.env, {
    KUBECONFIG: sandbox.kubeconfigPath,
    SHIPLOG_SANDBOX: '1',
    SHIPLOG_DATA_DIR: sandbox.dataDir,
  });
  return sandbox;
}

/** One line that is written over on a terminal; elsewhere a line for each fifth. */
function progressLine() {
  const { stdout } = process;
  const step = stdout.isTTY ? 1 : 20;
  let shown = -1;
  return {
    show(share) {
      const percent = Math.floor((share * 100) / step) * step;
      if (percent === shown) return;
      shown = percent;
      const text = `Playing three weeks of the sandbox's history: ${percent} %`;
      stdout.write(stdout.isTTY ? `\r${text}` : `${text}\n`);
    },
    end() {
      if (shown >= 0 && stdout.isTTY) stdout.write('\n');
    },
  };
}
