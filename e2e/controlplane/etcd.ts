import { request } from 'undici';

/** A key outside of the API server's prefix: a write to it moves the revision and touches no object. */
const BUMP_KEY = Buffer.from('/shiplog-test/bump').toString('base64');

/**
 * Compacts etcd at its newest revision, through its JSON gateway: older resource versions are lost.
 * https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/
 *
 * @param bump writes a key first, so that even the newest resource version known to a client is older.
 */
export async function compactEtcd(url: string, bump: boolean): Promise<void> {
  if (bump) await post(url, '/v3/kv/put', { key: BUMP_KEY, value: '' });
  const { header } = await post<{ header: { revision: string } }>(url, '/v3/kv/range', { key: BUMP_KEY });
  await post(url, '/v3/kv/compaction', { revision: header.revision, physical: true });
}

async function post<T>(url: string, path: string, body: object): Promise<T> {
  const answer = await request(url + path, { method: 'POST', body: JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 && !text.includes('has been compacted')) {
    throw new Error(`etcd ${path}: ${answer.statusCode} ${text}`);
  }

  return JSON.parse(text) as T;
}
