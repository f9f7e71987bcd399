// What the running Shiplog reports for support, with nothing but Node. In a pod:
// kubectl exec deploy/shiplog -- node /app/support-bundle.mjs > shiplog-support.json
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const TIMEOUT_MS = 15_000;

/**
 * Resolves to the report; rejects where Shiplog does not answer, or does not take the local key of the data directory.
 *
 * @param {{ host: string, port: number, dataDir: string }} server
 * @returns {Promise<object>}
 */
export async function askServer({ host, port, dataDir }) {
  const key = localKeyIn(dataDir);
  const answer = await new Promise((resolve, reject) => {
    const { promise: late, reject: abandon } = Promise.withResolvers();
    const timer = setTimeout(
      () => abandon(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)),
      TIMEOUT_MS,
    );
    late.catch(reject);
    // Shiplog answers to its own host names only.
    const headers = { host: `localhost:${port}`, authorization: `Bearer ${key}` };
    get({ host: reachable(host), port, path: '/api/support', headers }, resolve)
      .on('error', reject)
      .on('close', () => clearTimeout(timer));
  });
  const body = await json(answer);
  if (answer.statusCode !== 200) throw new Error(body?.error?.message ?? `status ${answer.statusCode}`);
  return body;
}

function localKeyIn(dataDir) {
  try {
    return readFileSync(join(dataDir, 'local-key'), 'utf8').trim();
  } catch (error) {
    throw new Error(
      `The local key in ${dataDir} cannot be read (${error.code}). Is it the data directory of Shiplog?`,
      {
        cause: error,
      },
    );
  }
}

/** What listens everywhere is reached over loopback. */
function reachable(host) {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

async function main() {
  const { SHIPLOG_HOST: host = '127.0.0.1', PORT: port = '8440', SHIPLOG_DATA_DIR: dataDir } = process.env;
  if (!dataDir) throw new Error('SHIPLOG_DATA_DIR is not set.');
  const server = await askServer({ host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port), dataDir });
  console.log(JSON.stringify({ server }, null, 2));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(`There is no report: ${error.message}`);
    process.exitCode = 1;
  });
}
