import { kubeconfigIn } from '@/server/shared/sandbox-folder';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { parseJson } from '@/lib/kube/json';
import { ConfigError } from '@/server/shared/config-error';
import { listOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';

/** On loopback a response arrives at once. */
const TIMEOUT_MS = 1_000;

/** Throws ConfigError when another process serves the folder: two would overwrite each other's state. */
export async function requireNoOtherInstance(folder: string): Promise<void> {
  const kubeconfig = kubeconfigIn(folder);
  if (!existsSync(kubeconfig) || !(await isServed(kubeconfig))) return;
  throw new ConfigError([
    `The sandbox in ${folder} is in use by another process. Stop that one, or set SHIPLOG_DATA_DIR to another directory.`,
  ]);
}

/** Only the owner of the key made for that kubeconfig passes the certificate check. */
function isServed(kubeconfig: string): Promise<boolean> {
  const [entry] = listOrEmptyAt(parseJson(readFileSync(kubeconfig, 'utf8')), 'clusters');
  const ca = Buffer.from(textOrEmptyAt(entry, 'cluster', 'certificate-authority-data'), 'base64');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  request(`${textOrEmptyAt(entry, 'cluster', 'server')}/livez`, { ca, timeout: TIMEOUT_MS, agent: false })
    .on('response', (answer) => {
      answer.resume();
      resolve(true);
    })
    .on('timeout', () => resolve(false))
    .on('error', () => resolve(false))
    .end();
  return promise;
}
