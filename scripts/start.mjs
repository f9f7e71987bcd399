// Starts Shiplog: checks the configuration, builds when stale, serves in this process and prints the URL. Where no
// cluster is configured, or with --sandbox, it starts its own sandbox.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildIfStale } from './build.mjs';
import { hooks } from './register.mjs';
import { forgetCluster, startOwnSandbox, wantsSandbox } from './own-sandbox.mjs';

const { readConfig } = await import('../server/shared/config.ts');
const { ConfigError } = await import('../server/shared/config-error.ts');

/** The server answers within seconds of its start, or its own log has the error. */
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

const USAGE = `npm start -- [--sandbox [--clusters N] [--reset]]

  --sandbox     use the embedded sandbox cluster instead of the one of the kubeconfig
  --clusters N  with N from 2 to 3: several sandbox clusters, with the same new versions one after the other
  --reset       start the sandbox from the beginning

Environment variables configure everything else: docs/configuration.md.`;

try {
  const { values: flags } = parseArgs({
    options: {
      help: { type: 'boolean' },
      sandbox: { type: 'boolean' },
      reset: { type: 'boolean' },
      clusters: { type: 'string' },
    },
  });
  if (flags.help) {
    console.log(USAGE);
    process.exit(0);
  }
  if (flags.sandbox) forgetCluster();
  const config = readConfig(process.env);
  const withSandbox = await wantsSandbox(flags, config);
  await requireFreePort(config);
  buildIfStale();
  if (withSandbox) await startOwnSandbox(config, flags);
  // The built server resolves its own modules; ours would resolve them to the sources.
  hooks.deregister();
  await serve(config);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : `Shiplog cannot start: ${error.message}`);
  process.exit(1);
}

/** Checked before the build, so that an error needs no build. */
function requireFreePort({ port, host }) {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `port ${port} is in use. Stop the other process, or choose another port: PORT=${port + 1} npm start.`,
            )
          : new Error(`cannot listen on ${host}:${port} (${error.code}). Check SHIPLOG_HOST and PORT.`),
      );
    });
    probe.listen(port, host, () => probe.close(resolve));
  });
}

async function serve(config) {
  const { port, host } = config;
  Object.assign(process.env, {
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    // We control the order of a stop: streams end first, else the server waits for them forever.
    NEXT_MANUAL_SIG_HANDLE: 'true',
    PORT: String(port),
    // Containers set HOSTNAME to their own name; Next would listen there.
    HOSTNAME: host,
  });
  await import('../.next/standalone/server.js');
  const shown = host.includes(':') ? `[${host}]` : host;
  const url = `http://${shown}:${port}`;
  await untilHealthy(`http://${reachable(shown)}:${port}/api/healthz`);
  const address = (config.publicUrl ?? url) + keyFragment(config);
  console.log(`\nShiplog is at ${address}`);
  if (process.stdout.isTTY && !('SSH_CONNECTION' in process.env) && process.env.BROWSER !== 'none')
    await openInBrowser(address, config);
}

/** With the local key the URL signs the browser in; a fragment stays in the browser. */
function keyFragment({ auth, dataDir }) {
  if (auth.mode !== 'local' || !auth.requiresKey || process.env.SHIPLOG_SANDBOX === '1') return '';
  return `/#key=${readFileSync(join(dataDir, 'local-key'), 'utf8').trim()}`;
}

/** Through a file that only this user can read: every user can see the arguments of a process. */
async function openInBrowser(address, { dataDir }) {
  const path = join(dataDir, 'open.html');
  const page = `<!doctype html><title>Shiplog</title><meta http-equiv="refresh" content="0;url=${address}">`;
  writeFileSync(path, page, { mode: 0o600 });
  const { default: open } = await import('open');
  // Without a browser the printed URL is enough.
  await open(path).catch(() => undefined);
}

function reachable(host) {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '[::]' ? '[::1]' : host;
}

async function untilHealthy(url) {
  const end = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < end) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('the server did not respond within a minute. See its log above.');
}
